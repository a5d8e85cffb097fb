// SPDX-License-Identifier: Apache-2.0
/// \file
/// Is dla_multiplier's product right, saturated, and there three cycles after the start and until the next?
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "Vdla_multiplier.h"
#include "unit_bench.h"

namespace fovea {
namespace {

constexpr int kCycles = 3;

class Multiplier : public UnitBench<Vdla_multiplier> {
 protected:
  /// Starts a product, with other operands on the pins afterwards.
  void multiply(uint32_t a, uint32_t b) {
    unit.start_i = 1;
    unit.a_i = a;
    unit.b_i = static_cast<uint16_t>(b);
    cycle();
    unit.start_i = 0;
    unit.a_i = ~a;
    unit.b_i = static_cast<uint16_t>(~b);
    for (int i = 1; i < kCycles; ++i) {
      cycle();
    }
  }

  static uint32_t product(uint64_t a, uint64_t b) {
    return static_cast<uint32_t>(std::min<uint64_t>(a * b, UINT32_MAX));
  }
};

TEST_F(Multiplier, GivesProductsOfAllSizes) {
  std::mt19937 source(1);
  for (int i = 0; i < 5000; ++i) {
    const uint32_t a = static_cast<uint32_t>(source()) >> source() % 32;
    const uint32_t b = source() % 65536 >> source() % 16;
    multiply(a, b);
    ASSERT_EQ(unit.product_o, product(a, b)) << a << " * " << b;
  }
}

TEST_F(Multiplier, StaysAtTheLargestValue) {
  for (const uint32_t a : {0xffffu, 0x10000u, 0x10001u, 0xffffffffu}) {
    for (const uint32_t b : {0u, 1u, 255u, 256u, 0xffffu}) {
      multiply(a, b);
      EXPECT_EQ(unit.product_o, product(a, b)) << a << " * " << b;
    }
  }
}

TEST_F(Multiplier, KeepsItsProductUntilTheNext) {
  multiply(1000, 1000);
  for (int i = 0; i < 10; ++i) {
    cycle();
    EXPECT_EQ(unit.product_o, 1'000'000u);
  }
  multiply(unit.product_o, 2);
  EXPECT_EQ(unit.product_o, 2'000'000u);
}

}  // namespace
}  // namespace fovea
