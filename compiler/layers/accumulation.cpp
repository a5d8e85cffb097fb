// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads weights, biases and scales off a match, and checks the numbers in them.
#include "accumulation.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "command/command_text.h"
#include "host_fields.h"
#include "ir/text_number.h"
#include "on_integers.h"
#include "ops/operator.h"
#include "tensor/error.h"

namespace fovea {
namespace {

/// Biases are added along the channels.
bool is_a_bias_a_filter(const Match& match) { return int_attribute(match["bias"], "axis", 1) == 1; }

/// `integer`, not 0, from one scale to another; nothing where that is no integer, or beyond int32.
std::optional<int64_t> convert_exactly(int64_t integer, float from, float to) {
  // The scales as mantissas of 24 bits, an odd one to divide by, and powers of two. 55 bits are enough.
  int from_exponent = 0, to_exponent = 0;
  const int64_t value = integer * static_cast<int64_t>(std::ldexp(std::frexp(from, &from_exponent), 24));
  auto divisor = static_cast<int64_t>(std::ldexp(std::frexp(to, &to_exponent), 24));
  for (; divisor % 2 == 0; divisor /= 2) {
    ++to_exponent;
  }
  int shift = from_exponent - to_exponent;
  int64_t steps = value / divisor;
  for (; shift < 0 && steps % 2 == 0; ++shift) {
    steps /= 2;
  }
  for (; shift > 0 && std::abs(steps) <= INT32_MAX; --shift) {
    steps *= 2;
  }
  return value % divisor == 0 && shift == 0 ? std::optional<int64_t>(steps) : std::nullopt;
}

/// A float32 bias in steps of the products' scale, as ONNX Runtime quantizes it: INT32_MIN where that is no int32, as
/// of a dead filter whose scale is tiny.
int32_t round_to_steps(float value, float scale) {
  const float steps = value == 0 ? 0 : std::nearbyint(value / scale);
  return std::abs(steps) < 2147483648.0F ? static_cast<int32_t>(steps) : INT32_MIN;
}

/// An integer one, of the scale `from`; nothing where that is no int32.
std::optional<int32_t> convert_to_steps(int64_t value, float from, float scale) {
  const bool is_kept = value == 0 || from == scale;
  const std::optional<int64_t> steps = is_kept               ? std::optional<int64_t>(value)
                                       : dla_is_scale(scale) ? convert_exactly(value, from, scale)
                                                             : std::nullopt;
  const bool is_int32 = steps && *steps >= INT32_MIN && *steps <= INT32_MAX;
  return is_int32 ? std::optional<int32_t>(static_cast<int32_t>(*steps)) : std::nullopt;
}

float product_scale(const Quantization& x, const Quantization& w, std::size_t filter) {
  return x.scale() * w.scales[filter % w.scales.size()];
}

/// A bias in the file, less its zero point, and its scale.
struct GivenBias {
  int64_t value;
  float scale;
};

GivenBias bias_of_filter(const Tensor& biases, const Quantization& b, std::size_t filter) {
  const std::size_t place = filter % b.scales.size();
  return {biases.integer_at(filter) - b.zero_points[place], b.scales[place]};
}

/// Biases at the scale of the products, f32(sx * sw), as which they are added: float32 ones rounded; int32 ones as they
/// are, where all their scales are near enough to it; other integers converted where that is exact. All zeros where
/// there is no bias.
std::shared_ptr<const Tensor> read_bias(const Match& match, const Accumulation& sum) {
  auto biases = std::make_shared<Tensor>(TensorType{{sum.weight->type().shape[0]}, ElementType::kInt32});
  if (!match.has("bias")) {
    return biases;
  }
  const auto values = biases->values<int32_t>();
  if (!match.has("b")) {
    const auto given = match["float b"].constant->values<float>();
    for (std::size_t m = 0; m < values.size(); ++m) {
      values[m] = round_to_steps(given[m], product_scale(sum.x, sum.w, m));
    }
    return biases;
  }
  const Node& node = match["b"];
  const Quantization b = read_parameter(match.graph(), node, "biases");
  if (b.element == ElementType::kInt32) {
    // ONNX Runtime adds such a bias as the integer that it is, whatever its zero point.
    const auto other = std::ranges::find_if(b.zero_points, [](int64_t zero_point) { return zero_point != 0; });
    check_call(other == b.zero_points.end(), node,
               "the zero point " + (other == b.zero_points.end() ? "" : std::to_string(*other)) +
                   " of int32 biases is not supported; quantize them symmetrically, with zero point 0");
  }
  const auto given = constant_value(match.graph(), node.inputs[0]);
  bool are_steps = b.element == ElementType::kInt32;
  for (std::size_t m = 0; m < values.size(); ++m) {
    are_steps = are_steps && is_scale_of_products(bias_of_filter(*given, b, m).scale, product_scale(sum.x, sum.w, m));
  }
  for (std::size_t m = 0; m < values.size(); ++m) {
    const GivenBias bias = bias_of_filter(*given, b, m);
    const float scale = product_scale(sum.x, sum.w, m);
    const std::optional<int32_t> steps = convert_to_steps(bias.value, are_steps ? scale : bias.scale, scale);
    if (!steps) {
      user_error(call_name(node) + ": the bias of filter " + std::to_string(m) + ", " + std::to_string(bias.value) +
                 " at the scale " + number(bias.scale) + ", is no int32 at the scale " + number(scale) +
                 "; biases at input scale times weight scale work, or --exact-to ort");
    }
    values[m] = *steps;
  }
  return biases;
}

/// Of a dequantize, equal scales as one; nothing where its parameters are computed from the network's input.
std::optional<Quantization> find_quantization(const Graph& graph, const Node& node) {
  if (!is_call(node, "qnn.dequantize") || !has_constant_quantization(graph, node)) {
    return std::nullopt;
  }
  const Quantization q = read_quantization(graph, node);
  return q.is_per_tensor() ? per_tensor(q.element, q.scale(), q.zero_point()) : q;
}

/// The requantization must be one: input scale * weight scale / output scale a number.
void check_scales(const Node& call, const Accumulation& sum) {
  for (const float weight_scale : sum.w.scales) {
    dla_requantization unused;
    if (!dla_derive_requantization(sum.x.scale(), weight_scale, sum.y.scale(), kDlaNearestEven, &unused)) {
      user_error(call_name(call) + ": its scales are too far apart: " + number(sum.x.scale()) + " * " +
                 number(weight_scale) + " / " + number(sum.y.scale()) +
                 " (input * weight / output) must be below 3.4e38, and input * weight too");
    }
  }
}

struct Bounds {
  uint8_t lowest, highest;
};

/// What function_behind() keeps its values within; nothing where it is another function.
std::optional<Bounds> read_bounds(const Match& match) {
  const auto table = tabulate(match.graph(), match.place_of("y of f"), match.place_of("f of y"));
  const auto values = table->values<uint8_t>();
  const Bounds bounds{values[0], values[255]};
  for (std::size_t x = 0; x < values.size(); ++x) {
    if (bounds.lowest > bounds.highest ||
        values[x] != std::clamp(static_cast<uint8_t>(x), bounds.lowest, bounds.highest)) {
      return std::nullopt;
    }
  }
  return bounds;
}

}  // namespace

std::optional<std::string> why_float(const Graph& graph, const Node& product, const Node* bias) {
  const auto x = find_quantization(graph, graph[product.inputs[0]]);
  const Node& weights = graph[product.inputs[1]];
  const auto w = find_quantization(graph, weights);
  if (!x || !w) {
    return std::nullopt;
  }
  if (w->element != ElementType::kInt8 || std::ranges::any_of(w->zero_points, [](int64_t zero) { return zero != 0; })) {
    return "its weights less their zero points are beyond int8, which makes this float32";
  }
  if (!is_per_filter(*w, weights.type.shape.size())) {
    return "its weights have a scale for each index of axis " + std::to_string(w->axis) +
           ", which makes this float32; one scale, or one a filter, works";
  }
  const Node* biases = bias == nullptr ? nullptr : &graph[bias->inputs[1]];
  const auto b = biases == nullptr ? std::nullopt : find_quantization(graph, *biases);
  if (!b || b->element == ElementType::kInt32) {
    return std::nullopt;
  }
  const auto given = constant_value(graph, biases->inputs[0]);
  for (std::size_t m = 0; m < static_cast<std::size_t>(given->type().shape.at(0)); ++m) {
    const auto [value, scale] = bias_of_filter(*given, *b, m);
    if (!convert_to_steps(value, scale, product_scale(*x, *w, m))) {
      return "its biases are " + std::string(to_text(b->element)) +
             " and no integers at input scale times weight scale, which makes this float32";
    }
  }
  return std::nullopt;
}

Pattern accumulate(const std::string& name, bool relu) {
  const auto is_integer = [name](const Match& match) { return !why_float(match.graph(), match[name], nullptr); };
  const auto has_integer_bias = [name](const Match& match) {
    return is_a_bias_a_filter(match) && !why_float(match.graph(), match[name], &match["bias"]);
  };
  const Pattern product = op(name, {activation("x"), parameter("w")}).as(name).where(is_integer);
  const Pattern bias = either({parameter("b"), constant().as("float b")});
  const Pattern biased = op("nn.bias_add", {product, bias}).as("bias").where(has_integer_bias);
  const Pattern sum = either({biased, product});
  return relu ? op("nn.relu", {sum}).as("relu") : sum;
}

Pattern accumulate(const std::string& name) { return either({accumulate(name, true), accumulate(name, false)}); }

Pattern quantized(const Pattern& sum) {
  const auto is_by_one = [](const Match& match) { return read_quantization(match.graph(), match["y"]).scale() == 1; };
  const Pattern down = op("qnn.quantize", {op("floor", {sum}).as("floor")}).as("y").where(is_by_one);
  return either({op("qnn.quantize", {sum}).as("y"), down});
}

Pattern bounded(const Pattern& y) {
  return function_behind(y).where([](const Match& match) { return read_bounds(match).has_value(); });
}

Pattern looked_up(const Pattern& y) {
  return function_behind(y).where([](const Match& match) { return !read_bounds(match); });
}

bool keeps_order(const Match& match) {
  const auto table = tabulate(match.graph(), match.place_of("y of f"), match.place_of("f of y"));
  return std::ranges::is_sorted(table->values<uint8_t>());
}

Accumulation read_accumulation(const Match& match, const Node& call) {
  const Graph& graph = match.graph();
  Accumulation sum;
  sum.x = read_activation(graph, match["x"]);
  sum.w = read_parameter(graph, match["w"], "weights");
  sum.weight = constant_value(graph, match["w"].inputs[0]);
  sum.bias = read_bias(match, sum);
  sum.relu = match.has("relu");
  sum.rounds_down = match.has("floor");
  sum.y = read_activation(graph, match["y"]);
  check_scales(call, sum);
  const bool has_function = match.has("f of y");
  if (const auto read = has_function ? read_bounds(match) : std::nullopt) {
    const Bounds bounds = *read;
    const auto least = static_cast<uint8_t>(sum.relu ? sum.y.zero_point() : 0);
    sum.relu = false;
    sum.lowest = std::clamp(least, bounds.lowest, bounds.highest);
    sum.highest = bounds.highest;
  } else if (has_function) {
    sum.table = tabulate(graph, match.place_of("y of f"), match.place_of("f of y"));
    sum.z = read_activation(graph, match["f of y"]);
  }
  return sum;
}

std::string suffix_of(const Accumulation& sum, bool pool) {
  return std::string(sum.relu ? "_relu" : "") + (pool ? "_maxpool" : "");
}

namespace {

void add_residual(const Quantization& conv, const Residual& residual, dla_quant& quant) {
  const auto sum = addition_of(conv, residual, quant.rounding);
  internal_check(sum.has_value(), "the scales of a residual are near each other");
  quant.residual_first = residual.is_first;
  quant.conv_scale = residual.is_first ? sum->rb : sum->ra;
  quant.residual_scale = residual.is_first ? sum->ra : sum->rb;
  quant.sum_offset = sum->fx;
  quant.sum_lowest = static_cast<uint8_t>(residual.relu ? residual.y.zero_point() : 0);
}

}  // namespace

std::string quant_field(const Accumulation& sum, dla_rounding rounding, const Residual* residual,
                        const ChannelMean* mean) {
  dla_quant quant{};
  if (const auto shift = shift_of(sum)) {
    quant.shift = *shift;
  } else {
    // One that has vanished makes every output the zero point, as the smallest does. Several are in the filter stream.
    const float scale = std::max(requantizations_of(sum, kDlaNearestEven)[0].scale, FLT_MIN);
    quant.scale = scales_of(sum).empty() ? scale : 0;
  }
  quant.rounding = sum.rounding_in(rounding);
  quant.lowest = std::max(sum.lowest, static_cast<uint8_t>(sum.relu ? sum.y.zero_point() : 0));
  quant.headroom = static_cast<uint8_t>(255 - sum.highest);
  quant.ifmap_zero_point = static_cast<uint8_t>(sum.x.zero_point());
  quant.ofmap_zero_point = static_cast<uint8_t>(sum.y.zero_point());
  if (residual != nullptr) {
    add_residual(sum.y, *residual, quant);
  }
  if (mean != nullptr) {
    const bool is_one = dla_derive_mean_scale(sum.y.scale(), mean->y.scale(), mean->count, &quant.conv_scale);
    internal_check(is_one, "a mean's scale is one");
    quant.mean_zero_point = static_cast<uint8_t>(mean->y.zero_point());
  }
  return c_initializer(quant);
}

void add_scaling_field(const Layer& layer, const Accumulation& sum, CallText& call) {
  if (!shift_of(sum)) {
    call.fields.push_back(scales_of(sum).empty()
                              ? ".scaling = kDlaByScale"
                              : ".scaling = kDlaByScales, .scales = WEIGHT(" + layer.name + "_scale)");
  }
}

bool has_biases(const Accumulation& sum) {
  return std::ranges::any_of(sum.bias->values<int32_t>(), [](int32_t bias) { return bias != 0; });
}

std::optional<CallText> lookup_tail(const Layer& layer, const Accumulation& sum, const Places& places) {
  if (sum.table == nullptr) {
    return std::nullopt;
  }
  // In place: where the accumulation left its bytes.
  CallText call = lookup_call(layer, places, 1, count_elements(layer.output_type.shape));
  call.fields.at(1) = ".ifmap = " + places.arena(layer.output) + ", .ofmap = " + places.arena(layer.output);
  return call;
}

bool is_rescaled(const Accumulation& sum) {
  return sum.table != nullptr &&
         std::ranges::equal(sum.table->values<uint8_t>(), rescaling_table(sum.y, sum.z, false)->values<uint8_t>());
}

OnnxCall onnx_rescaling(const Accumulation& sum) {
  OnnxCall call("com.microsoft.QLinearConcat");
  return call.quantized(sum.z).reads_result().quantized(sum.y).set("axis", int64_t{1});
}

NodeId onnx_end_of(const Accumulation& sum, const Graph& body) {
  if (sum.table == nullptr || is_rescaled(sum)) {
    return body.outputs().at(0);
  }
  NodeId end = 0;
  while (!is_call(body[end], "qnn.quantize")) {
    ++end;
  }
  return end;
}

/// Bounds and tables are rounded already.
bool accumulates_at_shifts(const Layer& layer) {
  const Accumulation& sum = *accumulation_of(layer);
  return (sum.rounds_down || (shift_of(sum).has_value() && !sum.is_bounded())) && sum.table == nullptr;
}

std::vector<float> scales_of(const Accumulation& sum) {
  std::vector<float> scales;
  if (sum.w.scales.size() > 1 && !shift_of(sum)) {
    for (const dla_requantization& filter : requantizations_of(sum, kDlaNearestEven)) {
      scales.push_back(filter.scale);
    }
  }
  return scales;
}

std::vector<HostConstant> constants_of(const Accumulation& sum) {
  std::vector<HostConstant> constants{{"filter", sum.weight}, {"bias", sum.bias}};
  if (const std::vector<float> scales = scales_of(sum); !scales.empty()) {
    constants.push_back(
        {"scale", std::make_shared<const Tensor>(Tensor::of({static_cast<int64_t>(scales.size())}, scales))});
  }
  if (sum.table != nullptr) {
    constants.push_back({"table", sum.table});
  }
  return constants;
}

}  // namespace fovea
