// SPDX-License-Identifier: Apache-2.0
/// \file
/// Max-pools that no convolution takes along, on integers: maxpool(x), or quantize(maxpool(dequantize(x))) of one
/// scale.
#include "host_fields.h"
#include "on_integers.h"

namespace fovea {
namespace {

LayerBody make(const Match& match, std::vector<NodeId>& inputs) {
  const Node& pool = match["pool"];
  const std::vector<int64_t> kernel = ints_attribute(pool, "kernel", {});
  inputs = {integers_of(match, "pool")};
  return MaxPool{read_window(pool, {kernel.at(0), kernel.at(1)}), int_attribute(pool, "ceil_mode", 0) != 0};
}

CallText host_call(const Layer& layer, const Places& places) {
  const auto& pool = std::get<MaxPool>(layer.body);
  return {"dla_maxpool_cpu",
          "dla_maxpool_cpu",
          {name_field(layer), ifmap_ofmap_fields(layer, places),
           chw_fields(layer.input_types[0]) + ", .ceil_mode = " + c_bool(pool.ceil_mode), window_field(pool.window)}};
}

}  // namespace

LayerKind max_pool_kind() {
  return {"maxpool", "pool",
          true,      {{"dla.maxpool", on_integers("nn.max_pool2d", any(), "pool")}},
          make,      "the accelerator takes max-pools of 2x2 and 3x3 at a stride of 1 to 3, of uint8",
          host_call};
}

}  // namespace fovea
