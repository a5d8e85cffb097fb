// SPDX-License-Identifier: Apache-2.0
/// \file
/// PNG through libpng. Its errors are jumps, over functions that own nothing.
#include <png.h>

#include <csetjmp>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "picture_builder.h"

namespace fovea {
namespace {

class PngFile {
 public:
  explicit PngFile(std::FILE& file) : file_(file) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, &PngFile::fail, [](png_structp, png_const_charp) {});
    info_ = png_ == nullptr ? nullptr : png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      throw std::bad_alloc();
    }
  }
  PngFile(const PngFile&) = delete;
  PngFile& operator=(const PngFile&) = delete;
  ~PngFile() { png_destroy_read_struct(&png_, &info_, nullptr); }

  /// Up to the first row; rows are RGB of 8 or 16 bits from here on. \return false where it failed.
  bool read_header() {
    return try_step([](PngFile& png) {
      png_init_io(png.png_, &png.file_);
      png_read_info(png.png_, png.info_);
      png_set_palette_to_rgb(png.png_);
      png_set_expand_gray_1_2_4_to_8(png.png_);
      png_set_gray_to_rgb(png.png_);
      png_set_strip_alpha(png.png_);
      png_set_interlace_handling(png.png_);
      png_read_update_info(png.png_, png.info_);
    });
  }

  bool read_rows(std::vector<png_bytep>& rows) {
    rows_ = rows.data();
    return try_step([](PngFile& png) { png_read_image(png.png_, png.rows_); });
  }

  bool read_row(png_bytep row) {
    row_ = row;
    return try_step([](PngFile& png) { png_read_row(png.png_, png.row_, nullptr); });
  }

  bool read_end() {
    return try_step([](PngFile& png) { png_read_end(png.png_, nullptr); });
  }

  std::uint32_t width() const { return png_get_image_width(png_, info_); }
  std::uint32_t height() const { return png_get_image_height(png_, info_); }
  bool has_16_bits() const { return png_get_bit_depth(png_, info_) == 16; }
  bool is_interlaced() const { return png_get_interlace_type(png_, info_) != PNG_INTERLACE_NONE; }
  std::size_t row_bytes() const { return png_get_rowbytes(png_, info_); }
  const std::string& error() const { return error_; }

 private:
  /// \param step  Has nothing to destroy: it may be left by a jump.
  bool try_step(void (*step)(PngFile&)) {
    if (setjmp(png_jmpbuf(png_)) != 0) {
      return false;
    }
    step(*this);
    return true;
  }

  [[noreturn]] static void fail(png_structp png, png_const_charp message) {
    static_cast<PngFile*>(png_get_error_ptr(png))->error_ = message;
    png_longjmp(png, 1);
  }

  std::FILE& file_;
  png_structp png_;
  png_infop info_;
  png_bytepp rows_ = nullptr;
  png_bytep row_ = nullptr;
  std::string error_;
};

/// Adds a row of 8 or 16 bits a sample, the high byte first.
void add_row(std::span<const png_byte> row, bool has_16_bits, PictureBuilder& builder) {
  std::vector<std::uint16_t> samples(row.size() / (has_16_bits ? 2 : 1));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i] = has_16_bits ? static_cast<std::uint16_t>(row[2 * i] << 8 | row[2 * i + 1]) : row[i];
  }
  builder.add_row(samples);
}

}  // namespace

Picture read_png(std::FILE& file, PictureBuilder builder) {
  PngFile png(file);
  if (!png.read_header()) {
    builder.refuse(png.error());
  }
  const bool has_16_bits = png.has_16_bits();
  builder.begin(png.width(), png.height(), has_16_bits ? 65535 : 255, png.is_interlaced() ? (has_16_bits ? 6 : 3) : 0);
  // An interlaced picture is there when its last pass is.
  const std::size_t rows = png.is_interlaced() ? png.height() : 1, row_bytes = png.row_bytes();
  std::vector<png_byte> pixels(rows * row_bytes);
  if (png.is_interlaced()) {
    std::vector<png_bytep> places;
    for (std::size_t y = 0; y < rows; ++y) {
      places.push_back(pixels.data() + y * row_bytes);
    }
    if (!png.read_rows(places)) {
      builder.refuse(png.error());
    }
  }
  for (std::size_t y = 0; y < png.height(); ++y) {
    png_bytep row = pixels.data() + y % rows * row_bytes;
    if (!png.is_interlaced() && !png.read_row(row)) {
      builder.refuse(png.error());
    }
    add_row({row, row_bytes}, has_16_bits, builder);
  }
  if (!png.read_end()) {
    builder.refuse(png.error());
  }
  return builder.take();
}

}  // namespace fovea
