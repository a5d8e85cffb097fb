// SPDX-License-Identifier: Apache-2.0
/// \file
/// Float32 values one behind another, which nothing quantizes.
#include "float_end.h"
#include "ops/channels.h"
#include "ops/operator.h"

namespace fovea {
namespace in_float_concat {

LayerBody make(const Match& match, std::vector<NodeId>& inputs) {
  const Node& concat = match["concat"];
  inputs = concat.inputs;
  return FloatConcat{read_axis(concat, concat.type.shape)};
}

CallText host_call(const Layer& layer, const Places& places) {
  return concat_call(layer, places, std::get<FloatConcat>(layer.body).axis,
                     std::vector<std::string>(layer.inputs.size()));
}

}  // namespace in_float_concat

LayerKind float_concat_kind() {
  using namespace in_float_concat;
  return {
      "float_concat", "concat",
      true,           {{"cpu.float_concat", op_of_all("concatenate", any()).as("concat").where(is_float32("concat"))}},
      make,           kFloatIsTheCpus,
      host_call};
}

}  // namespace fovea
