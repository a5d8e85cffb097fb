// SPDX-License-Identifier: Apache-2.0
/// \file
/// weight.bin byte by byte, and CRC-32 by its published check value.
#include "weight_file.h"

#include <gtest/gtest.h>

#include <string_view>

#include "ir/checksum.h"

namespace fovea {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

std::uint32_t u32_at(const std::vector<std::byte>& file, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    value |= static_cast<std::uint32_t>(file.at(at + i)) << (8 * i);
  }
  return value;
}

TEST(Checksum, HasItsCheckValue) {
  EXPECT_EQ(checksum(bytes_of("123456789")), 0xcbf43926u);
  EXPECT_EQ(checksum({}), 0u);
}

TEST(WeightFile, EntriesAreAlignedAndInOrder) {
  WeightFile weights;
  EXPECT_EQ(weights.add("a_filter", bytes_of("0123456789abcdef!")), 0u);
  EXPECT_EQ(weights.add("a_bias", bytes_of("xyz")), 32u);
  ASSERT_EQ(weights.payload().size(), 48u);
  EXPECT_EQ(weights.payload()[16], std::byte{'!'});
  EXPECT_EQ(weights.payload()[17], std::byte{0});
  EXPECT_EQ(weights.payload()[34], std::byte{'z'});
  EXPECT_EQ(weights.entries()[1].name, "a_bias");
  EXPECT_EQ(weights.entries()[1].bytes, 3u);
}

TEST(WeightFile, HeaderIsThatOfTheRuntime) {
  WeightFile weights;
  weights.add("w", bytes_of("0123456789abcdef"));
  const std::vector<std::byte> file = weights.encode(0x12345678u);
  ASSERT_EQ(file.size(), 64u + 16u);
  EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(file.data()), 8), "FOVEAW01");
  EXPECT_EQ(u32_at(file, 8), 1u);
  EXPECT_EQ(u32_at(file, 12), 64u);
  EXPECT_EQ(u32_at(file, 16), 16u);
  EXPECT_EQ(u32_at(file, 20), checksum(weights.payload()));
  EXPECT_EQ(u32_at(file, 24), 0x12345678u);
  for (std::size_t i = 28; i < 64; ++i) {
    EXPECT_EQ(file[i], std::byte{0}) << i;
  }
  EXPECT_EQ(file[64], std::byte{'0'});
}

}  // namespace
}  // namespace fovea
