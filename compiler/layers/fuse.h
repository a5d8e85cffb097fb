// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds layers in a graph of operators.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "added_fusion.h"
#include "layer.h"
#include "patterns/pattern.h"
#include "spec/dla_arith.h"

namespace fovea {

/// What a fusion found: operators to put into a composite, and what they compute.
struct Fused {
  std::string composite;
  Match match;
  std::shared_ptr<const Layer> layer;  ///< inputs: places in match.inputs(). Null where no such layer can be made.
  std::string why, anchor;             ///< Why not, as a UserError; and the ONNX node that it would be called after.
};

/// The first fusion that matches at a value, by layer_kinds.def. Where none does, or only one that reads floats which
/// others have to compute, the first that matches if what others read as well is computed again: a convolution that is
/// quantized in two ways. \param rounding  Of the network. \param taken  Values that are part of no match here.
std::optional<Fused> fuse_at(const Graph& graph, NodeId root, dla_rounding rounding = kDlaNearestEven,
                             const std::set<NodeId>& taken = {});

/// What a user's fusion finds at a value: operators, the value among them, that are no composites yet, nor taken.
std::optional<Match> match_added(const AddedFusion& fusion, const Graph& graph, NodeId root,
                                 const std::set<NodeId>& taken = {});

/// A user's fusion at a value: nothing where it does not match. Without a layer, and with the reason, where it refuses
/// the match or no layer computes it.
std::optional<Fused> fuse_added(const AddedFusion& fusion, const Graph& graph, NodeId root, dla_rounding rounding,
                                const std::set<NodeId>& taken = {});

/// The composite of a match: a copy of what is inside, whose inputs are what the match reads, with its results.
Function make_composite(const Graph& graph, const Fused& fused);

/// What a fused layer's operators are without it: at its root the first fusion of another kind, and the one that feeds
/// that. Both in their order, with integers between them, none a copy of operators that others need; empty where there
/// are no two such.
std::vector<Fused> parts_of(const Graph& graph, NodeId root, const Fused& fused, dla_rounding rounding);

/// What a composite computes; where it comes from a text, its body is matched with the pattern of its name, or, of a
/// user's name, is what layer computes it. UserError where it is not what its name says, or as LayerKind::make.
std::shared_ptr<const Layer> layer_of(const Function& composite);

}  // namespace fovea
