// SPDX-License-Identifier: Apache-2.0
/// \file
/// Each kind of picture file as it was written, by the libraries' own writers or byte by byte; cut off anywhere, and
/// each wrong number, by its message.
#include "pictures.h"

#include <gtest/gtest.h>
#include <png.h>
#include <zlib.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
// libjpeg's header uses what <cstdio> declares.
#include <jpeglib.h>

#include "tensor/error.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;
using Bytes = std::string;

/// Reads a file of these bytes.
Picture read(const Bytes& bytes) {
  const fs::path path = fs::path(testing::TempDir()) / "picture";
  std::ofstream(path, std::ios::binary) << bytes;
  return read_picture(path);
}

/// Why it is refused; "" where it is not.
std::string refusal(const Bytes& bytes) {
  try {
    read(bytes);
  } catch (const UserError& error) {
    const std::string text = error.what();
    const std::size_t from = text.find('('), to = text.rfind(')');
    EXPECT_TRUE(text.ends_with("png, jpg, ppm and pgm work")) << text;
    return text.substr(from + 1, to - from - 1);
  }
  return "";
}

/// Every begin of a file that ends before its last `rest` bytes is refused.
void expect_refused_where_cut(const Bytes& bytes, std::size_t rest = 0) {
  for (std::size_t size = 0; size + rest < bytes.size(); ++size) {
    EXPECT_NE(refusal(bytes.substr(0, size)), "") << "after " << size << " of " << bytes.size() << " bytes";
  }
}

/// A 2 x 3 picture's planes of these samples, RGB, row by row.
std::vector<float> planes(const std::vector<unsigned>& samples, unsigned most) {
  std::vector<float> planes;
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t i = c; i < samples.size(); i += 3) {
      planes.push_back(static_cast<float>(samples[i]) / static_cast<float>(most));
    }
  }
  return planes;
}

const std::vector<unsigned> kRgbSamples = {0, 1, 2, 3, 4, 5, 250, 251, 252, 253, 254, 255, 9, 8, 7, 6, 5, 4};
const std::vector<unsigned> kGreySamples = {0, 1, 100, 200, 254, 255};

std::vector<unsigned> three_times(const std::vector<unsigned>& grey, unsigned by = 1) {
  std::vector<unsigned> samples;
  for (const unsigned sample : grey) {
    samples.insert(samples.end(), 3, sample * by);
  }
  return samples;
}

Bytes raw(const std::vector<unsigned>& samples, unsigned bytes = 1) {
  Bytes text;
  for (const unsigned sample : samples) {
    for (unsigned i = bytes; i-- > 0;) {
      text += static_cast<char>(sample >> 8 * i & 0xff);
    }
  }
  return text;
}

TEST(Pnm, RawAndPlainOfAnyDepth) {
  const PictureSize size = {2, 3};
  for (const auto& [bytes, expected] : std::initializer_list<std::pair<Bytes, std::vector<float>>>{
           {"P6 3 2 255\n" + raw(kRgbSamples), planes(kRgbSamples, 255)},
           {"P5\n3 2\n255\n" + raw(kGreySamples), planes(three_times(kGreySamples), 255)},
           {"P5 3 2 65535\n" + raw(kGreySamples, 2), planes(three_times(kGreySamples), 65535)},
           {"P5 3 2 256 " + raw(kGreySamples, 2), planes(three_times(kGreySamples), 256)},
           {"P6 3 2 999 " + raw(kRgbSamples, 2), planes(kRgbSamples, 999)},
           {"P2 3 2 255\n0 1 100\n200 254\t255", planes(three_times(kGreySamples), 255)},
           {"P2 3 2 300 0 1 100 200 254 255\n", planes(three_times(kGreySamples), 300)},
           {"P3#a comment\n3 # another, 7\r2\n255\n0 1 2 3 4 5 250 251 252 253 254 255 9 8 7 6 5 4\n",
            planes(kRgbSamples, 255)},
           {"P5 3 2 255\n" + raw(kGreySamples) + "P5 and one more", planes(three_times(kGreySamples), 255)}}) {
    const Picture picture = read(bytes);
    EXPECT_EQ(picture.size, size) << bytes;
    EXPECT_EQ(picture.planes, expected) << bytes;
  }
}

TEST(Pnm, SixteenBitsAreTheSamePictureAsEight) {
  std::vector<unsigned> wide;
  for (const unsigned sample : kGreySamples) {
    wide.push_back(sample * 257);
  }
  EXPECT_EQ(read("P5 3 2 65535 " + raw(wide, 2)).planes, read("P5 3 2 255 " + raw(kGreySamples)).planes);
}

TEST(Pnm, RefusesWhatIsCutOff) {
  expect_refused_where_cut("P6 3 2 255\n" + raw(kRgbSamples));
  expect_refused_where_cut("P5 3 2 65535\n" + raw(kGreySamples, 2));
  expect_refused_where_cut("P2 3 2 9 0 1 2 3 4 5");
}

