// SPDX-License-Identifier: Apache-2.0
/// \file
/// Changes of scale, shape and element type.
#include "families.h"
#include "on_integers.h"

namespace fovea {
namespace {

std::optional<std::string> refuse_requantize(const Match&, const MachineLimits&) {
  return "the accelerator requantizes only what it has accumulated";
}

std::optional<std::string> refuse_conversion(const Match&, const MachineLimits&) {
  return "the CPU converts from and to float32";
}

/// A flatten moves nothing: its output is its input's bytes, wherever they are.
std::optional<std::string> accept(const Match&, const MachineLimits&) { return std::nullopt; }

}  // namespace

Fusion requantize(Epilogue epilogue) {
  const Pattern value = epilogue.relu ? op("nn.relu", {activation()}) : activation();
  return {composite_name("cpu.requantize", epilogue), op("qnn.quantize", {value}).as("quantize"), "quantize",
          refuse_requantize};
}

Fusion flatten() { return {"dla.flatten", on_integers("reshape", any(), "reshape"), "reshape", accept}; }

Fusion quantize() {
  return {"dla.quantize", op("qnn.quantize", {any()}).as("quantize"), "quantize", refuse_conversion};
}

Fusion dequantize() {
  return {"dla.dequantize", op("qnn.dequantize", {any()}).as("dequantize"), "dequantize", refuse_conversion};
}

}  // namespace fovea
