// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does dla_ifmap_feed bring each pixel of a window, in order, and read nothing else? Beside loops over rows, columns
/// and channels, of an ifmap that was loaded and of one that is read where it lies on chip, in planes that are rings.
///
/// 6 x 8 PEs, words of 4 bytes, 4 columns. Every word of the GLB has a number that follows from its place.
#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "Vdla_ifmap_feed.h"
#include "packed_bits.h"
#include "unit_bench.h"

namespace fovea {
namespace {

constexpr uint32_t kColumns = 4, kWordBytes = 4;

/// Of derived_t in dla_pkg.sv.
constexpr uint32_t kIfmapPlane = 227, kPlaneWords = 211;

/// What the word at a place holds.
uint32_t word_at(uint32_t column, uint32_t addr) { return (addr * kColumns + column + 1) * 0x9e3779b1u; }

struct Feed {
  dla_shape shape;
  bool reads_all;  ///< Also where the last set reaches beyond the channels.
  uint32_t q, channels, missing, rows, e, first_column, base, plane_bytes, plane_words, align;
  int y, x, top;
  uint32_t cols;

  bool on_chip() const { return shape.ifmap_on_chip; }
  uint32_t plane_rows() const { return shape.ifmap_plane_rows == 0 ? shape.H : shape.ifmap_plane_rows; }

  /// The row of the plane, or of the buffer, that a row of the ifmap is.
  int row_in_plane(int row) const {
    const int at = row + static_cast<int>(shape.ifmap_first_row);
    return !on_chip() ? row - top : at < static_cast<int>(plane_rows()) ? at : at - static_cast<int>(plane_rows());
  }

  uint8_t pixel(uint32_t channel, int row, int col) const {
    const uint32_t column = first_column + channel;
    const uint32_t begins = on_chip() ? 0 : (align + column * plane_bytes) % kWordBytes;
    const uint32_t byte = begins + static_cast<uint32_t>(row_in_plane(row)) * shape.W + static_cast<uint32_t>(col);
    const uint32_t addr = base + (column / kColumns - first_column / kColumns) * plane_words + byte / kWordBytes;
    return static_cast<uint8_t>(word_at(column % kColumns, addr) >> byte % kWordBytes * 8);
  }
};

struct Word {
  uint32_t row, channel, channels;
  std::array<uint8_t, kColumns> bytes;
  uint32_t reads;

  bool operator==(const Word& other) const {
    return row == other.row && channel == other.channel && channels == other.channels &&
           std::equal(bytes.begin(), bytes.begin() + channels, other.bytes.begin());
  }
};

class IfmapFeed : public UnitBench<Vdla_ifmap_feed> {
 protected:
  IfmapFeed() { reset(); }

  uint32_t between(uint32_t first, uint32_t last) {
    return first + static_cast<uint32_t>(source() % (last - first + 1));
  }

  Feed any_feed(bool on_chip) {
    Feed feed{};
    dla_shape& s = feed.shape;
    s.H = between(1, 20);
    s.W = between(1, 12);
    s.U = between(1, 3);
    s.S = between(1, 3);
    s.ifmap_on_chip = on_chip;
    s.ifmap_plane_rows = between(0, 1) == 0 ? 0 : between(s.H, s.H + 6);
    s.ifmap_first_row = on_chip ? between(0, feed.plane_rows() - 1) : 0;
    feed.q = between(1, 4);
    const uint32_t sets = between(1, 3);
    feed.channels = feed.q * sets;
    feed.reads_all = !on_chip && between(0, 1) == 0;
    feed.missing = feed.reads_all ? 0 : between(0, feed.q - 1);
    feed.rows = between(1, 4);
    feed.e = between(1, 8);
    feed.cols = between(1, s.S);
    feed.first_column = between(0, 9);
    feed.base = between(0, 1000);
    feed.plane_bytes = feed.plane_rows() * s.W;
    feed.plane_words = (feed.plane_bytes + kWordBytes - 1) / kWordBytes + (on_chip ? 0 : 1);
    feed.align = on_chip ? 0 : between(0, 3);
    feed.y = static_cast<int>(between(0, s.H + 5)) - 4;
    feed.x = static_cast<int>(between(0, s.W + 4)) - 3;
    feed.top = on_chip ? 0 : static_cast<int>(between(0, s.H - 1));
    // What is loaded begins at the top row.
    feed.y = std::max(feed.y, feed.top == 0 ? feed.y : feed.top);
    return feed;
  }

