// SPDX-License-Identifier: Apache-2.0
/// \file
/// From integers to float32: dequantize(x).
#include "float_end.h"

namespace fovea {
namespace in_dequantize {

LayerBody make(const Match& match, std::vector<NodeId>& inputs) {
  inputs = {match["x"].inputs[0]};
  return Dequantize{read_activation(match.graph(), match["x"])};
}

CallText host_call(const Layer& layer, const Places& places) {
  return float_end_call(layer, std::get<Dequantize>(layer.body).x, places);
}

bool is_at_shifts(const Layer& layer) { return is_shift(std::get<Dequantize>(layer.body).x); }

}  // namespace in_dequantize

LayerKind dequantize_kind() {
  using namespace in_dequantize;
  return {"dequantize", "x",
          false,        {{"cpu.dequantize", op("qnn.dequantize", {any()}).as("x")}},
          make,         kFloatsAreTheCpus,
          host_call,    nullptr,
          nullptr,      is_at_shifts};
}

}  // namespace fovea
