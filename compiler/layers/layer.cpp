// SPDX-License-Identifier: Apache-2.0
/// \file
/// What follows from a layer's fields.
#include "layer.h"

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "ir/graph.h"
#include "loops/count_macs.h"
#include "tensor/error.h"

namespace fovea {
namespace {

/// What a layer multiplies its input by: [M, C] or, moved by a window, [M, C / groups, R, S].
struct Filters {
  const Tensor* weight = nullptr;  ///< Null where it multiplies by none.
  const Window* window = nullptr;
};

Filters filters_of(const Layer& layer) {
  if (const auto* conv = std::get_if<Qconv2d>(&layer.body)) {
    return {conv->sum.weight.get(), &conv->window};
  }
  if (const auto* product = std::get_if<FloatProduct>(&layer.body)) {
    return {product->weight.get(), &product->window};
  }
  const auto* linear = std::get_if<Qlinear>(&layer.body);
  return {linear == nullptr ? nullptr : linear->sum.weight.get(), nullptr};
}

}  // namespace

bool Layer::is_view() const {
  const auto* concat = std::get_if<Qconcat>(&body);
  const auto* rearrange = std::get_if<Rearrange>(&body);
  return std::holds_alternative<View>(body) || (rearrange != nullptr && rearrange->in_place) ||
         (concat != nullptr && !concat->in_place.empty() && std::ranges::all_of(concat->in_place, std::identity()));
}

const Accumulation* accumulation_of(const Layer& layer) {
  if (const auto* conv = std::get_if<Qconv2d>(&layer.body)) {
    return &conv->sum;
  }
  const auto* linear = std::get_if<Qlinear>(&layer.body);
  return linear == nullptr ? nullptr : &linear->sum;
}

std::optional<dla_addition> addition_of(const Quantization& conv, const Residual& residual, dla_rounding rounding) {
  const Quantization& a = residual.is_first ? residual.x : conv;
  const Quantization& b = residual.is_first ? conv : residual.x;
  const auto zero_point = [](const Quantization& q) { return static_cast<uint8_t>(q.zero_point()); };
  dla_addition sum;
  const bool is_one = dla_derive_addition(a.scale(), zero_point(a), b.scale(), zero_point(b), residual.y.scale(),
                                          zero_point(residual.y), rounding, &sum);
  return is_one ? std::optional(sum) : std::nullopt;
}

std::uint64_t count_macs(const Layer& layer) {
  if (const auto* loops = std::get_if<LoopNest>(&layer.body)) {
    return count_macs(loops->nest);
  }
  if (const auto* product = std::get_if<Qmatmul>(&layer.body)) {
    return static_cast<std::uint64_t>(count_elements(layer.output_type.shape) * product->a.shape.back());
  }
  if (const auto* several = std::get_if<Several>(&layer.body)) {
    int64_t macs = 0;
    for (const Node& node : several->body->nodes()) {
      if (is_product(node)) {
        const Shape& shape = (*several->body)[node.inputs.at(1)].type.shape;
        macs += count_elements(node.type.shape) * (count_elements(shape) / shape.at(0));
      }
    }
    return static_cast<std::uint64_t>(macs);
  }
  const Filters filters = filters_of(layer);
  if (filters.weight == nullptr) {
    return 0;
  }
  const Shape& shape = filters.weight->type().shape;
  int64_t positions = layer.input_types.at(0).shape.at(0);  // At which all filters are applied.
  for (int axis = 0; shape.size() == 4 && axis < 2; ++axis) {
    const int64_t size = layer.input_types.at(0).shape.at(static_cast<std::size_t>(axis) + 2);
    positions *= window_steps(Node(), *filters.window, axis, size, false);
  }
  return static_cast<std::uint64_t>(positions * count_elements(shape));
}

std::vector<dla_requantization> requantizations_of(const Accumulation& sum, dla_rounding rounding) {
  std::vector<dla_requantization> all;
  for (const float weight_scale : sum.w.scales) {
    internal_check(dla_derive_requantization(sum.x.scale(), weight_scale, sum.y.scale(), sum.rounding_in(rounding),
                                             &all.emplace_back()),
                   "the scales of a layer are positive numbers");
  }
  return all;
}

std::optional<uint32_t> shift_of(const Accumulation& sum) {
  const std::vector<dla_requantization> all = requantizations_of(sum, kDlaNearestEven);
  const bool is_one = std::all_of(all.begin(), all.end(), [&](const dla_requantization& other) {
    return other.is_shift && other.shift >= 0 && other.shift == all[0].shift;
  });
  return is_one ? std::optional<uint32_t>(static_cast<uint32_t>(all[0].shift)) : std::nullopt;
}

std::shared_ptr<const Tensor> rescaling_table(const Quantization& x, const Quantization& y, bool relu,
                                              dla_rounding rounding) {
  auto table = std::make_shared<Tensor>(TensorType{{1, 256}, ElementType::kUint8});
  const auto zx = static_cast<uint8_t>(x.zero_point()), zy = static_cast<uint8_t>(y.zero_point());
  for (int i = 0; i < 256; ++i) {
    const uint8_t byte = dla_change_scale(static_cast<uint8_t>(i), x.scale(), zx, y.scale(), zy, rounding);
    table->set_integer(i, relu ? std::max(byte, zy) : byte);
  }
  return table;
}

bool is_shift(const Quantization& integers) {
  return is_power_of_two(integers.scale()) && std::abs(scale_log2(integers.scale())) <= 126;
}

bool are_powers_of_two(const std::vector<Quantization>& all) {
  return std::all_of(all.begin(), all.end(), [](const Quantization& one) { return is_power_of_two(one.scale()); });
}

}  // namespace fovea
