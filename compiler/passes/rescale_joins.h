// SPDX-License-Identifier: Apache-2.0
/// \file
/// Joins of activations at other scales than the join's own.
#pragma once

#include "ir/graph.h"
#include "spec/dla_arith.h"

namespace fovea {

/// Changes the scale of a join's input before the join, where a convolution or fully connected layer makes it for the
/// join alone: it can end with the change (Accumulation::table) and write its bytes where the join wants them. The
/// change goes before a pool, which keeps the order of numbers and so may stay a layer of its own. Only
/// to nearest even: a table is rounded so. Run where no dead code is, which would count as a reader. \param rounding Of
/// the network.
Graph rescale_joins(const Graph& graph, dla_rounding rounding);

}  // namespace fovea
