// SPDX-License-Identifier: Apache-2.0
/// \file
/// Decides for each composite where it runs.
#pragma once

#include <vector>

#include "ir/graph.h"
#include "targets/target.h"

namespace fovea {

/// Sets Function::target to the first of `targets` that does not refuse the composite, and Function::reason to the
/// refusal of the one that was asked for. A view goes where what it views is. \param targets  In the order of
/// preference; the last takes every layer. Run after merge_composites.
///
/// Where a user has added targets, those that take a composite are compared by Target::cost(): the first, or of later
/// ones the cheapest that is cheaper. Function::reason then has what each of the others said, on whatever target.
Graph annotate_target(const Graph& graph, const std::vector<NamedTarget>& targets);

}  // namespace fovea
