// SPDX-License-Identifier: Apache-2.0
/// \file
/// Operators that move elements as definitions, so that what computes can be in one nest with them.
#pragma once

#include <optional>

#include "ir/graph.h"
#include "ops/definition.h"

namespace fovea {

/// Whether a call is a transpose, a pad or a strided_slice, or a reshape that adds and drops axes of one index only:
/// whose elements are found without a division.
bool is_plain_move(const Graph& graph, const Node& node);

/// The definition of a call: its operator's, or that of a plain move. \pre It has one.
Definition definition_of_call(const Graph& graph, const Node& call);

}  // namespace fovea