TEST(Pnm, RefusesEachWrongNumber) {
  EXPECT_EQ(refusal("P5 0 4 255 "), "it is 0 pixels wide and 4 high; 1 to 65535 is possible");
  EXPECT_EQ(refusal("P5 289 0 255\n0"), "it is 289 pixels wide and 0 high; 1 to 65535 is possible");
  EXPECT_EQ(refusal("P6 65536 1 255\n"), "it is 65536 pixels wide and 1 high; 1 to 65535 is possible");
  EXPECT_EQ(refusal("P6 20000 20000 255\n0"),
            "it is 20000 pixels wide and 20000 high; 256 MB hold 22369621 pixels of this kind");
  EXPECT_EQ(refusal("P5 99999999999999999999 1 255\n"), "its width is too large");
  EXPECT_EQ(refusal("P5 -1 1 255\n"), "its width is missing");
  EXPECT_EQ(refusal("P5 1 1 0\n"), "its largest sample is 0; 1 to 65535 is possible");
  EXPECT_EQ(refusal("P5 1 1 65536\n"), "its largest sample is 65536; 1 to 65535 is possible");
  EXPECT_EQ(refusal("P5 1 1 255x"), "a space is missing before its samples");
  EXPECT_EQ(refusal("P5 2 1 7\n\x07\x08"), "a sample of row 0 is larger than 7, which it says is the largest");
  EXPECT_EQ(refusal("P2 1 1 7\n70000"), "a sample of row 0 is larger than 7, which it says is the largest");
  EXPECT_EQ(refusal("P2 2 1 7\n7 x"), "a sample of row 0 is missing");
  EXPECT_EQ(refusal("P4 1 1 "), "it begins as none does");
  EXPECT_EQ(refusal(Bytes("P\0", 2)), "it begins as none does");
  EXPECT_EQ(refusal(""), "it begins as none does");
}

TEST(Pictures, NamesWhatCannotBeOpened) {
  for (const auto& [path, reason] :
       {std::pair("/no/such.png", ": no such file"), std::pair("/", ": can't be read: Is a directory")}) {
    try {
      read_picture(path);
      ADD_FAILURE() << path;
    } catch (const UserError& error) {
      EXPECT_EQ(error.what(), std::string(path) + reason);
    }
  }
}