  std::vector<Word> expected(const Feed& feed) const {
    std::vector<Word> words;
    const auto H = static_cast<int>(feed.shape.H), W = static_cast<int>(feed.shape.W);
    const uint32_t step_rows = std::min(feed.rows, feed.shape.U);
    for (uint32_t e = 0; e < feed.e; ++e) {
      for (uint32_t off = 0; off < (e + 1 == feed.e ? feed.rows : step_rows); ++off) {
        const uint32_t row = e * feed.shape.U + off;
        for (uint32_t col = 0; col < feed.cols; ++col) {
          const int y = feed.y + static_cast<int>(row), x = feed.x + static_cast<int>(col);
          const bool inside = y >= 0 && y < H && x >= 0 && x < W;
          for (uint32_t first = 0; first < feed.channels; first += kColumns) {
            Word word{row, first, std::min(kColumns, feed.channels - first), {}, 0};
            for (uint32_t i = 0; i < word.channels; ++i) {
              const bool reads = inside && first + i + feed.missing < feed.channels;
              word.bytes[i] = reads ? feed.pixel(first + i, y, x) : kZeroPoint;
              word.reads += reads ? 1 : 0;
            }
            words.push_back(word);
          }
        }
      }
    }
    return words;
  }

  /// What comes from a start on, and how many words of the GLB that took.
  std::vector<Word> bring(const Feed& feed, size_t words, uint32_t* reads) {
    dla_layer layer{};
    layer.shape = feed.shape;
    layer.mapping.q = feed.q;
    layer.quant.ifmap_zero_point = kZeroPoint;
    set_layer(unit.layer_i, layer);
    set_bits(unit.derived_i, kIfmapPlane, 24, feed.plane_bytes);
    set_bits(unit.derived_i, kPlaneWords, 16, feed.plane_words);
    const int pixel = feed.row_in_plane(feed.y) * static_cast<int>(feed.shape.W);
    set_bits(unit.pass_i, 0, 28, static_cast<uint32_t>(pixel));
    set_bits(unit.pass_i, 28, 15, static_cast<uint32_t>(feed.y));
    set_bits(unit.pass_i, 43, 5, feed.align);
    set_bits(unit.pass_i, 48, 5, feed.missing);
    set_bits(unit.pass_i, 53, 5, feed.first_column);
    set_bits(unit.pass_i, 58, 16, feed.base);
    set_bits(unit.pass_i, 74, 6, feed.e);
    set_bits(unit.pass_i, 80, 4, feed.rows);
    set_bits(unit.pass_i, 84, 13, feed.channels);
    unit.x_i = static_cast<uint16_t>(feed.x & 0x7fff);
    unit.cols_i = static_cast<uint8_t>(feed.cols);
    unit.ring_addr_i = 0;
    unit.start_i = 1;
    cycle();
    unit.start_i = 0;
    std::vector<Word> brought;
    for (size_t i = 0; i < words + 2; ++i) {
      unit.clk_i = 0;
      unit.eval();
      std::array<uint32_t, kColumns> data{};
      for (uint32_t k = 0; k < kColumns; ++k) {
        const bool is_read = (unit.glb_read_o >> k & 1) != 0;
        data[k] = is_read ? word_at(k, unit.glb_addr_o[k]) : unit.glb_data_i[k];
        *reads += is_read ? 1 : 0;
      }
      unit.clk_i = 1;
      unit.eval();
      std::copy(data.begin(), data.end(), &unit.glb_data_i[0]);
      const uint64_t flit = unit.flit_o;
      if ((flit >> 39 & 1) != 0) {
        Word word{static_cast<uint32_t>(flit >> 7 & 0x1ff),
                  static_cast<uint32_t>(flit >> 22 & 0x7ff),
                  static_cast<uint32_t>(flit >> 16 & 0x3f),
                  {},
                  0};
        for (uint32_t k = 0; k < kColumns; ++k) {
          word.bytes[k] = static_cast<uint8_t>(unit.data_o >> 8 * k);
        }
        brought.push_back(word);
      }
    }
    return brought;
  }

  void compare(bool on_chip) {
    for (int i = 0; i < 5000; ++i) {
      const Feed feed = any_feed(on_chip);
      const std::vector<Word> words = expected(feed);
      uint32_t reads = 0, expected_reads = 0;
      const std::vector<Word> brought = bring(feed, words.size(), &reads);
      ASSERT_EQ(brought.size(), words.size()) << "feed " << i;
      for (size_t word = 0; word < words.size(); ++word) {
        ASSERT_TRUE(brought[word] == words[word]) << "feed " << i << " word " << word << " of row " << words[word].row;
        expected_reads += words[word].reads;
      }
      ASSERT_EQ(reads, expected_reads) << "feed " << i;
    }
  }

  static constexpr uint8_t kZeroPoint = 77;
  std::mt19937 source{1};
};

TEST_F(IfmapFeed, BringsWhatWasLoaded) { compare(false); }

TEST_F(IfmapFeed, BringsWhatLiesOnChip) { compare(true); }

}  // namespace
}  // namespace fovea
