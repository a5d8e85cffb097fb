// SPDX-License-Identifier: Apache-2.0
/// \file
/// Pictures as a network's input takes them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dataset.h"
#include "labels.h"

namespace fovea {

/// How a picture lies in an input: of one channel or of three, before or behind height and width.
struct PictureForm {
  std::uint32_t channels = 0;
  PictureSize size;
  bool are_channels_last = false;

  std::size_t plane() const { return std::size_t{size.height} * size.width; }
};

/// Of a shape without its batch: [H, W], [C, H, W] or [H, W, C] with C 1 or 3, the former where both fit. None where it
/// is no picture.
std::optional<PictureForm> picture_form(const std::vector<std::uint32_t>& shape);

/// How many numbers a picture of input.bin may have for an input of a shape without its batch: three planes or one, and
/// what the input takes where it is no picture.
std::vector<std::size_t> input_file_sizes(const std::vector<std::uint32_t>& shape);

/// The numbers of an input of a shape without its batch: planes of pixel/255 in its channels and layout, normalized. Of
/// three channels one becomes Rec. 601's grey, and one becomes three equal ones. Where the shape is no picture's, the
/// planes stay as they are. \param planes  [1, H, W] or [3, H, W] of the shape's height and width.
/// \throws UserError where the labels have a number for each of three channels and the input has one.
std::vector<float> picture_input(std::span<const float> planes, const std::vector<std::uint32_t>& shape,
                                 const Labels& labels);

}  // namespace fovea
