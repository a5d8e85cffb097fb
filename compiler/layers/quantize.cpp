// SPDX-License-Identifier: Apache-2.0
/// \file
/// From float32 to integers: quantize(x).
#include "float_end.h"

namespace fovea {
namespace in_quantize {

LayerBody make(const Match& match, std::vector<NodeId>& inputs) {
  inputs = {match["y"].inputs[0]};
  return Quantize{read_activation(match.graph(), match["y"])};
}

CallText host_call(const Layer& layer, const Places& places) {
  return float_end_call(layer, std::get<Quantize>(layer.body).y, places);
}

bool is_at_shifts(const Layer& layer) { return is_shift(std::get<Quantize>(layer.body).y); }

}  // namespace in_quantize

LayerKind quantize_kind() {
  using namespace in_quantize;
  return {"quantize", "y",
          false,      {{"cpu.quantize", op("qnn.quantize", {any()}).as("y")}},
          make,       kFloatsAreTheCpus,
          host_call,  nullptr,
          nullptr,    is_at_shifts};
}

}  // namespace fovea
