// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds layers in a graph of operators.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

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
/// quantized in two ways. \param rounding  Of the network.
std::optional<Fused> fuse_at(const Graph& graph, NodeId root, dla_rounding rounding = kDlaNearestEven);

/// What a fused layer's operators are without it: at its root the first fusion of another kind, and the one that feeds
/// that. Both in their order, with integers between them, none a copy of operators that others need; empty where there
/// are no two such.
std::vector<Fused> parts_of(const Graph& graph, NodeId root, const Fused& fused, dla_rounding rounding);

/// What a composite computes; where it comes from a text, its body is matched with the pattern of its name.
/// UserError where it is not what its name says, or as LayerKind::make.
std::shared_ptr<const Layer> layer_of(const Function& composite);

}  // namespace fovea
