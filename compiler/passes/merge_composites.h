// SPDX-License-Identifier: Apache-2.0
/// \file
/// Fuses what one runtime call computes.
#pragma once

#include "ir/graph.h"
#include "spec/dla_arith.h"
#include "targets/target.h"

namespace fovea {

/// Replaces each match of a fusion (layers/layer_kinds.def) by a call of a composite that holds the matched operators
/// and constants. Starts at the outputs and takes, at each value, the first row of the table that matches. What matches
/// no row stays as it is; a match that no layer computes becomes "unsupported", with the reason. A max-pool stays out
/// of a composite where the first target would rather run it alone. \param rounding  Of the network.
Graph merge_composites(const Graph& given, dla_rounding rounding, const std::vector<NamedTarget>& targets);

}  // namespace fovea
