// SPDX-License-Identifier: Apache-2.0
/// \file
/// Channels first, then their numbers, then their order.
#include "picture_input.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "tensor/error.h"

namespace fovea {
namespace {

bool is_channels(std::uint32_t size) { return size == 1 || size == 3; }

/// In double, so that three equal channels give the same again.
std::vector<float> to_grey(std::span<const float> planes, std::size_t plane) {
  std::vector<float> grey(plane);
  for (std::size_t i = 0; i < plane; ++i) {
    grey[i] = static_cast<float>(0.299 * planes[i] + 0.587 * planes[plane + i] + 0.114 * planes[2 * plane + i]);
  }
  return grey;
}

std::vector<float> to_three(std::span<const float> plane) {
  std::vector<float> planes;
  for (int channel = 0; channel < 3; ++channel) {
    planes.insert(planes.end(), plane.begin(), plane.end());
  }
  return planes;
}

bool are_equal(const Channels& numbers) { return numbers[0] == numbers[1] && numbers[0] == numbers[2]; }

std::vector<float> in_form(std::span<const float> planes, const PictureForm& form, const Labels& labels) {
  const std::size_t plane = form.plane();
  internal_check(planes.size() == plane || planes.size() == 3 * plane, "one or three planes of the input's size");
  if (form.channels == 1 && !(are_equal(labels.mean) && are_equal(labels.deviation))) {
    user_error("mean and std have a number for each of three channels; the network's input has one channel");
  }
  std::vector<float> numbers(planes.begin(), planes.end());
  if (planes.size() != form.channels * plane) {
    numbers = form.channels == 1 ? to_grey(planes, plane) : to_three(planes);
  }
  numbers = normalize(numbers, form.channels, labels);
  if (!form.are_channels_last) {
    return numbers;
  }
  std::vector<float> turned(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    turned[i % plane * form.channels + i / plane] = numbers[i];
  }
  return turned;
}

}  // namespace

std::optional<PictureForm> picture_form(const std::vector<std::uint32_t>& shape) {
  if (shape.size() == 2) {
    return PictureForm{1, {shape[0], shape[1]}, false};
  }
  if (shape.size() == 3 && is_channels(shape[0])) {
    return PictureForm{shape[0], {shape[1], shape[2]}, false};
  }
  if (shape.size() == 3 && is_channels(shape[2])) {
    return PictureForm{shape[2], {shape[0], shape[1]}, true};
  }
  return std::nullopt;
}

std::vector<std::size_t> input_file_sizes(const std::vector<std::uint32_t>& shape) {
  if (const std::optional<PictureForm> form = picture_form(shape)) {
    return {3 * form->plane(), form->plane()};
  }
  return {std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>())};
}

std::vector<float> picture_input(std::span<const float> planes, const std::vector<std::uint32_t>& shape,
                                 const Labels& labels) {
  const std::optional<PictureForm> form = picture_form(shape);
  return form ? in_form(planes, *form, labels) : std::vector<float>(planes.begin(), planes.end());
}

}  // namespace fovea
