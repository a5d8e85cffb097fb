// SPDX-License-Identifier: Apache-2.0
/// \file
/// Coordinates, nearest places and weights of Resize.
#include "resize_taps.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace fovea {
namespace {

/// Where index `i` of the result lies in x.
float original_coordinate(const OnnxNode& node, const std::string& mode, const ResizedAxis& axis, int64_t i) {
  const auto x = static_cast<float>(i), from = static_cast<float>(axis.from), to = static_cast<float>(axis.to);
  if (mode == "asymmetric") {
    return x / axis.scale;
  }
  if (mode == "half_pixel" || mode == "pytorch_half_pixel") {
    return mode == "half_pixel" || axis.to > 1 ? (x + 0.5F) / axis.scale - 0.5F : 0;
  }
  if (mode == "tf_half_pixel_for_nn") {
    return (x + 0.5F) / axis.scale;
  }
  if (mode == "align_corners") {
    return axis.to == 1 ? 0 : x * (from - 1) / (to - 1);
  }
  if (mode == "half_pixel_symmetric") {
    const float offset = from / 2 * (1 - to / (axis.scale * from));
    return static_cast<float>(double{offset} + (double{x} + 0.5) / double{axis.scale} - 0.5);
  }
  node.check(mode == "tf_crop_and_resize", "coordinate_transformation_mode=" + mode +
                                               " is not supported; asymmetric, half_pixel, half_pixel_symmetric, "
                                               "pytorch_half_pixel, align_corners, tf_half_pixel_for_nn and "
                                               "tf_crop_and_resize are");
  return axis.to > 1 ? axis.roi_start * (from - 1) + x * (axis.roi_end - axis.roi_start) * (from - 1) / (to - 1)
                     : static_cast<float>(0.5 * double{axis.roi_start + axis.roi_end} * double{from - 1});
}

/// The place that `x` is nearest to; what is less than 1e-6 from the middle of two is a tie.
int64_t nearest_place(const OnnxNode& node, const std::string& mode, float x, bool is_smaller) {
  if (mode == "simple") {
    return static_cast<int64_t>(is_smaller ? std::ceil(x) : std::trunc(x));
  }
  if (mode == "round_prefer_floor" || mode == "round_prefer_ceil") {
    const bool is_tie = std::abs(x - std::floor(x) - 0.5F) < 1e-6F;
    const float at_tie = mode == "round_prefer_floor" ? std::floor(x) : std::ceil(x);
    return static_cast<int64_t>(is_tie ? at_tie : std::round(x));
  }
  node.check(mode == "floor" || mode == "ceil",
             "nearest_mode=" + mode + " is not supported; floor, ceil, round_prefer_floor and round_prefer_ceil are");
  return static_cast<int64_t>(mode == "floor" ? std::floor(x) : std::ceil(x));
}

/// Whether tf_crop_and_resize leaves x there.
bool is_outside(const ResizeRule& rule, const ResizedAxis& axis, float x) {
  return rule.coordinates == "tf_crop_and_resize" && (x < 0 || x > static_cast<float>(axis.from - 1));
}

struct Tap {
  int64_t place;
  float weight;
};

/// The two elements around x; at the end the last one twice, half and half.
std::vector<Tap> linear_taps(const ResizedAxis& axis, float x) {
  x = std::clamp(x, 0.0F, static_cast<float>(axis.from - 1));
  const auto low = static_cast<int64_t>(x);
  const float part = low == axis.from - 1 ? 0.5F : x - static_cast<float>(low);
  return {{low, 1 - part}, {std::min(low + 1, axis.from - 1), part}};
}

/// The four elements around x, by Keys' kernel (IEEE Transactions on Acoustics, Speech, and Signal Processing, 1981).
std::vector<Tap> cubic_taps(const ResizeRule& rule, const ResizedAxis& axis, float x) {
  const float a = rule.cubic_coeff_a, part = x - std::floor(x);
  const auto near = [a](float t) { return ((a + 2) * t - (a + 3)) * t * t + 1; };
  const auto far = [a](float t) { return ((a * t - 5 * a) * t + 8 * a) * t - 4 * a; };
  const std::array<float, 4> weights{far(part + 1), near(part), near(1 - part), far(2 - part)};
  std::vector<Tap> taps;
  float sum = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const int64_t place = static_cast<int64_t>(std::floor(x)) + static_cast<int64_t>(k) - 1;
    const int64_t inside = std::clamp<int64_t>(place, 0, axis.from - 1);
    taps.push_back({inside, rule.excludes_outside && place != inside ? 0 : weights[k]});
    sum += taps.back().weight;
  }
  for (Tap& tap : taps) {
    tap.weight = rule.excludes_outside ? tap.weight / sum : tap.weight;
  }
  return taps;
}

}  // namespace

std::vector<int64_t> nearest_places(const OnnxNode& node, const ResizeRule& rule, const ResizedAxis& axis) {
  std::vector<int64_t> places;
  for (int64_t i = 0; i < axis.to; ++i) {
    if (axis.scale == 1) {
      places.push_back(i);
      continue;
    }
    const float x = original_coordinate(node, rule.coordinates, axis, i);
    places.push_back(is_outside(rule, axis, x)
                         ? axis.from
                         : std::clamp<int64_t>(nearest_place(node, rule.nearest, x, axis.scale < 1), 0, axis.from - 1));
  }
  return places;
}

ResizeTaps interpolating_taps(const OnnxNode& node, const ResizeRule& rule, const ResizedAxis& axis) {
  ResizeTaps all;
  all.count = rule.mode == "linear" ? 2 : 4;
  all.places.resize(static_cast<std::size_t>(all.count * axis.to));
  all.weights.resize(all.places.size());
  for (int64_t i = 0; i < axis.to; ++i) {
    const float x = axis.scale == 1 ? static_cast<float>(i) : original_coordinate(node, rule.coordinates, axis, i);
    const std::vector<Tap> taps = is_outside(rule, axis, x) ? std::vector<Tap>{{axis.from, 1}}
                                  : rule.mode == "linear"   ? linear_taps(axis, x)
                                                            : cubic_taps(rule, axis, x);
    for (std::size_t k = 0; k < taps.size(); ++k) {
      all.places[k * static_cast<std::size_t>(axis.to) + static_cast<std::size_t>(i)] =
          static_cast<int32_t>(taps[k].place);
      all.weights[k * static_cast<std::size_t>(axis.to) + static_cast<std::size_t>(i)] = taps[k].weight;
    }
  }
  return all;
}

}  // namespace fovea
