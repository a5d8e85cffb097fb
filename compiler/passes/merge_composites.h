// SPDX-License-Identifier: Apache-2.0
/// \file
/// Fuses what one runtime call computes.
#pragma once

#include "ir/graph.h"
#include "pass_context.h"
#include "spec/dla_arith.h"
#include "targets/target.h"

namespace fovea {

/// Replaces each match of a fusion (layers/layer_kinds.def) by a call of a composite that holds the matched operators
/// and constants. Starts at the outputs and takes, at each value, the first row of the table that matches. What matches
/// no row stays as it is; a match that no layer computes becomes "unsupported", with the reason. A max-pool stays out
/// of a composite where the first target, of the compiler's own, would rather run it alone. A match with several
/// results is fused where a user's target takes it, and nothing that it reads depends on one of its results. \param
/// rounding  Of the network. \param added  A user's, which come before the table's. The note of a composite names those
/// that it was left out of. \param on_fusion  Hears of their matches. May be empty.
Graph merge_composites(const Graph& given, dla_rounding rounding, const std::vector<NamedTarget>& targets,
                       const std::vector<AddedFusion>& added = {}, const FusionListener& on_fusion = {});

/// Replaces each match of one fusion by a call of a composite, whatever may compute that; all else stays as it is.
Graph merge_matches(const Graph& graph, const AddedFusion& fusion);

}  // namespace fovea
