// SPDX-License-Identifier: Apache-2.0
/// \file
/// PGM and PPM: a header of numbers and comments, then samples, as bytes or as text.
#include <algorithm>
#include <cctype>
#include <vector>

#include "picture_builder.h"

namespace fovea {
namespace {

/// Of any number in such a file.
constexpr std::uint64_t kMostNumber = UINT32_MAX;
constexpr std::uint32_t kMostSample = 65535;

class PnmReader {
 public:
  PnmReader(std::FILE& file, PictureBuilder& builder) : file_(file), builder_(builder) {}

  void read() {
    std::fgetc(&file_);  // P
    const int kind = std::fgetc(&file_);
    is_text_ = kind == '2' || kind == '3';
    is_grey_ = kind == '2' || kind == '5';
    const std::uint64_t width = read_number("its width"), height = read_number("its height");
    const std::uint64_t most = read_number("its largest sample");
    if (most == 0 || most > kMostSample) {
      builder_.refuse("its largest sample is " + std::to_string(most) + "; 1 to " + std::to_string(kMostSample) +
                      " is possible");
    }
    if (!is_text_ && !std::isspace(std::fgetc(&file_))) {
      builder_.refuse("a space is missing before its samples");
    }
    builder_.begin(width, height, static_cast<std::uint32_t>(most));
    sample_bytes_ = most < 256 ? 1 : 2;
    std::vector<std::uint16_t> row(3 * width);
    for (std::uint64_t y = 0; y < height; ++y) {
      for (std::uint64_t x = 0; x < width; ++x) {
        for (std::uint64_t c = 0; c < 3; ++c) {
          row[3 * x + c] = is_grey_ && c != 0 ? row[3 * x] : read_sample(y);
        }
      }
      builder_.add_row(row);
    }
  }

 private:
  /// The next character; a comment reads as the end of its line.
  int next_of_header() {
    int c = std::fgetc(&file_);
    if (c == '#') {
      while (c != '\n' && c != '\r' && c != EOF) {
        c = std::fgetc(&file_);
      }
    }
    return c;
  }

  std::uint64_t read_number(const std::string& what) {
    int c = next_of_header();
    while (std::isspace(c)) {
      c = next_of_header();
    }
    if (!std::isdigit(c)) {
      builder_.refuse(what + " is missing");
    }
    std::uint64_t number = 0;
    for (; std::isdigit(c); c = next_of_header()) {
      number = 10 * number + static_cast<std::uint64_t>(c - '0');
      if (number > kMostNumber) {
        builder_.refuse(what + " is too large");
      }
    }
    std::ungetc(c, &file_);
    return number;
  }

  std::uint16_t read_sample(std::uint64_t row) {
    if (is_text_) {
      const std::uint64_t sample = read_number("a sample of row " + std::to_string(row));
      return static_cast<std::uint16_t>(std::min<std::uint64_t>(sample, UINT16_MAX));
    }
    int sample = std::fgetc(&file_);
    if (sample_bytes_ == 2 && sample != EOF) {
      const int low = std::fgetc(&file_);
      sample = low == EOF ? EOF : sample << 8 | low;
    }
    if (sample == EOF) {
      builder_.refuse("it ends in row " + std::to_string(row));
    }
    return static_cast<std::uint16_t>(sample);
  }

  std::FILE& file_;
  PictureBuilder& builder_;
  bool is_text_ = false, is_grey_ = false;
  int sample_bytes_ = 1;
};

}  // namespace

Picture read_pnm(std::FILE& file, PictureBuilder builder) {
  PnmReader(file, builder).read();
  return builder.take();
}

}  // namespace fovea
