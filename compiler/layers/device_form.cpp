// SPDX-License-Identifier: Apache-2.0
/// \file
/// Layers as shapes of commands.
#include "device_form.h"

#include <algorithm>

#include "accumulation.h"
#include "device_pool.h"
#include "spec/dla_layer.h"

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

/// What the flags say of how sums become outputs.
void set_flags(const Accumulation& sum, dla_shape& shape) {
  shape.scaled = !shift_of(sum);
  shape.filter_scales = !scales_of(sum).empty();
  shape.lookup = sum.table != nullptr;
}

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
  set_flags(conv.sum, shape);
  shape.residual = conv.residual.has_value();
  shape.mean = conv.mean.has_value();
  return shape;
}

template <typename Numbers>
std::string listed(const Numbers& numbers) {
  std::string text;
  for (const std::int64_t number : numbers) {
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  }
  return "[" + text + "]";
}

}  // namespace

std::optional<std::string> refuse_groups(std::int64_t groups) {
  return groups <= DLA_SHAPE_G_MAX
             ? std::nullopt
             : std::optional<std::string>(std::to_string(groups) + " groups; the accelerator takes up to " +
                                          std::to_string(DLA_SHAPE_G_MAX));
}

std::optional<std::string> refuse_window(const Window& w) {
  if (w.dilations != std::array<std::int64_t, 2>{1, 1}) {
    return "dilations are " + listed(w.dilations) + "; the accelerator takes [1, 1]";
  }
  if (w.strides[0] > DLA_SHAPE_U_MAX || w.strides[1] > DLA_SHAPE_V_MAX) {
    return "strides are " + listed(w.strides) + "; the accelerator takes 1 to " + std::to_string(DLA_SHAPE_U_MAX) +
           " down the rows and 1 to " + std::to_string(DLA_SHAPE_V_MAX) + " along them";
  }
  if (!std::ranges::equal(w.pads, kMostPads, std::less_equal<>())) {
    return "pads are " + listed(w.pads) + "; the accelerator takes up to " + listed(kMostPads);
  }
  if (w.kernel[0] > DLA_SHAPE_R_MAX || w.kernel[1] > DLA_SHAPE_S_MAX) {
    return "the filter is " + std::to_string(w.kernel[0]) + "x" + std::to_string(w.kernel[1]) +
           "; the accelerator takes up to " + std::to_string(DLA_SHAPE_R_MAX) + "x" + std::to_string(DLA_SHAPE_S_MAX);
  }
  return std::nullopt;
}

DeviceForm convolution_form(std::string operation, const Qconv2d& conv, const Shape& ifmap) {
  auto refusal = refuse_groups(conv.groups);
  if (!refusal) {
    refusal = refuse_window(conv.window);
  }
  if (refusal) {
    return {*refusal};
  }
  return {.operation = std::move(operation),
          .sum = conv.sum,
          .shape = shape_of(conv, ifmap),
          .residual = conv.residual,
          .mean = conv.mean,
          .pictures = ifmap[0]};
}

DeviceForm product_form(std::string operation, const Accumulation& sum, std::int64_t groups) {
  const Shape& filter = sum.weight->type().shape;
  DeviceForm form{.operation = std::move(operation), .sum = sum, .is_product = true};
  form.shape.C = field(filter.at(1));
  form.shape.M = field(filter.at(0) / std::max<std::int64_t>(groups, 1));
  form.shape.G = field(groups);
  set_flags(sum, form.shape);
  return form;
}

Accumulation sum_of_ones(const Shape& weight, const Quantization& x, const Quantization& y) {
  auto ones = std::make_shared<Tensor>(TensorType{weight, ElementType::kInt8});
  std::ranges::fill(ones->values<std::int8_t>(), std::int8_t{1});
  Accumulation sum;
  sum.weight = ones;
  sum.bias = std::make_shared<Tensor>(TensorType{{weight[0]}, ElementType::kInt32});
  sum.x = x;
  sum.w = per_tensor(ElementType::kInt8, 1, 0);
  sum.y = y;
  return sum;
}

Qconv2d identity(std::int64_t channels, const Quantization& x) {
  return {.sum = sum_of_ones({channels, 1, 1, 1}, x, x), .window = {}, .groups = channels, .pool = std::nullopt};
}

Accumulation joined_sum(const DeviceForm& form, const dla_shape& shape) {
  if (!form.is_alike) {
    return form.sum;
  }
  const std::int64_t inputs = form.shape.C, joined = shape.M, filters = dla_groups(&shape) * joined;
  Tensor weight({{filters, joined * inputs}, ElementType::kInt8});
  const auto own = form.sum.weight->values<std::int8_t>().first(static_cast<std::size_t>(inputs));
  for (std::int64_t m = 0; m < filters; ++m) {
    std::ranges::copy(own, weight.values<std::int8_t>().begin() + (m * joined + m % joined) * inputs);
  }
  Accumulation sum = form.sum;
  sum.weight = std::make_shared<const Tensor>(std::move(weight));
  sum.bias = std::make_shared<const Tensor>(TensorType{{filters}, ElementType::kInt32});
  return sum;
}

}  // namespace fovea
