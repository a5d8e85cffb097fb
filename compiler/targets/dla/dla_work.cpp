// SPDX-License-Identifier: Apache-2.0
/// \file
/// Convolutions and fully connected layers as shapes of commands.
#include "dla_work.h"

#include <algorithm>

#include "layers/accumulation.h"

namespace fovea {
namespace {

std::uint32_t field(std::int64_t value) { return static_cast<std::uint32_t>(value); }

/// Groups of channels are one command.
dla_shape shape_of(const Layer& layer, const Qconv2d& conv) {
  const Shape& ifmap = layer.input_types.at(0).shape;
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
  shape.pad_top = field(conv.window.pads[0]);
  shape.pad_left = field(conv.window.pads[1]);
  shape.pad_bottom = field(conv.window.pads[2]);
  shape.pad_right = field(conv.window.pads[3]);
  shape.pool = conv.pool;
  shape.scaled = !shift_of(conv.sum);
  shape.filter_scales = !scales_of(conv.sum).empty();
  return shape;
}

LinearLayer linear_layer(const Accumulation& sum) {
  const Shape& filter = sum.weight->type().shape;
  return {field(filter.at(1)), field(filter.at(0)), !shift_of(sum), !scales_of(sum).empty()};
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

/// Why no command computes the layer, whatever the machine.
std::optional<std::string> refuse_fields(const Layer& layer) {
  const auto* conv = std::get_if<Qconv2d>(&layer.body);
  if (conv != nullptr && conv->groups > DLA_SHAPE_G_MAX) {
    return std::to_string(conv->groups) + " groups; the accelerator takes up to " + std::to_string(DLA_SHAPE_G_MAX);
  }
  return conv == nullptr ? std::nullopt : refuse_window(conv->window);
}

}  // namespace

void MappingsAhead::add(const Layer& layer) {
  const Accumulation* sum = accumulation_of(layer);
  if (sum == nullptr || refuse_fields(layer)) {
    return;
  }
  if (const auto* conv = std::get_if<Qconv2d>(&layer.body)) {
    convolutions.push_back(shape_of(layer, *conv));
  } else if (const auto* linear = std::get_if<Qlinear>(&layer.body)) {
    linears.push_back(linear_layer(linear->sum));
  }
}

std::optional<DlaWork> find_dla_work(const Layer& layer, Mapper& mapper) {
  const Accumulation* sum = accumulation_of(layer);
  if (sum == nullptr) {
    return std::nullopt;
  }
  if (const auto reason = refuse_fields(layer)) {
    return DlaWork{sum, {{}, {std::nullopt, *reason}}};
  }
  if (const auto* conv = std::get_if<Qconv2d>(&layer.body)) {
    const dla_shape shape = shape_of(layer, *conv);
    return DlaWork{sum, {shape, mapper.choose(shape)}};
  }
  if (const auto* linear = std::get_if<Qlinear>(&layer.body)) {
    return DlaWork{sum, mapper.choose_linear(linear_layer(linear->sum))};
  }
  return std::nullopt;
}

}  // namespace fovea
