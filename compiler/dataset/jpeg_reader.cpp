// SPDX-License-Identifier: Apache-2.0
/// \file
/// JPEG through libjpeg. Its errors are jumps, over functions that own nothing.
#include <csetjmp>
#include <cstdio>
// libjpeg's headers use what <cstdio> declares.
#include <jerror.h>
#include <jpeglib.h>

#include <new>
#include <string>
#include <vector>

#include "picture_builder.h"

namespace fovea {
namespace {

/// Scans that a progressive picture may have; encoders make about ten, and each is decoded whole.
constexpr int kMostScans = 64;

class JpegFile {
 public:
  explicit JpegFile(std::FILE& file) {
    jpeg_.err = jpeg_std_error(&errors_);
    errors_.error_exit = &JpegFile::fail;
    errors_.emit_message = &JpegFile::warn;
    jpeg_.client_data = this;
    if (!try_step([](JpegFile& jpeg) { jpeg_create_decompress(&jpeg.jpeg_); })) {
      throw std::bad_alloc();
    }
    jpeg_.progress = &progress_;
    progress_.progress_monitor = &JpegFile::count_scans;
    jpeg_stdio_src(&jpeg_, &file);
  }
  JpegFile(const JpegFile&) = delete;
  JpegFile& operator=(const JpegFile&) = delete;
  ~JpegFile() { jpeg_destroy_decompress(&jpeg_); }

  // Each returns false where it failed.

  /// Rows are RGB of 8 bits.
  bool read_header() {
    return try_step([](JpegFile& jpeg) {
      jpeg_read_header(&jpeg.jpeg_, TRUE);
      jpeg.jpeg_.out_color_space = JCS_RGB;
      jpeg_calc_output_dimensions(&jpeg.jpeg_);
    });
  }

  /// \param most_bytes  That libjpeg may take.
  bool begin_rows(std::uint64_t most_bytes) {
    jpeg_.mem->max_memory_to_use = static_cast<long>(most_bytes);
    return try_step([](JpegFile& jpeg) { jpeg_start_decompress(&jpeg.jpeg_); });
  }

  bool read_row(JSAMPROW row) {
    row_ = row;
    return try_step([](JpegFile& jpeg) { jpeg_read_scanlines(&jpeg.jpeg_, &jpeg.row_, 1); });
  }

  bool read_end() {
    return try_step([](JpegFile& jpeg) { jpeg_finish_decompress(&jpeg.jpeg_); });
  }

  std::uint32_t width() const { return jpeg_.output_width; }
  std::uint32_t height() const { return jpeg_.output_height; }
  const std::string& error() const { return error_; }

 private:
  /// \param step  Has nothing to destroy: it may be left by a jump.
  bool try_step(void (*step)(JpegFile&)) {
    if (setjmp(failed_) != 0) {
      return false;
    }
    step(*this);
    return true;
  }

  static JpegFile& of(j_common_ptr jpeg) { return *static_cast<JpegFile*>(jpeg->client_data); }

  [[noreturn]] static void fail(j_common_ptr jpeg) {
    char message[JMSG_LENGTH_MAX];
    jpeg->err->format_message(jpeg, message);
    of(jpeg).error_ = message;
    std::longjmp(of(jpeg).failed_, 1);
  }

  /// What is missing or damaged would be guessed; what is too much, or says it is of another version, is not needed.
  static void warn(j_common_ptr jpeg, int level) {
    switch (level < 0 ? jpeg->err->msg_code : JWRN_EXTRANEOUS_DATA) {
      case JWRN_EXTRANEOUS_DATA:
      case JWRN_TOO_MUCH_DATA:
      case JWRN_ADOBE_XFORM:
      case JWRN_JFIF_MAJOR:
        break;
      default:
        fail(jpeg);
    }
  }

  static void count_scans(j_common_ptr jpeg) {
    if (reinterpret_cast<j_decompress_ptr>(jpeg)->input_scan_number > kMostScans) {
      of(jpeg).error_ = "it has more than " + std::to_string(kMostScans) + " scans";
      std::longjmp(of(jpeg).failed_, 1);
    }
  }

  jpeg_decompress_struct jpeg_{};
  jpeg_error_mgr errors_{};
  jpeg_progress_mgr progress_{};
  std::jmp_buf failed_{};
  JSAMPROW row_ = nullptr;
  std::string error_;
};

}  // namespace

Picture read_jpeg(std::FILE& file, PictureBuilder builder) {
  JpegFile jpeg(file);
  if (!jpeg.read_header()) {
    builder.refuse(jpeg.error());
  }
  builder.begin(jpeg.width(), jpeg.height(), MAXJSAMPLE);
  if (!jpeg.begin_rows(builder.bytes_left())) {
    builder.refuse(jpeg.error());
  }
  std::vector<JSAMPLE> row(3 * std::size_t{jpeg.width()});
  for (std::uint32_t y = 0; y < jpeg.height(); ++y) {
    if (!jpeg.read_row(row.data())) {
      builder.refuse(jpeg.error());
    }
    builder.add_row(std::vector<std::uint16_t>(row.begin(), row.end()));
  }
  if (!jpeg.read_end()) {
    builder.refuse(jpeg.error());
  }
  return builder.take();
}

}  // namespace fovea
