// SPDX-License-Identifier: Apache-2.0
/// \file
/// Quantized fully connected layers.
#include "families.h"
#include "on_integers.h"

namespace fovea {
namespace {

std::optional<std::string> refuse_linear(const Match& match, const MachineLimits& limits) {
  const Shape& w = match.graph()[match["dense"].inputs[1]].type.shape;
  return limits.refuse_linear ? limits.refuse_linear(static_cast<uint32_t>(w[1]), static_cast<uint32_t>(w[0]))
                              : std::nullopt;
}

}  // namespace

Fusion qlinear(Epilogue epilogue) {
  const Pattern dense = op("nn.dense", {activation(), parameter()}).as("dense");
  const Pattern biased = maybe("nn.bias_add", dense, {parameter()});
  const Pattern sum = epilogue.relu ? op("nn.relu", {biased}) : biased;
  return {composite_name("dla.qlinear", epilogue), op("qnn.quantize", {sum}), "dense", refuse_linear};
}

}  // namespace fovea
