// SPDX-License-Identifier: Apache-2.0
/// \file
/// Rows of RGB become planes of numbers from 0 to 1.
#include "picture_builder.h"

#include <algorithm>

#include "tensor/error.h"

namespace fovea {
namespace {

constexpr std::uint64_t kPixelBytes = 3 * sizeof(float);

/// A JPEG file can say no more.
constexpr std::uint64_t kMostSide = 65535;

}  // namespace

void PictureBuilder::refuse(const std::string& reason) const {
  user_error(place_ + ": not a picture that can be read (" + reason + "); png, jpg, ppm and pgm work");
}

void PictureBuilder::begin(std::uint64_t width, std::uint64_t height, std::uint32_t most,
                           std::uint64_t reader_pixel_bytes) {
  const std::string is = "it is " + std::to_string(width) + " pixels wide and " + std::to_string(height) + " high; ";
  if (std::min(width, height) == 0 || std::max(width, height) > kMostSide) {
    refuse(is + "1 to " + std::to_string(kMostSide) + " is possible");
  }
  if (const std::uint64_t most_pixels = kMostPictureBytes / (kPixelBytes + reader_pixel_bytes);
      width * height > most_pixels) {
    refuse(is + std::to_string(kMostPictureBytes >> 20) + " MB hold " + std::to_string(most_pixels) +
           " pixels of this kind");
  }
  most_ = most;
  picture_.size = {static_cast<std::uint32_t>(height), static_cast<std::uint32_t>(width)};
  picture_.planes.resize(3 * height * width);
}

void PictureBuilder::add_row(std::span<const std::uint16_t> samples) {
  const auto [height, width] = picture_.size;
  if (*std::max_element(samples.begin(), samples.end()) > most_) {
    refuse("a sample of row " + std::to_string(row_) + " is larger than " + std::to_string(most_) +
           ", which it says is the largest");
  }
  for (std::size_t c = 0; c < 3; ++c) {
    float* plane = picture_.planes.data() + (c * height + row_) * width;
    for (std::size_t x = 0; x < width; ++x) {
      plane[x] = static_cast<float>(samples[3 * x + c]) / static_cast<float>(most_);
    }
  }
  ++row_;
}

}  // namespace fovea
