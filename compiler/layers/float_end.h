// SPDX-License-Identifier: Apache-2.0
/// \file
/// What quantize and dequantize have in common: one side is float32, in the arena or the network's own input or output.
#pragma once

#include "host_fields.h"

namespace fovea {

inline constexpr std::string_view kFloatsAreTheCpus = "the CPU converts from and to float32";
inline constexpr std::string_view kFloatIsTheCpus = "the accelerator computes with integers, and this is float32";

/// ".x_host = input, .y = ARENA(mean)": a float32 layer's input and output, wherever they are.
inline std::string x_y_fields(const Layer& layer, const Places& places) {
  return places.float_end("x", layer.inputs[0]) + ", " + places.float_end("y", layer.output);
}

/// Whether what was captured under that name is float32.
inline Pattern::Condition is_float32(std::string capture) {
  return [capture = std::move(capture)](const Match& match) {
    return match[capture].type.element == ElementType::kFloat32;
  };
}

/// The call, whichever side is float32. \param integers  Quantization of the other.
inline CallText float_end_call(const Layer& layer, const Quantization& integers, const Places& places) {
  return {
      "dla_" + std::string(layer.kind->name) + "_cpu",
      "dla_quantize",
      {name_field(layer), places.float_end("input", layer.inputs[0]) + ", " + places.float_end("output", layer.output),
       shape_fields(layer.output_type),
       ".scale = " + c_float(integers.scale()) + ", .zero_point = " + std::to_string(integers.zero_point()) +
           ", .rounding = " + c_rounding(places.rounding)}};
}

}  // namespace fovea
