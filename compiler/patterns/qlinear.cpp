// SPDX-License-Identifier: Apache-2.0
/// \file
/// Quantized fully connected layers.
#include "families.h"
#include "on_integers.h"

namespace fovea {
namespace {

std::optional<std::string> refuse_linear(const Match&, const RefuseConv&) {
  return "fully connected layers run on the CPU in this version";
}

}  // namespace

Fusion qlinear(Epilogue epilogue) {
  const Pattern dense = op("nn.dense", {activation(), parameter()}).as("dense");
  const Pattern biased = maybe("nn.bias_add", dense, {parameter()});
  const Pattern sum = epilogue.relu ? op("nn.relu", {biased}) : biased;
  return {composite_name("dla.qlinear", epilogue), op("qnn.quantize", {sum}), "dense", refuse_linear};
}

}  // namespace fovea
