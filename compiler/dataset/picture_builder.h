// SPDX-License-Identifier: Apache-2.0
/// \file
/// What readers of picture files have in common: they hand over a picture's rows, which become planes.
#pragma once

#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <utility>

#include "dataset.h"

namespace fovea {

/// Memory that one picture may take while it is read, its planes and what its reader keeps.
inline constexpr std::uint64_t kMostPictureBytes = 256u << 20;

/// Makes a picture of rows of RGB samples.
class PictureBuilder {
 public:
  /// \param place  The file's name, which messages begin with.
  explicit PictureBuilder(std::string place) : place_(std::move(place)) {}

  /// \param most                Of a sample, which stands for 1.
  /// \param reader_pixel_bytes  That the reader keeps of each pixel until the end.
  /// \throws UserError where there is no pixel, or so many that they take more than kMostPictureBytes.
  void begin(std::uint64_t width, std::uint64_t height, std::uint32_t most, std::uint64_t reader_pixel_bytes = 0);

  /// The next row, [W, 3]. \throws UserError where a sample is larger than `most`.
  void add_row(std::span<const std::uint16_t> samples);

  /// What the planes leave of kMostPictureBytes.
  std::uint64_t bytes_left() const { return kMostPictureBytes - picture_.planes.size() * sizeof(float); }

  /// Says that this is no picture, as the reader found. \throws UserError
  [[noreturn]] void refuse(const std::string& reason) const;

  /// \pre all rows were added.
  Picture take() { return std::move(picture_); }

 private:
  std::string place_;
  Picture picture_;
  std::uint32_t most_ = 0, row_ = 0;
};

// The readers, each of a file from its begin on. \throws UserError by PictureBuilder::refuse().

/// PNG of any depth, palette or interlace: alpha and gamma are dropped.
Picture read_png(std::FILE& file, PictureBuilder builder);

/// JPEG of one or three components. What is cut off or damaged is refused, not guessed.
Picture read_jpeg(std::FILE& file, PictureBuilder builder);

/// The first picture of a PGM or PPM file, plain or raw, as netpbm's pgm(5) and ppm(5) have them.
Picture read_pnm(std::FILE& file, PictureBuilder builder);

}  // namespace fovea
