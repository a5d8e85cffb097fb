// SPDX-License-Identifier: Apache-2.0
/// \file
/// Picture files by what they begin with.
#include "pictures.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "files/read_file.h"
#include "picture_builder.h"
#include "tensor/error.h"

namespace fovea {
namespace {

constexpr int kChannels = 3;

/// Where an output pixel falls between two input pixels.
struct Blend {
  std::uint32_t low, high;
  float high_part;
};

Blend blend_at(std::uint32_t at, std::uint32_t from_size, std::uint32_t to_size) {
  const float ratio = static_cast<float>(from_size) / static_cast<float>(to_size);
  const float centre = (static_cast<float>(at) + 0.5f) * ratio - 0.5f;
  const float inside = std::clamp(centre, 0.0f, static_cast<float>(from_size - 1));
  const auto low = static_cast<std::uint32_t>(inside);
  return {low, std::min(low + 1, from_size - 1), inside - static_cast<float>(low)};
}

}  // namespace

bool is_picture_name(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const char* known : {".png", ".jpg", ".jpeg", ".ppm", ".pgm"}) {
    if (ending == known) {
      return true;
    }
  }
  return false;
}

Picture read_picture(const std::filesystem::path& path) {
  PictureBuilder builder(path.string());
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) {
    user_error(path.string() + (errno == ENOENT ? ": no such file" + did_you_mean_file(path)
                                                : std::string(": can't be opened: ") + std::strerror(errno)));
  }
  std::array<unsigned char, 2> begin{};
  const std::size_t count = std::fread(begin.data(), 1, begin.size(), file.get());
  if (std::ferror(file.get()) != 0) {
    user_error(path.string() + ": can't be read: " + std::strerror(errno));
  }
  std::rewind(file.get());
  if (count == begin.size() && begin[0] == 0x89 && begin[1] == 'P') {
    return read_png(*file, std::move(builder));
  }
  if (count == begin.size() && begin[0] == 0xff && begin[1] == 0xd8) {
    return read_jpeg(*file, std::move(builder));
  }
  if (count == begin.size() && begin[0] == 'P' && std::strchr("2356", begin[1]) != nullptr && begin[1] != 0) {
    return read_pnm(*file, std::move(builder));
  }
  builder.refuse("it begins as none does");
}

Picture stretch_picture(const Picture& picture, PictureSize size) {
  if (picture.size == size) {
    return picture;
  }
  Picture result;
  result.size = size;
  result.planes.reserve(std::size_t{kChannels} * size.height * size.width);
  const std::size_t plane = std::size_t{picture.size.height} * picture.size.width;
  for (std::size_t c = 0; c < kChannels; ++c) {
    const float* from = picture.planes.data() + c * plane;
    for (std::uint32_t y = 0; y < size.height; ++y) {
      const Blend rows = blend_at(y, picture.size.height, size.height);
      const float* low = from + std::size_t{rows.low} * picture.size.width;
      const float* high = from + std::size_t{rows.high} * picture.size.width;
      for (std::uint32_t x = 0; x < size.width; ++x) {
        const Blend columns = blend_at(x, picture.size.width, size.width);
        const float top = std::lerp(low[columns.low], low[columns.high], columns.high_part);
        const float bottom = std::lerp(high[columns.low], high[columns.high], columns.high_part);
        result.planes.push_back(std::lerp(top, bottom, rows.high_part));
      }
    }
  }
  return result;
}

}  // namespace fovea
