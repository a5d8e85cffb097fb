// SPDX-License-Identifier: Apache-2.0
/// \file
/// Mutations that keep the checksums of a PNG picture, without which libpng reads no further.
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "readers.h"

namespace fovea {
namespace {

constexpr std::size_t kSignatureBytes = 8, kNumberBytes = 4, kTypeBytes = 4;

/// Type and data; in a file the length stands before, the checksum behind.
using Chunks = std::vector<std::string>;

std::size_t number_at(const std::uint8_t* bytes) {
  return std::size_t{bytes[0]} << 24 | std::size_t{bytes[1]} << 16 | std::size_t{bytes[2]} << 8 | bytes[3];
}

std::string number_bytes(std::size_t number) {
  std::string bytes;
  for (const int shift : {24, 16, 8, 0}) {
    bytes += static_cast<char>(number >> shift & 0xff);
  }
  return bytes;
}

/// None where it is no PNG picture; what is cut off at its end is left out.
Chunks split(const std::uint8_t* bytes, std::size_t size) {
  Chunks chunks;
  if (size < kSignatureBytes || std::memcmp(bytes, "\x89PNG\r\n\x1a\n", kSignatureBytes) != 0) {
    return chunks;
  }
  constexpr std::size_t kFrameBytes = 2 * kNumberBytes + kTypeBytes;
  for (std::size_t at = kSignatureBytes; size - at >= kFrameBytes;) {
    const std::size_t data = number_at(bytes + at);
    if (data > size - at - kFrameBytes) {
      break;
    }
    chunks.emplace_back(reinterpret_cast<const char*>(bytes + at + kNumberBytes), kTypeBytes + data);
    at += kFrameBytes + data;
  }
  return chunks;
}

std::string join(const Chunks& chunks) {
  std::string bytes("\x89PNG\r\n\x1a\n", kSignatureBytes);
  for (const std::string& chunk : chunks) {
    const auto sum = crc32(0, reinterpret_cast<const Bytef*>(chunk.data()), static_cast<uInt>(chunk.size()));
    bytes += number_bytes(chunk.size() - kTypeBytes) + chunk + number_bytes(sum);
  }
  return bytes;
}

/// A byte of IHDR, and what it may be.
struct HeaderField {
  std::size_t at;
  std::vector<std::uint8_t> values;
};

class PngMutation {
 public:
  explicit PngMutation(unsigned seed) : random_(seed) {}

  void run(Chunks& chunks) {
    const std::size_t place = below(chunks.size());
    switch (below(8)) {
      case 0:
        std::swap(chunks[place], chunks[below(chunks.size())]);
        break;
      case 1:
        chunks.insert(chunks.begin() + static_cast<std::ptrdiff_t>(place), std::string(chunks[below(chunks.size())]));
        break;
      case 2:
        if (chunks.size() > 1) {
          chunks.erase(chunks.begin() + static_cast<std::ptrdiff_t>(place));
        }
        break;
      case 3:
      case 4:
        change_byte(chunks[place]);
        break;
      default:
        change_header(chunks.front());
    }
  }

 private:
  std::size_t below(std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_); }

  void change_byte(std::string& chunk) {
    if (chunk.size() > kTypeBytes) {
      chunk[kTypeBytes + below(chunk.size() - kTypeBytes)] = static_cast<char>(below(256));
    }
  }

  void change_header(std::string& chunk) {
    static const std::vector<HeaderField> kFields{{2, {0, 1}},          {3, {0, 1, 2, 3, 8}},  {6, {0, 1}},
                                                  {7, {0, 1, 2, 3, 8}}, {8, {1, 2, 4, 8, 16}}, {9, {0, 2, 3, 4, 6}},
                                                  {12, {0, 1}}};
    const HeaderField& field = kFields[below(kFields.size())];
    if (chunk.size() > kTypeBytes + field.at) {
      chunk[kTypeBytes + field.at] = static_cast<char>(field.values[below(field.values.size())]);
    }
  }

  std::mt19937 random_;
};

}  // namespace

std::size_t mutate_png(std::uint8_t* bytes, std::size_t size, std::size_t most, unsigned seed) {
  Chunks chunks = split(bytes, size);
  if (chunks.empty()) {
    return 0;
  }
  PngMutation(seed).run(chunks);
  const std::string changed = join(chunks);
  if (changed.size() > most) {
    return 0;
  }
  std::copy(changed.begin(), changed.end(), bytes);
  return changed.size();
}

}  // namespace fovea
