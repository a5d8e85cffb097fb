// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does dla_pe add up the products of the weights and pixels that it is told to, while others are written beside them?
///
/// As a PE of either machine: IFMAP_SPAD_BYTES, FILTER_SPAD_BYTES and FILTER_BYTES are its parameters.
#include <array>
#include <bit>
#include <deque>
#include <random>

#include "Vdla_pe.h"
#include "unit_bench.h"

namespace fovea {
namespace {

constexpr uint32_t kWordBytes = FILTER_BYTES, kLanes = 4;
constexpr uint32_t kFilterWords = 2 * ((FILTER_SPAD_BYTES + kWordBytes - 1) / kWordBytes);
constexpr uint32_t kRingWords = (2 * IFMAP_SPAD_BYTES + kLanes - 1) / kLanes;
constexpr uint32_t kRingAddrBits = std::bit_width(kRingWords - 1);

/// A product, in the cycle in which the filter spad is read for it.
struct Product {
  bool is_one, is_first, commits, is_active, is_padding;
  uint32_t word, byte, pixel;
};

class Pe : public UnitBench<Vdla_pe> {
 protected:
  Pe() {
    unit.filter_column_i = 1;
    for (uint32_t w = 0; w < kFilterWords; ++w) {
      write_filter(w, 0);
      cycle();
    }
    for (uint32_t w = 0; w < kRingWords; ++w) {
      for (uint32_t lane = 0; lane < kLanes; ++lane) {
        write_pixel(lane, w, 0);
      }
      cycle();
      unit.ifmap_valid_i = unit.ifmap_strobe_i = 0;
    }
    unit.filter_valid_i = 0;
  }

  void write_filter(uint32_t word, uint64_t data) {
    unit.filter_valid_i = 1;
    unit.filter_addr_i = static_cast<uint8_t>(word);
    unit.filter_data_i = static_cast<decltype(unit.filter_data_i + 0)>(data);
    for (uint32_t b = 0; b < kWordBytes; ++b) {
      next_weights[word * kWordBytes + b] = static_cast<int8_t>(data >> 8 * b);
    }
  }

  void write_pixel(uint32_t lane, uint32_t word, uint8_t value) {
    const uint32_t place = kRingAddrBits * lane;
    unit.ifmap_valid_i = 1;
    unit.ifmap_strobe_i = static_cast<uint8_t>(unit.ifmap_strobe_i | 1u << lane);
    unit.ifmap_addr_i = static_cast<decltype(unit.ifmap_addr_i + 0)>(
        (unit.ifmap_addr_i & ~(((1u << kRingAddrBits) - 1) << place)) | word << place);
    unit.ifmap_data_i = (unit.ifmap_data_i & ~(0xffu << 8 * lane)) | static_cast<uint32_t>(value) << 8 * lane;
    next_pixels[word * kLanes + lane] = value;
  }

  /// Writes into both spads, but not into the word of `product`.
  void write_at_random(std::mt19937& source, const Product& product) {
    unit.filter_valid_i = unit.ifmap_valid_i = unit.ifmap_strobe_i = 0;
    const uint32_t word = source() % kFilterWords;
    if (source() % 2 == 0 && !(product.is_one && product.word == word)) {
      write_filter(word, static_cast<uint64_t>(source()) << 32 | source());
    }
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      if (source() % 3 == 0) {
        write_pixel(lane, source() % kRingWords, static_cast<uint8_t>(source()));
      }
    }
  }

  /// Runs a cycle in which `product` is in stage 0; the pins of each stage are those of the product in it.
  void run_cycle(const Product& product) {
    stages.push_front(product);
    stages.pop_back();
    unit.read0_i = stages[0].is_one;
    unit.word0_i = static_cast<uint8_t>(stages[0].word);
    unit.mac1_i = stages[1].is_one;
    unit.weight1_i = static_cast<uint8_t>(stages[1].byte);
    unit.pixel1_i = static_cast<uint8_t>(stages[1].pixel);
    unit.padding1_i = stages[1].is_padding;
    unit.first1_i = stages[1].is_first;
    unit.mac2_i = stages[2].is_one;
    unit.commit3_i = stages[3].is_one && stages[3].commits;
    unit.active3_i = stages[3].is_active;
    step_model();
    cycle();
    weights = next_weights;
    pixels = next_pixels;
  }

  /// A weight is that of stage 0, a pixel that of stage 1, and the psum that of stage 3.
  void step_model() {
    if (unit.commit3_i != 0) {
      psum = unit.psum_i + (stages[3].is_active ? sum : 0u);
    }
    if (stages[2].is_one) {
      sum = (stages[2].is_first ? 0u : sum) + static_cast<uint32_t>(product_of_stage_1);
    }
    if (stages[1].is_one) {
      const int pixel = stages[1].is_padding ? 0 : pixels[stages[1].pixel] - unit.zero_point_i;
      product_of_stage_1 = pixel * weight_of_stage_0[stages[1].byte];
    }
    if (stages[0].is_one) {
      for (uint32_t b = 0; b < kWordBytes; ++b) {
        weight_of_stage_0[b] = weights[stages[0].word * kWordBytes + b];
      }
    }
  }

  std::deque<Product> stages = std::deque<Product>(4);
  std::array<int8_t, kFilterWords * kWordBytes> weights{}, next_weights{};
  std::array<uint8_t, kRingWords * kLanes> pixels{}, next_pixels{};
  std::array<int, kWordBytes> weight_of_stage_0{};
  int product_of_stage_1 = 0;
  uint32_t sum = 0, psum = 0;
};

TEST_F(Pe, AddsUpTheProductsOfEachSlot) {
  std::mt19937 source(1);
  bool is_first = true;
  for (int i = 0; i < 100'000; ++i) {
    Product product{};
    product.is_one = source() % 8 != 0;
    if (product.is_one) {
      product.is_first = is_first;
      product.commits = is_first = source() % 6 == 0;
    }
    product.is_active = source() % 4 != 0;
    product.is_padding = source() % 5 == 0;
    product.word = source() % kFilterWords;
    product.byte = source() % kWordBytes;
    product.pixel = source() % (kRingWords * kLanes);
    unit.psum_i = source();
    unit.zero_point_i = static_cast<uint8_t>(i < 50'000 ? 128 : source() % 256);
    write_at_random(source, product);
    run_cycle(product);
    ASSERT_EQ(unit.psum_o, psum) << "cycle " << i;
  }
}

TEST_F(Pe, WrapsAround) {
  write_filter(0, 0x8080808080808080u);
  write_pixel(0, 0, 255);
  run_cycle({});
  unit.filter_valid_i = unit.ifmap_valid_i = unit.ifmap_strobe_i = 0;
  for (int i = 0; i < 140'000; ++i) {
    run_cycle({true, i == 0, true, true, false, 0, 0, 0});
    ASSERT_EQ(unit.psum_o, psum) << "product " << i;
  }
}

}  // namespace
}  // namespace fovea
