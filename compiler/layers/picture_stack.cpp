// SPDX-License-Identifier: Apache-2.0
/// \file
/// Tells stacks from other orders, and derives the shapes of commands that see them.
#include "picture_stack.h"

#include <algorithm>

#include "spec/dla_layer.h"

namespace fovea {
namespace {

/// Whether a map exchanges the two outer dimensions of [a, b, rest].
bool exchanges(const MapLoops& map, std::int64_t a, std::int64_t b, std::int64_t rest) {
  const auto is_loop = [](const MapLoop& loop, std::int64_t size, std::int64_t to_step, std::int64_t from_step) {
    return loop.table.empty() && loop.first == 0 && loop.last == size && loop.size == size && loop.to_step == to_step &&
           loop.from_step == from_step;
  };
  const auto has = [&](std::int64_t size, std::int64_t to_step, std::int64_t from_step) {
    return std::ranges::any_of(map.loops, [&](const MapLoop& l) { return is_loop(l, size, to_step, from_step); });
  };
  return map.start == 0 && map.loops.size() == (rest == 1 ? 2u : 3u) && has(a, rest, b * rest) &&
         has(b, a * rest, rest) && (rest == 1 || has(rest, 1, 1));
}

/// Whether a layer exchanges pictures and channels of its input, or by `is_back` makes its output of what is so.
bool exchanges(const Layer& layer, bool is_back) {
  const auto* rearrange = std::get_if<Rearrange>(&layer.body);
  if (rearrange == nullptr) {
    return false;
  }
  const TensorType &from = layer.input_types.at(0), &to = layer.output_type, &pictures = is_back ? to : from;
  const Shape& shape = pictures.shape;
  if (!is_batch(pictures) || shape[1] < 2 || count_elements(from.shape) != count_elements(to.shape)) {
    return false;
  }
  const std::int64_t N = shape[0], C = shape[1], plane = shape[2] * shape[3];
  return exchanges(rearrange->map, is_back ? C : N, is_back ? N : C, plane);
}

bool is_stacked(const Layer& layer, std::size_t input) {
  return input < layer.stacked_inputs.size() && layer.stacked_inputs[input];
}

}  // namespace

bool is_batch(const TensorType& type) {
  return type.element == ElementType::kUint8 && type.shape.size() == 4 && type.shape[0] > 1;
}

bool stacks_pictures(const Layer& layer) { return exchanges(layer, false); }

bool unstacks_pictures(const Layer& layer) { return exchanges(layer, true); }

bool may_be_stacked(const DeviceForm& form, const TensorType& type, bool is_output) {
  const auto N = static_cast<std::uint32_t>(type.shape.at(0)), rows = static_cast<std::uint32_t>(type.shape.at(2));
  if (!form.refusal.empty() || (form.pictures != 1 && (form.pictures != N || form.is_product))) {
    return false;
  }
  const bool is_mean = is_output && form.shape.mean;
  return form.pictures == 1 || (!is_mean && std::uint64_t{N} * rows <= DLA_SHAPE_IFMAP_PLANE_ROWS_MAX);
}

std::optional<std::uint32_t> stacked_rows(const DeviceForm& form) {
  const dla_shape& s = form.shape;
  const std::uint64_t rows = s.H * static_cast<std::uint64_t>(form.pictures);
  const bool is_padded = (s.pad_top | s.pad_bottom | s.pool_top | s.pool_bottom) != 0;
  if (form.pictures == 1 || form.is_product || s.mean || is_padded || s.R > s.H || rows > DLA_SHAPE_H_MAX ||
      dla_unpooled_rows(&s) < dla_pool_size(&s)) {
    return std::nullopt;
  }
  const std::uint32_t outputs = dla_pooled(&s, dla_unpooled_rows(&s));
  return outputs * dla_pool_stride(&s) * s.U == s.H ? std::optional(static_cast<std::uint32_t>(rows)) : std::nullopt;
}

dla_shape picture_shape(const Layer& layer, const DeviceForm& form) {
  dla_shape shape = form.shape;
  const auto N = static_cast<std::uint32_t>(form.pictures);
  if (N == 1) {
    return shape;
  }
  const auto rows = [&] { return N * static_cast<std::uint32_t>(layer.output_type.shape.at(2)); };
  shape.ifmap_plane_rows = is_stacked(layer, form.ifmap) ? N * shape.H : 0;
  shape.ofmap_plane_rows = layer.has_stacked_output ? rows() : 0;
  shape.residual_plane_rows = form.residual && is_stacked(layer, 1 - form.ifmap) ? rows() : 0;
  return shape;
}

std::optional<dla_shape> stacked_shape(const Layer& layer, const DeviceForm& form) {
  const bool are_stacked = layer.has_stacked_output && is_stacked(layer, form.ifmap) &&
                           (!form.residual || is_stacked(layer, 1 - form.ifmap));
  const auto rows = are_stacked ? stacked_rows(form) : std::nullopt;
  if (!rows) {
    return std::nullopt;
  }
  dla_shape shape = form.shape;
  shape.H = *rows;
  return shape;
}

}  // namespace fovea
