// SPDX-License-Identifier: Apache-2.0
/// \file
/// Convolutions and fully connected layers as shapes of commands.
#include "dla_work.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "layers/accumulation.h"
#include "layers/device_pool.h"
#include "spec/dla_output.h"

namespace fovea {
namespace {

std::uint32_t field(std::int64_t value) { return static_cast<std::uint32_t>(value); }

/// A window of 2 and a stride of 2 are what the fields are without being said.
void set_pool(const Window& pool, dla_shape& shape) {
  shape.pool = true;
  shape.pool_size = pool.kernel[0] == 2 ? 0 : field(pool.kernel[0]);
  shape.pool_stride = pool.strides[0] == 2 ? 0 : field(pool.strides[0]);
  shape.pool_top = field(pool.pads[0]);
  shape.pool_left = field(pool.pads[1]);
  shape.pool_bottom = field(pool.pads[2]);
  shape.pool_right = field(pool.pads[3]);
}

/// Groups of channels are one command.
/// \param ifmap  [1, C, H, W].
dla_shape shape_of(const Qconv2d& conv, const Shape& ifmap) {
  const Shape& filter = conv.sum.weight->type().shape;
  dla_shape shape{};
  shape.C = field(filter[1]);
  shape.H = field(ifmap[2]);
  shape.W = field(ifmap[3]);
  shape.M = field(filter[0] / conv.groups);
  shape.G = conv.groups == 1 ? 0 : field(conv.groups);
  shape.R = field(filter[2]);
  shape.S = field(filter[3]);
  shape.U = field(conv.window.strides[0]);
  shape.V = field(conv.window.strides[1]);
  const std::array<std::int64_t, 4> pads = conv.pool ? pads_under_pool(*conv.pool, conv.window) : conv.window.pads;
  shape.pad_top = field(pads[0]);
  shape.pad_left = field(pads[1]);
  shape.pad_bottom = field(pads[2]);
  shape.pad_right = field(pads[3]);
  if (conv.pool) {
    set_pool(*conv.pool, shape);
  }
  shape.residual = conv.residual.has_value();
  shape.scaled = !shift_of(conv.sum);
  shape.filter_scales = !scales_of(conv.sum).empty();
  shape.lookup = conv.sum.table != nullptr;
  shape.mean = conv.mean.has_value();
  return shape;
}

template <typename Numbers>
std::string joined(const Numbers& numbers) {
  std::string text;
  for (const std::int64_t number : numbers) {
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  }
  return "[" + text + "]";
}

/// Why no command has such a window, whatever the machine.
std::optional<std::string> refuse_window(const Window& w) {
  if (w.dilations != std::array<std::int64_t, 2>{1, 1}) {
    return "dilations are " + joined(w.dilations) + "; the accelerator takes [1, 1]";
  }
  if (w.strides[0] > DLA_SHAPE_U_MAX || w.strides[1] > DLA_SHAPE_V_MAX) {
    return "strides are " + joined(w.strides) + "; the accelerator takes 1 to " + std::to_string(DLA_SHAPE_U_MAX) +
           " down the rows and 1 to " + std::to_string(DLA_SHAPE_V_MAX) + " along them";
  }
  constexpr std::array<std::int64_t, 4> kMostPads{DLA_SHAPE_PAD_TOP_MAX, DLA_SHAPE_PAD_LEFT_MAX,
                                                  DLA_SHAPE_PAD_BOTTOM_MAX, DLA_SHAPE_PAD_RIGHT_MAX};
  if (!std::ranges::equal(w.pads, kMostPads, std::less_equal<>())) {
    return "pads are " + joined(w.pads) + "; the accelerator takes up to " + joined(kMostPads);
  }
  if (w.kernel[0] > DLA_SHAPE_R_MAX || w.kernel[1] > DLA_SHAPE_S_MAX) {
    return "the filter is " + std::to_string(w.kernel[0]) + "x" + std::to_string(w.kernel[1]) +
           "; the accelerator takes up to " + std::to_string(DLA_SHAPE_R_MAX) + "x" + std::to_string(DLA_SHAPE_S_MAX);
  }
  return std::nullopt;
}

/// A depthwise convolution with filters of one weight, 1: it changes nothing.
Qconv2d identity(std::int64_t channels, const Quantization& x) {
  auto weight = std::make_shared<Tensor>(TensorType{{channels, 1, 1, 1}, ElementType::kInt8});
  std::ranges::fill(weight->values<std::int8_t>(), std::int8_t{1});
  Qconv2d conv;
  conv.sum.weight = weight;
  conv.sum.bias = std::make_shared<Tensor>(TensorType{{channels}, ElementType::kInt32});
  conv.sum.x = conv.sum.y = x;
  conv.sum.w = per_tensor(ElementType::kInt8, 1, 0);
  conv.groups = channels;
  return conv;
}

/// A layer of the accelerator's own, or one that computes the same, and what it reads.
struct DlaConvolution {
  Qconv2d conv;
  Shape ifmap;            ///< [1, C, H, W].
  std::size_t place = 0;  ///< Of the ifmap among the layer's inputs.
};

/// A max-pool behind an identity, of uint8 with the zero point 0. Nothing where no command pools so.
std::optional<DlaConvolution> as_convolution(const Layer& layer, const MaxPool& pool) {
  const Shape& ifmap = layer.input_types.at(0).shape;
  const Window window = whole_windows(pool.window, ifmap, layer.output_type.shape);
  if (layer.output_type.element != ElementType::kUint8 || !is_device_pool(window, Window{})) {
    return std::nullopt;
  }
  Qconv2d conv = identity(ifmap.at(1), per_tensor(ElementType::kUint8, 1, 0));
  conv.pool = window;
  return DlaConvolution{conv, ifmap};
}

/// Of a number above 0: its bits from the first 1 to the last.
int significant_bits(float value) {
  int exponent = 0;
  const auto bits = static_cast<std::uint32_t>(std::ldexp(std::frexp(value, &exponent), 24));
  return 24 - std::countr_zero(bits);
}

/// Whether the mean of `count` dequantized values, added in float32, is always what `sum` makes of their sum.
bool is_mean(const AvgPool& pool, std::int64_t count, const Accumulation& sum) {
  const auto most = static_cast<std::int32_t>(255 * count);
  if (significant_bits(pool.x.scale()) + std::bit_width(static_cast<std::uint32_t>(most)) > 24) {
    return false;  // Sums are rounded.
  }
  const auto zero_point = static_cast<std::uint8_t>(pool.y.zero_point());
  for (const dla_rounding rounding : {kDlaFloor, kDlaNearestEven}) {
    dla_requantization by = requantizations_of(sum, rounding)[0];
    by.is_shift = by.is_shift && by.shift >= 0;
    for (std::int32_t value = -most; value <= most; ++value) {
      const float dequantized = pool.x.scale() * static_cast<float>(value);
      if (dla_apply_requantization(value, &by, false, zero_point) !=
          dla_average_u8(dequantized, static_cast<float>(count), pool.y.scale(), zero_point, rounding)) {
        return false;
      }
    }
  }
  return true;
}

/// A mean under a window, by weights of 1. Nothing where windows differ in what they count, or ONNX Runtime's float32
/// rounds otherwise.
std::optional<DlaConvolution> as_convolution(const Layer& layer, const AvgPool& pool) {
  const Shape& ifmap = layer.input_types.at(0).shape;
  const Window window = whole_windows(pool.window, ifmap, layer.output_type.shape);
  const std::int64_t count = window.kernel[0] * window.kernel[1], channels = ifmap.at(1);
  const bool is_padded = std::ranges::any_of(window.pads, [](std::int64_t pad) { return pad != 0; });
  if ((is_padded && !pool.count_include_pad) || refuse_window(window)) {
    return std::nullopt;
  }
  auto weight =
      std::make_shared<Tensor>(TensorType{{channels, 1, window.kernel[0], window.kernel[1]}, ElementType::kInt8});
  std::ranges::fill(weight->values<std::int8_t>(), std::int8_t{1});
  Qconv2d conv;
  conv.sum.weight = weight;
  conv.sum.bias = std::make_shared<Tensor>(TensorType{{channels}, ElementType::kInt32});
  conv.sum.x = pool.x;
  conv.sum.w = per_tensor(ElementType::kInt8, 1, 0);
  const float divisor = pool.y.scale() * static_cast<float>(count);
  conv.sum.y = per_tensor(ElementType::kUint8, divisor, pool.y.zero_point());
  conv.groups = channels;
  conv.window = window;
  const bool is_possible = dla_is_scale(divisor) && is_mean(pool, count, conv.sum);
  return is_possible ? std::optional(DlaConvolution{conv, ifmap}) : std::nullopt;
}

/// A tensor as [1, C, H, W]: rows and columns are its last two dimensions, or of two dimensions the last one.
Shape as_planes(const Shape& shape) {
  const std::size_t rank = shape.size();
  const std::int64_t columns = rank > 1 ? shape[rank - 1] : count_elements(shape);
  const std::int64_t rows = rank > 3 ? shape[rank - 2] : 1;
  return {1, count_elements(shape) / (rows * columns), rows, columns};
}

/// A sum of two activations: one of them behind an identity, the other as its residual. Nothing where one is
/// broadcast, constant or float32, both begin within a word, or the accelerator does not take the scales.
std::optional<DlaConvolution> as_convolution(const Layer& layer, const Qbinary& q) {
  const Shape& shape = layer.output_type.shape;
  const auto is_whole = [&](const Operand& operand) {
    return !operand.is_float() && operand.constant == nullptr && operand.shape == shape;
  };
  if (q.op != kDlaAdd || !is_whole(q.a) || !is_whole(q.b) || (q.a.is_slice && q.b.is_slice)) {
    return std::nullopt;
  }
  const std::size_t place = q.b.is_slice ? 1 : 0;
  const Operand &ifmap = place == 0 ? q.a : q.b, &other = place == 0 ? q.b : q.a;
  const Residual residual{other.quantization, q.y, place == 1, q.relu};
  const auto sum = addition_of(ifmap.quantization, residual, kDlaNearestEven);
  if (!sum || !dla_is_sum(sum->ra, sum->rb, sum->fx)) {
    return std::nullopt;
  }
  const Shape planes = as_planes(shape);
  Qconv2d conv = identity(planes[1], ifmap.quantization);
  conv.residual = residual;
  return DlaConvolution{conv, planes, place};
}

/// The layer as a convolution, its own or one that computes the same.
std::optional<DlaConvolution> convolution_of(const Layer& layer) {
  if (const auto* conv = std::get_if<Qconv2d>(&layer.body)) {
    return DlaConvolution{*conv, layer.input_types.at(0).shape};
  }
  if (const auto* binary = std::get_if<Qbinary>(&layer.body)) {
    return as_convolution(layer, *binary);
  }
  if (const auto* average = std::get_if<AvgPool>(&layer.body)) {
    return as_convolution(layer, *average);
  }
  const auto* pool = std::get_if<MaxPool>(&layer.body);
  return pool != nullptr ? as_convolution(layer, *pool) : std::nullopt;
}

LinearLayer linear_layer(const Accumulation& sum) {
  const Shape& filter = sum.weight->type().shape;
  return {field(filter.at(1)), field(filter.at(0)), !shift_of(sum), !scales_of(sum).empty(), 0, sum.table != nullptr};
}

/// Of each channel, as a group: [C, H W] to [C, 1].
LinearLayer linear_mean(const Layer& layer, const Accumulation& sum) {
  const Shape& x = layer.input_types.at(0).shape;
  return {field(x.at(2) * x.at(3)), 1, !shift_of(sum), false, field(x.at(1)), false, true};
}

/// A mean as the sum of products with 1, requantized by dla_derive_mean_scale()'s operations: weights of scale 1, and
/// an output scale of f32(sy * count).
/// \param filters  A filter a channel, or fewer, where several channels share one.
/// \param joined   Channels of a group: each filter has weights of 0 for the others.
Accumulation sum_of_mean(const Layer& layer, const GlobalAvgPool& pool, std::int64_t filters, std::int64_t joined) {
  const Shape& x = layer.input_types.at(0).shape;
  const std::int64_t plane = x.at(2) * x.at(3);
  Tensor ones({{filters, joined * plane}, ElementType::kInt8});
  for (std::int64_t m = 0; m < filters; ++m) {
    const auto own = ones.values<int8_t>().begin() + (m * joined + m % joined) * plane;
    std::fill(own, own + plane, int8_t{1});
  }
  Accumulation sum;
  sum.weight = std::make_shared<const Tensor>(std::move(ones));
  sum.bias = std::make_shared<const Tensor>(TensorType{{filters}, ElementType::kInt32});
  sum.x = pool.x;
  sum.w = per_tensor(ElementType::kInt8, 1, 0);
  const float count = static_cast<float>(plane);
  sum.y = per_tensor(ElementType::kUint8, pool.y.scale() * count, pool.y.zero_point());
  return sum;
}

/// Of each channel by a filter of its own.
Accumulation sum_of_mean(const Layer& layer, const GlobalAvgPool& pool) {
  return sum_of_mean(layer, pool, layer.input_types.at(0).shape.at(1), 1);
}

/// What the array adds up for a layer; nothing where it adds up nothing.
std::optional<Accumulation> find_sum(const Layer& layer) {
  if (const auto* pool = std::get_if<GlobalAvgPool>(&layer.body)) {
    return sum_of_mean(layer, *pool);
  }
  const Accumulation* sum = accumulation_of(layer);
  return sum == nullptr ? std::nullopt : std::optional<Accumulation>(*sum);
}

/// Values whose sum is at most 2^24, up to where a power of two shifts as float32 multiplies.
constexpr std::int64_t kMostMeanValues = (1 << 24) / 255;

std::optional<std::string> refuse_groups(std::int64_t groups) {
  return groups <= DLA_SHAPE_G_MAX
             ? std::nullopt
             : std::optional<std::string>(std::to_string(groups) + " groups; the accelerator takes up to " +
                                          std::to_string(DLA_SHAPE_G_MAX));
}

std::optional<std::string> refuse_mean(const Layer& layer, const GlobalAvgPool& pool) {
  const Shape& x = layer.input_types.at(0).shape;
  const std::int64_t values = x.at(2) * x.at(3);
  if (values > kMostMeanValues) {
    return "means of " + std::to_string(values) + " values; the accelerator takes up to " +
           std::to_string(kMostMeanValues);
  }
  if (!dla_is_scale(pool.y.scale() * static_cast<float>(values))) {
    return "its output's scale times the values of a plane is beyond float32";
  }
  return refuse_groups(x.at(1));
}

/// Why no command computes the layer, whatever the machine.
std::optional<std::string> refuse_fields(const Layer& layer) {
  if (const auto* pool = std::get_if<GlobalAvgPool>(&layer.body)) {
    return refuse_mean(layer, *pool);
  }
  const auto conv = convolution_of(layer);
  if (!conv) {
    return std::nullopt;
  }
  const auto reason = refuse_groups(conv->conv.groups);
  return reason ? reason : refuse_window(conv->conv.window);
}

}  // namespace

void MappingsAhead::add(const Layer& layer) {
  if (refuse_fields(layer)) {
    return;
  }
  if (const auto conv = convolution_of(layer)) {
    convolutions.push_back(shape_of(conv->conv, conv->ifmap));
  } else if (const auto* linear = std::get_if<Qlinear>(&layer.body)) {
    linears.push_back(linear_layer(linear->sum));
  } else if (const auto* pool = std::get_if<GlobalAvgPool>(&layer.body)) {
    linears.push_back(linear_mean(layer, sum_of_mean(layer, *pool)));
  }
}

std::optional<DlaWork> find_dla_work(const Layer& layer, Mapper& mapper) {
  if (const auto reason = refuse_fields(layer)) {
    return DlaWork{{}, {{}, {std::nullopt, *reason}}};
  }
  if (const auto found = convolution_of(layer)) {
    const Qconv2d& conv = found->conv;
    return DlaWork{conv.sum, mapper.choose(shape_of(conv, found->ifmap)), conv.residual, conv.mean, found->place};
  }
  const std::optional<Accumulation> sum = find_sum(layer);
  if (!sum) {
    return std::nullopt;
  }
  if (const auto* pool = std::get_if<GlobalAvgPool>(&layer.body)) {
    const ShapeChoice& choice = mapper.choose_linear(linear_mean(layer, *sum));
    return DlaWork{sum_of_mean(layer, *pool, dla_groups(&choice.shape) * choice.shape.M, choice.shape.M), choice};
  }
  return DlaWork{*sum, mapper.choose_linear(linear_layer(*sum))};
}

}  // namespace fovea