/// A 2 x 3 PNG as libpng writes it, rows of `row_bytes` bytes.
Bytes write_png(int depth, int color, const Bytes& pixels, bool is_interlaced = false,
                const std::vector<png_color>& palette = {}) {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  Bytes bytes;
  const auto take = [](png_structp to, png_bytep data, png_size_t size) {
    static_cast<Bytes*>(png_get_io_ptr(to))->append(reinterpret_cast<char*>(data), size);
  };
  png_set_write_fn(png, &bytes, take, [](png_structp) {});
  png_set_IHDR(png, info, 3, 2, depth, color, is_interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (!palette.empty()) {
    png_set_PLTE(png, info, palette.data(), static_cast<int>(palette.size()));
    const png_byte half = 128;
    png_set_tRNS(png, info, &half, 1, nullptr);
  }
  png_write_info(png, info);
  Bytes copy = pixels;
  auto* first = reinterpret_cast<png_bytep>(copy.data());
  png_bytep rows[] = {first, first + copy.size() / 2};
  png_write_image(png, rows);
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return bytes;
}

TEST(Png, EveryKind) {
  const std::vector<unsigned> two_bits = three_times({0, 1, 2, 3, 3, 0}),
                              of_palette = {9, 8, 7, 1, 2, 3, 9, 8, 7, 1, 2, 3, 1, 2, 3, 9, 8, 7};
  Bytes with_alpha, grey_alpha;
  for (std::size_t i = 0; i < kRgbSamples.size(); i += 3) {
    with_alpha += raw({kRgbSamples[i], kRgbSamples[i + 1], kRgbSamples[i + 2], static_cast<unsigned>(i)});
    grey_alpha += raw({kGreySamples[i / 3], 77});
  }
  for (const bool is_interlaced : {false, true}) {
    const auto written = [&](int depth, int color, const Bytes& pixels, const std::vector<png_color>& palette = {}) {
      return read(write_png(depth, color, pixels, is_interlaced, palette)).planes;
    };
    EXPECT_EQ(written(8, PNG_COLOR_TYPE_RGB, raw(kRgbSamples)), planes(kRgbSamples, 255));
    EXPECT_EQ(written(16, PNG_COLOR_TYPE_RGB, raw(kRgbSamples, 2)), planes(kRgbSamples, 65535));
    EXPECT_EQ(written(8, PNG_COLOR_TYPE_RGB_ALPHA, with_alpha), planes(kRgbSamples, 255));
    EXPECT_EQ(written(8, PNG_COLOR_TYPE_GRAY, raw(kGreySamples)), planes(three_times(kGreySamples), 255));
    EXPECT_EQ(written(16, PNG_COLOR_TYPE_GRAY, raw(kGreySamples, 2)), planes(three_times(kGreySamples), 65535));
    EXPECT_EQ(written(8, PNG_COLOR_TYPE_GRAY_ALPHA, grey_alpha), planes(three_times(kGreySamples), 255));
    EXPECT_EQ(written(2, PNG_COLOR_TYPE_GRAY, "\x18\xf0"), planes(two_bits, 3));
    EXPECT_EQ(written(1, PNG_COLOR_TYPE_PALETTE, "\x40\xc0", {{9, 8, 7}, {1, 2, 3}}), planes(of_palette, 255));
  }
}

TEST(Png, RefusesWhatIsCutOffOrChanged) {
  for (const bool is_interlaced : {false, true}) {
    const Bytes bytes = write_png(8, PNG_COLOR_TYPE_RGB, raw(kRgbSamples), is_interlaced);
    expect_refused_where_cut(bytes);
    Bytes changed = bytes;
    const std::size_t data = changed.find("IDAT");
    changed[data + 8] ^= 1;
    EXPECT_NE(refusal(changed), "");
  }
}

TEST(Png, RefusesAHugeOneByItsHeader) {
  Bytes bytes = write_png(8, PNG_COLOR_TYPE_RGB, raw(kRgbSamples));
  bytes[18] = bytes[22] = '\x50';  // Of its width and height, the bytes that stand for 256s.
  const auto checked = [&] { return reinterpret_cast<const Bytef*>(bytes.data() + 12); };
  bytes.replace(29, 4, raw({static_cast<unsigned>(crc32(0, checked(), 17))}, 4));
  EXPECT_EQ(refusal(bytes), "it is 20483 pixels wide and 20482 high; 256 MB hold 22369621 pixels of this kind");
}

const std::vector<jpeg_scan_info> kBaseline, kProgressive(1);

/// A 16 x 16 JPEG of one colour as libjpeg writes it.
/// \param scans  Of a progressive one; kProgressive has libjpeg's usual ten.
Bytes write_jpeg(const std::vector<jpeg_scan_info>& scans, J_COLOR_SPACE space, const std::vector<JSAMPLE>& color) {
  jpeg_compress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char* data = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&jpeg, &data, &size);
  jpeg.image_width = jpeg.image_height = 16;
  jpeg.input_components = static_cast<int>(color.size());
  jpeg.in_color_space = space;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, 100, TRUE);
  if (scans.size() == 1) {
    jpeg_simple_progression(&jpeg);
  } else if (!scans.empty()) {
    jpeg.scan_info = scans.data();
    jpeg.num_scans = static_cast<int>(scans.size());
  }
  jpeg_start_compress(&jpeg, TRUE);
  std::vector<JSAMPLE> row;
  for (int i = 0; i < 16; ++i) {
    row.insert(row.end(), color.begin(), color.end());
  }
  for (JSAMPROW at = row.data(); jpeg.next_scanline < 16;) {
    jpeg_write_scanlines(&jpeg, &at, 1);
  }
  jpeg_finish_compress(&jpeg);
  Bytes bytes(reinterpret_cast<char*>(data), size);
  jpeg_destroy_compress(&jpeg);
  std::free(data);
  return bytes;
}

TEST(Jpeg, ColourAndGreyBaselineAndProgressive) {
  for (const std::vector<jpeg_scan_info>& scans : {kBaseline, kProgressive}) {
    const Picture colour = read(write_jpeg(scans, JCS_RGB, {200, 100, 50}));
    EXPECT_EQ(colour.size, (PictureSize{16, 16}));
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_NEAR(colour.planes[256 * c + 100], static_cast<float>(200 >> c) / 255, 2.0F / 255);
    }
    const Picture grey = read(write_jpeg(scans, JCS_GRAYSCALE, {90}));
    EXPECT_EQ(grey.planes, std::vector<float>(3 * 256, 90.0F / 255));
  }
}

TEST(Jpeg, RefusesWhatIsCutOffAndFourComponents) {
  expect_refused_where_cut(write_jpeg(kBaseline, JCS_RGB, {200, 100, 50}), 2);
  expect_refused_where_cut(write_jpeg(kProgressive, JCS_RGB, {200, 100, 50}), 2);
  EXPECT_EQ(refusal(write_jpeg(kBaseline, JCS_CMYK, {1, 2, 3, 4})), "Unsupported color conversion request");
}

TEST(Jpeg, RefusesHundredsOfScans) {
  std::vector<jpeg_scan_info> scans = {{1, {0}, 0, 0, 0, 0}};
  for (int coefficient = 1; coefficient < 64; ++coefficient) {
    scans.push_back({1, {0}, coefficient, coefficient, 0, 1});
  }
  EXPECT_EQ(refusal(write_jpeg(scans, JCS_GRAYSCALE, {90})), "");
  for (int coefficient = 1; coefficient < 64; ++coefficient) {
    scans.push_back({1, {0}, coefficient, coefficient, 1, 0});
  }
  EXPECT_EQ(refusal(write_jpeg(scans, JCS_GRAYSCALE, {90})), "it has more than 64 scans");
}

}  // namespace
}  // namespace fovea
