// SPDX-License-Identifier: Apache-2.0
/// \file
/// One function a kind of layer; each fills in the fields of its runtime struct.
#include "emit_call.h"

#include <sstream>

#include "c_text.h"
#include "ir/error.h"

namespace fovea {
namespace {

std::string arena(const NetworkPlan& plan, const TensorPlace& place, std::uint64_t skip = 0) {
  internal_check(place.memory == Memory::kArena, "a layer that works in the arena reads or writes host memory");
  const std::string name = "ARENA(" + plan.buffers[place.buffer].name + ")";
  return skip == 0 ? name : name + " + " + std::to_string(skip);
}

std::string ifmap_ofmap(const NetworkPlan& plan, const LayerPlan& layer, const DeviceCall* call = nullptr) {
  return ".ifmap = " + arena(plan, layer.input, call ? call->ifmap_skip : 0) +
         ", .ofmap = " + arena(plan, layer.output, call ? call->ofmap_skip : 0);
}

std::string quant_field(const Layer& layer, dla_rounding rounding) {
  std::ostringstream out;
  out << ".quant = {.shift = " << layer.shift << ", .rounding = " << c_rounding(rounding)
      << ", .relu = " << c_bool(layer.relu) << ", .ifmap_zero_point = " << +layer.input_quant.zero_point
      << ", .ofmap_zero_point = " << +layer.output_quant.zero_point << "}";
  return out.str();
}

std::string window_field(const Window& window) {
  return ".window = {.kernel = " + c_list(window.kernel) + ", .strides = " + c_list(window.strides) +
         ", .dilations = " + c_list(window.dilations) + ", .pads = " + c_list(window.pads) + "}";
}

std::string shape_field(const TensorType& type) {
  const auto shape = shape_without_batch(type);
  return ".rank = " + std::to_string(shape.size()) + ", .shape = " + c_list(shape);
}

/// ".C = 3, .H = 32, .W = 32" of an activation [1, C, H, W].
std::string chw_fields(const TensorType& type) {
  const auto shape = shape_without_batch(type);
  internal_check(shape.size() == 3, "a convolution or pool reads a tensor that is not [C, H, W]");
  return ".C = " + std::to_string(shape[0]) + ", .H = " + std::to_string(shape[1]) +
         ", .W = " + std::to_string(shape[2]);
}

std::string conv_shape_field(const dla_shape& s) {
  std::ostringstream out;
  out << ".shape = {.C = " << s.C << ", .H = " << s.H << ", .W = " << s.W << ", .M = " << s.M << ", .R = " << s.R
      << ", .S = " << s.S << ", .U = " << s.U << ", .PAD = " << s.PAD << ", .pool = " << c_bool(s.pool) << "}";
  return out.str();
}

std::string mapping_field(const dla_mapping& m) {
  internal_check(m.order == kDlaLoopOrderRowsFiltersChannels, "a loop order without a name in C");
  std::ostringstream out;
  out << ".mapping = {.m = " << m.m << ", .n = " << m.n << ", .e = " << m.e << ", .p = " << m.p << ", .q = " << m.q
      << ", .r = " << m.r << ", .t = " << m.t << ", .e_glb = " << m.e_glb
      << ", .ifmap_resident = " << c_bool(m.ifmap_resident)
      << ",\n                  .filter_buffers = " << m.filter_buffers
      << ", .order = kDlaLoopOrderRowsFiltersChannels}";
  return out.str();
}

std::string glb_field(const dla_glb_plan& glb) {
  std::ostringstream out;
  out << std::hex << std::showbase << ".glb = {";
  const std::pair<const char*, const dla_region&> regions[] = {
      {".ifmap", glb.ifmap}, {", .filter", glb.filter}, {", .psum", glb.psum}, {", .out", glb.out}};
  for (const auto& [name, region] : regions) {
    out << name << " = {" << region.base_bytes << ", " << region.size_bytes << "}";
  }
  return out.str() + "}";
}

std::string emit_device_layer(const NetworkPlan& plan, const LayerPlan& layer, dla_rounding rounding) {
  std::string text;
  for (const DeviceCall& call : layer.device_calls) {
    text += call_text(
        "dla_" + layer.layer->composite, "dla_qconv2d",
        {".name = " + c_string(call.name), ifmap_ofmap(plan, layer, &call) + ", .filter = WEIGHT(" + call.filter + ")",
         conv_shape_field(call.shape), mapping_field(call.plan.mapping), glb_field(call.plan.glb),
         quant_field(*layer.layer, rounding),
         ".predicted_cycles = " + std::to_string(std::min<std::uint64_t>(call.plan.cost.cycles, UINT32_MAX))});
  }
  return text;
}

std::string constants_fields(const LayerPlan& layer) {
  return ".filter = WEIGHT(" + layer.filter + "), .bias = WEIGHT(" + layer.bias + ")";
}

std::string emit_host_conv(const NetworkPlan& plan, const LayerPlan& layer, dla_rounding rounding) {
  const Layer& l = *layer.layer;
  const std::string function = l.composite == "qconv2d" ? "qconv2d_plain" : l.composite;
  const TensorType& ifmap = plan.network->tensors[l.input].type;
  return call_text("dla_" + function + "_cpu", "dla_qconv2d_cpu",
                   {".name = " + c_string(l.name), ifmap_ofmap(plan, layer) + ", " + constants_fields(layer),
                    chw_fields(ifmap) + ", .M = " + std::to_string(l.weight->type().shape[0]) +
                        ", .groups = " + std::to_string(l.groups),
                    window_field(l.window), quant_field(l, rounding)});
}

std::string emit_host_linear(const NetworkPlan& plan, const LayerPlan& layer, dla_rounding rounding) {
  const Layer& l = *layer.layer;
  const Shape& filter = l.weight->type().shape;
  return call_text(
      "dla_" + l.composite + "_cpu", "dla_qlinear_cpu",
      {".name = " + c_string(l.name), ifmap_ofmap(plan, layer) + ", " + constants_fields(layer),
       ".C = " + std::to_string(filter.at(1)) + ", .M = " + std::to_string(filter.at(0)), quant_field(l, rounding)});
}

std::string emit_max_pool(const NetworkPlan& plan, const LayerPlan& layer, dla_rounding) {
  const Layer& l = *layer.layer;
  return call_text("dla_maxpool_cpu", "dla_maxpool_cpu",
                   {".name = " + c_string(l.name), ifmap_ofmap(plan, layer),
                    chw_fields(plan.network->tensors[l.input].type) + ", .ceil_mode = " + c_bool(l.ceil_mode),
                    window_field(l.window)});
}

std::string emit_requantize(const NetworkPlan& plan, const LayerPlan& layer, dla_rounding rounding) {
  const Layer& l = *layer.layer;
  return call_text(
      "dla_requantize_cpu", "dla_requantize_cpu",
      {".name = " + c_string(l.name), ifmap_ofmap(plan, layer), shape_field(plan.network->tensors[l.output].type),
       ".shift = " + std::to_string(l.shift) + ", .relu = " + c_bool(l.relu) + ", .rounding = " + c_rounding(rounding) +
           ", .ifmap_zero_point = " + std::to_string(l.input_quant.zero_point) +
           ", .ofmap_zero_point = " + std::to_string(l.output_quant.zero_point)});
}

/// A float tensor may be the network's own input or output; `_host` fields name that memory.
std::string float_field(const NetworkPlan& plan, const std::string& field, const TensorPlace& place) {
  switch (place.memory) {
    case Memory::kHostInput:
      return "." + field + "_host = input";
    case Memory::kHostOutput:
      return "." + field + "_host = output";
    case Memory::kArena:
      break;
  }
  return "." + field + " = " + arena(plan, place);
}

std::string emit_float_boundary(const NetworkPlan& plan, const LayerPlan& layer, dla_rounding rounding) {
  const Layer& l = *layer.layer;
  const Quantization& quant = l.kind == LayerKind::kQuantize ? l.output_quant : l.input_quant;
  return call_text("dla_" + l.composite + "_cpu", "dla_quantize",
                   {".name = " + c_string(l.name),
                    float_field(plan, "input", layer.input) + ", " + float_field(plan, "output", layer.output),
                    shape_field(plan.network->tensors[l.output].type),
                    ".scale_log2 = " + std::to_string(quant.scale_log2) + ", .zero_point = " +
                        std::to_string(quant.zero_point) + ", .rounding = " + c_rounding(rounding)});
}

std::string emit_view(const NetworkPlan&, const LayerPlan&, dla_rounding) { return ""; }

/// What a layer becomes on the host.
struct KindRow {
  LayerKind kind;
  std::string (*emit)(const NetworkPlan&, const LayerPlan&, dla_rounding);
};

constexpr KindRow kKinds[] = {
    {LayerKind::kQuantize, emit_float_boundary},
    {LayerKind::kDequantize, emit_float_boundary},
    {LayerKind::kQconv2d, emit_host_conv},
    {LayerKind::kQlinear, emit_host_linear},
    {LayerKind::kMaxPool, emit_max_pool},
    {LayerKind::kRequantize, emit_requantize},
    {LayerKind::kFlatten, emit_view},
};

std::string layer_comment(const NetworkPlan& plan, const LayerPlan& layer) {
  const Layer& l = *layer.layer;
  std::string text = "\n  /* " + l.name + " = " + l.composite + ":  " +
                     describe_tensor(plan.network->tensors[l.input].type) + " -> " +
                     describe_tensor(plan.network->tensors[l.output].type);
  if (layer.is_view()) {
    text += ", the same bytes";
  }
  if (!l.onnx_name.empty()) {
    text += "\n     ONNX: " + c_comment(l.onnx_name);
  }
  if (!l.reason.empty()) {
    text += "\n     On the CPU: " + c_comment(l.reason);
  }
  return text + " */\n";
}

}  // namespace

std::string emit_layer(const NetworkPlan& plan, const LayerPlan& layer, dla_rounding rounding) {
  if (!layer.device_calls.empty()) {
    return layer_comment(plan, layer) + emit_device_layer(plan, layer, rounding);
  }
  for (const KindRow& row : kKinds) {
    if (row.kind == layer.layer->kind) {
      return layer_comment(plan, layer) + row.emit(plan, layer, rounding);
    }
  }
  internal_check(false, layer.layer->name + ": a kind of layer without C");
  return "";
}

}  // namespace fovea
