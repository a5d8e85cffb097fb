// SPDX-License-Identifier: Apache-2.0
/// \file
/// Multiplies and adds as the formula says, tap by tap.
#include "accumulator.h"

#include <algorithm>
#include <span>

#include "receptive_field.h"
#include "side.h"

namespace fovea {
namespace {

/// What a layer multiplies with; null where it does not multiply.
struct Product {
  const Tensor* weight = nullptr;
  const Tensor* bias = nullptr;
  double zero_point = 0;  ///< Of the input.
  Window window;
  int64_t groups = 1;
};

Product product_of(const Layer& layer) {
  if (const auto* conv = std::get_if<Qconv2d>(&layer.body)) {
    return {conv->sum.weight.get(), conv->sum.bias.get(), static_cast<double>(conv->sum.x.zero_point()), conv->window,
            conv->groups};
  }
  if (const auto* linear = std::get_if<Qlinear>(&layer.body)) {
    return {linear->sum.weight.get(), linear->sum.bias.get(), static_cast<double>(linear->sum.x.zero_point()), {}, 1};
  }
  if (const auto* product = std::get_if<FloatProduct>(&layer.body)) {
    return {product->weight.get(), product->bias.get(), 0, product->window, product->groups};
  }
  return {};
}

/// Which filter makes an output's element: the second index, of picture and filter.
std::size_t filter_of(const Layer& layer, std::size_t place) {
  return static_cast<std::size_t>(indices_of(place, layer.output_type.shape).at(1));
}

/// bias[m] + sum((x - zx) * w) of a row of inputs.
double dense_sum(const Product& p, const Tensor& x, std::size_t m, std::size_t row) {
  const auto inputs = static_cast<std::size_t>(p.weight->type().shape.at(1));
  double sum = p.bias->at(m);
  for (std::size_t i = 0; i < inputs; ++i) {
    sum += (x.at(row * inputs + i) - p.zero_point) * p.weight->at(m * inputs + i);
  }
  return sum;
}

/// The same of picture n under the window at output row e and column f. Padding adds nothing.
double window_sum(const Product& p, const Tensor& x, int64_t n, std::size_t m, int64_t e, int64_t f) {
  const Shape& filter = p.weight->type().shape;                              // [M, C / groups, R, S]
  const std::span<const int64_t> shape = std::span(x.type().shape).last(3);  // [C, H, W]
  const int64_t first_channel = n * shape[0] + static_cast<int64_t>(m) / (filter[0] / p.groups) * filter[1];
  double sum = p.bias->at(m);
  for (int64_t c = 0; c < filter[1]; ++c) {
    for (int64_t r = 0; r < filter[2]; ++r) {
      const int64_t h = e * p.window.strides[0] - p.window.pads[0] + r * p.window.dilations[0];
      for (int64_t s = 0; s < filter[3]; ++s) {
        const int64_t w = f * p.window.strides[1] - p.window.pads[1] + s * p.window.dilations[1];
        if (h >= 0 && h < shape[1] && w >= 0 && w < shape[2]) {
          const int64_t from = ((first_channel + c) * shape[1] + h) * shape[2] + w;
          const int64_t tap = ((static_cast<int64_t>(m) * filter[1] + c) * filter[2] + r) * filter[3] + s;
          sum += (x.at(static_cast<std::size_t>(from)) - p.zero_point) * p.weight->at(static_cast<std::size_t>(tap));
        }
      }
    }
  }
  return sum;
}

/// Rows (axis 0) or columns (axis 1) of the convolution whose outputs the element is made of.
Interval places_of(const Layer& layer, const Window& window, std::size_t axis, int64_t at) {
  const int64_t size = layer.input_types.at(0).shape.at(axis + 2);
  const int64_t count = window_steps(Node(), window, static_cast<int>(axis), size, false);
  const auto* conv = std::get_if<Qconv2d>(&layer.body);
  if (conv != nullptr && conv->mean) {
    return {0, count - 1};
  }
  if (conv == nullptr || !conv->pool) {
    return {at, at};
  }
  const int64_t first = at * conv->pool->strides[axis] - conv->pool->pads[axis];
  return {std::max<int64_t>(first, 0), std::min(first + conv->pool->kernel[axis], count) - 1};
}

bool is_same(const Tensor* a, const Tensor* b, std::size_t m) {
  if (a == nullptr || b == nullptr || a->type() != b->type()) {
    return a == b;
  }
  const std::size_t row = a->bytes().size() / static_cast<std::size_t>(a->type().shape.at(0));
  return std::ranges::equal(a->bytes().subspan(m * row, row), b->bytes().subspan(m * row, row));
}

bool is_same(const std::shared_ptr<const Tensor>& a, const std::shared_ptr<const Tensor>& b) {
  return a == b || (a && b && *a == *b);
}

/// Of two layers that accumulate.
void add_quantizations(const Accumulation& a, const Accumulation& b, std::vector<std::string>& names) {
  const auto add = [&](bool is_equal, const char* name) {
    if (!is_equal) {
      names.emplace_back(name);
    }
  };
  add(a.x.scales == b.x.scales, "scale of the input");
  add(a.x.zero_points == b.x.zero_points, "zero point of the input");
  add(a.w.scales == b.w.scales, "scales of the weights");
  add(a.y.scales == b.y.scales, "scale of the output");
  add(a.y.zero_points == b.y.zero_points, "zero point of the output");
  add(a.relu == b.relu && a.lowest == b.lowest && a.highest == b.highest, "bounds of the output");
  add(is_same(a.table, b.table), "table of the output");
}

}  // namespace

std::vector<double> accumulators_at(const Layer& layer, const Tensor& x, std::size_t place) {
  const Product product = product_of(layer);
  if (product.weight == nullptr) {
    return {};
  }
  const std::size_t m = filter_of(layer, place);
  if (product.weight->type().shape.size() == 2) {
    return {dense_sum(product, x, m, place / static_cast<std::size_t>(product.weight->type().shape[0]))};
  }
  const Shape at = indices_of(place, layer.output_type.shape);
  const Interval rows = places_of(layer, product.window, 0, at.at(2));
  const Interval columns = places_of(layer, product.window, 1, at.at(3));
  std::vector<double> sums;
  for (int64_t e = rows.low; e <= rows.high; ++e) {
    for (int64_t f = columns.low; f <= columns.high; ++f) {
      sums.push_back(window_sum(product, x, at[0], m, e, f));
    }
  }
  return sums;
}

double accumulator_step(const Layer& layer, std::size_t place) {
  const Accumulation* sum = accumulation_of(layer);
  if (sum == nullptr) {
    return 1;
  }
  const std::vector<float>& scales = sum->w.scales;
  return sum->x.scale() * (scales.size() == 1 ? scales[0] : scales.at(filter_of(layer, place)));
}

std::optional<uint8_t> requantized(const Layer& layer, const std::vector<double>& accumulators, std::size_t place,
                                   std::optional<uint8_t> residual, dla_rounding rounding) {
  const Accumulation* sum = accumulation_of(layer);
  const auto* conv = std::get_if<Qconv2d>(&layer.body);
  if (sum == nullptr || accumulators.empty() || (conv != nullptr && (conv->mean || (conv->residual && !residual)))) {
    return std::nullopt;
  }
  const std::vector<dla_requantization> all = requantizations_of(*sum, rounding);
  const dla_requantization& by = all.size() == 1 ? all[0] : all.at(filter_of(layer, place));
  const auto largest = static_cast<int32_t>(*std::ranges::max_element(accumulators));
  uint8_t byte = dla_apply_requantization(largest, &by, sum->relu, static_cast<uint8_t>(sum->y.zero_point()));
  byte = std::clamp(byte, sum->lowest, sum->highest);
  if (sum->table != nullptr) {
    byte = sum->table->values<uint8_t>()[byte];
  }
  if (conv == nullptr || !conv->residual) {
    return byte;
  }
  const auto by_sum = addition_of(sum->table != nullptr ? sum->z : sum->y, *conv->residual, rounding);
  if (!by_sum) {
    return std::nullopt;
  }
  const bool is_first = conv->residual->is_first;
  const auto lowest = static_cast<uint8_t>(conv->residual->relu ? conv->residual->y.zero_point() : 0);
  return dla_add_u8(is_first ? *residual : byte, is_first ? byte : *residual, &*by_sum, lowest);
}

std::vector<std::string> settings_that_differ(const Layer& a, const Layer& b, std::size_t place) {
  std::vector<std::string> names;
  const Product x = product_of(a), y = product_of(b);
  if (x.weight == nullptr || y.weight == nullptr || x.weight->type().element != y.weight->type().element) {
    return names;
  }
  if (x.weight->type() != y.weight->type()) {
    return {"shape of the weights"};
  }
  const std::size_t m = filter_of(a, place);
  if (!is_same(x.weight, y.weight, m)) {
    names.push_back("weights of filter " + std::to_string(m));
  }
  if (!is_same(x.bias, y.bias, m)) {
    names.push_back("bias " + std::to_string(m));
  }
  if (x.window.pads != y.window.pads) {
    names.emplace_back("pads");
  }
  if (x.window.strides != y.window.strides || x.window.dilations != y.window.dilations || x.groups != y.groups) {
    names.emplace_back("strides, dilations or groups");
  }
  const Accumulation *p = accumulation_of(a), *q = accumulation_of(b);
  if (p != nullptr && q != nullptr) {
    add_quantizations(*p, *q, names);
  }
  return names;
}

}  // namespace fovea
