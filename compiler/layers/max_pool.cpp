// SPDX-License-Identifier: Apache-2.0
/// \file
/// Max-pools that no convolution takes along, on integers: maxpool(x), or quantize(maxpool(dequantize(x))) of one
/// scale.
#include "device_pool.h"
#include "host_loops.h"
#include "on_integers.h"
#include "ops/pool2d.h"

namespace fovea {
namespace in_max_pool {

LayerBody make(const Match& match, std::vector<NodeId>& inputs) {
  const Node& pool = match["pool"];
  const std::vector<int64_t> kernel = ints_attribute(pool, "kernel", {});
  inputs = {integers_of(match, "pool")};
  return MaxPool{read_window(pool, {kernel.at(0), kernel.at(1)}), int_attribute(pool, "ceil_mode", 0) != 0};
}

LoopNest host_loops(const Layer& layer, dla_rounding) {
  const Window& window = std::get<MaxPool>(layer.body).window;
  return loops_of(layer, max_pool_definition(window, layer.input_types.at(0), layer.output_type.shape));
}

/// Behind an identity, of uint8 with the zero point 0. Nothing where no command pools so.
std::optional<DeviceForm> device_form(const Layer& layer) {
  const Shape& ifmap = layer.input_types.at(0).shape;
  const Window window = whole_windows(std::get<MaxPool>(layer.body).window, ifmap, layer.output_type.shape);
  if (layer.output_type.element != ElementType::kUint8 || !is_device_pool(window, Window{})) {
    return std::nullopt;
  }
  Qconv2d conv = identity(ifmap.at(1), per_tensor(ElementType::kUint8, 1, 0));
  conv.pool = window;
  return convolution_form("qconv2d_maxpool", conv, ifmap);
}

}  // namespace in_max_pool

LayerKind max_pool_kind() {
  using namespace in_max_pool;
  LayerKind kind{"maxpool", "pool",
                 true,      {{"dla.maxpool", on_integers("nn.max_pool2d", any(), "pool")}},
                 make,      "the accelerator takes max-pools of 2x2 and 3x3 at a stride of 1 to 3, of uint8"};
  kind.device_form = device_form;
  kind.host_loops = host_loops;
  return kind;
}

}  // namespace fovea
