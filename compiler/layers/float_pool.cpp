// SPDX-License-Identifier: Apache-2.0
/// \file
/// Max-pools and averages of float32 values, which nothing quantizes.
#include "float_end.h"
#include "ir/operator.h"

namespace fovea {
namespace {

Fusion fusion(const char* op_name, const char* composite) {
  return {composite, op(op_name, {any()}).as("pool").where(is_float32("pool"))};
}

LayerBody make(const Match& match, std::vector<NodeId>& inputs) {
  const Node& pool = match["pool"];
  inputs = {pool.inputs[0]};
  if (is_call(pool, "nn.global_avg_pool2d")) {
    const Shape& x = match.graph()[pool.inputs[0]].type.shape;
    FloatPool all;
    all.window.kernel = {x.at(2), x.at(3)};
    all.is_mean = true;
    return all;
  }
  const std::vector<int64_t> kernel = ints_attribute(pool, "kernel", {});
  return FloatPool{read_window(pool, {kernel.at(0), kernel.at(1)}), int_attribute(pool, "ceil_mode", 0) != 0,
                   is_call(pool, "nn.avg_pool2d"), int_attribute(pool, "count_include_pad", 0) != 0};
}

CallText host_call(const Layer& layer, const Places& places) {
  const auto& pool = std::get<FloatPool>(layer.body);
  return {"dla_float_pool_cpu",
          "dla_float_pool_cpu",
          {name_field(layer), x_y_fields(layer, places),
           chw_fields(layer.input_types[0]) + ", .is_mean = " + c_bool(pool.is_mean) +
               ", .ceil_mode = " + c_bool(pool.ceil_mode) + ", .count_include_pad = " + c_bool(pool.count_include_pad),
           window_field(pool.window)}};
}

}  // namespace

LayerKind float_pool_kind() {
  return {"float_pool",
          "pool",
          true,
          {fusion("nn.max_pool2d", "cpu.float_pool_max"), fusion("nn.avg_pool2d", "cpu.float_pool_mean"),
           fusion("nn.global_avg_pool2d", "cpu.float_pool_global_mean")},
          make,
          kFloatIsTheCpus,
          host_call};
}

}  // namespace fovea
