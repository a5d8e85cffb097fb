// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where the largest of 8-bit values along an axis are, as float32 numbers: cast(argmax(x)).
#include "ops/argmax.h"

#include "host_loops.h"
#include "on_integers.h"
#include "ops/channels.h"
#include "ops/operator.h"

namespace fovea {
namespace in_argmax {

bool is_of_bytes_as_floats(const Match& match) {
  const Node& x = match.graph()[match["argmax"].inputs[0]];
  return match["cast"].type.element == ElementType::kFloat32 &&
         (match.has("x") || x.type.element == ElementType::kUint8);
}

LayerBody make(const Match& match, std::vector<NodeId>& inputs) {
  const Node& argmax = match["argmax"];
  if (match.has("x")) {
    read_activation(match.graph(), match["x"]);
  }
  inputs = match.inputs();
  return ArgMax{read_axis(argmax, match.graph()[argmax.inputs[0]].type.shape),
                int_attribute(argmax, "select_last", 0) != 0};
}

LoopNest host_loops(const Layer& layer, dla_rounding) {
  const auto& argmax = std::get<ArgMax>(layer.body);
  return loops_of(
      layer, argmax_definition(layer.input_types.at(0), argmax.axis, argmax.selects_last, layer.output_type.shape));
}

}  // namespace in_argmax

LayerKind argmax_kind() {
  using namespace in_argmax;
  const Pattern argmax = op("argmax", {either({activation("x"), any()})}).as("argmax");
  LayerKind kind{"argmax", "argmax",
                 true,     {{"cpu.argmax", op("cast", {argmax}).as("cast").where(is_of_bytes_as_floats)}},
                 make,     "the accelerator does not compare"};
  kind.host_loops = host_loops;
  return kind;
}

}  // namespace fovea
