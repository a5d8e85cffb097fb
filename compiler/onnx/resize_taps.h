// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where the elements of a resized axis come from; the coordinates are ONNX Runtime's, float32 for float32.
#pragma once

#include <string>
#include <vector>

#include "onnx_node.h"

namespace fovea {

/// One axis before and after.
struct ResizedAxis {
  int64_t from = 1, to = 1;
  float scale = 1, roi_start = 0, roi_end = 1;
};

/// How a node goes from places in its result to places in x. Where nothing else is said, as before opset 11.
struct ResizeRule {
  std::string mode = "nearest";  ///< nearest, linear or cubic.
  std::string coordinates = "asymmetric", nearest = "simple";
  float cubic_coeff_a = -0.75F;
  bool excludes_outside = false;  ///< Of cubic: what is outside of x has no weight.
};

/// An element of a result is the sum of those of x at places[k], each times weights[k]; k of `count` taps, which lie
/// one behind another: places[k * to + i] for index i of the result.
struct ResizeTaps {
  int64_t count = 1;
  std::vector<int32_t> places;
  std::vector<float> weights;
};

/// For each index of the result the place that is nearest; `axis.from`, behind the end, where tf_crop_and_resize leaves
/// x. UserError, naming the node, of a mode that there is not.
std::vector<int64_t> nearest_places(const OnnxNode& node, const ResizeRule& rule, const ResizedAxis& axis);

/// The taps of mode linear, 2, or cubic, 4. \pre The rule's mode is one of them.
ResizeTaps interpolating_taps(const OnnxNode& node, const ResizeRule& rule, const ResizedAxis& axis);

}  // namespace fovea
