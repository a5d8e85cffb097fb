// SPDX-License-Identifier: Apache-2.0
/// \file
/// On random wrong settings, is the RTL's cause dla_check_layer()'s? SEED=n repeats, CASES=n enlarges.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "bench/number_from_environment.h"
#include "bench/random_layer.h"
#include "bench/small_layer.h"

namespace fovea {
namespace {

const uint64_t kSeed = number_from_environment("SEED", 2024);
const uint64_t kCases = number_from_environment("CASES", 4000);  ///< On each machine.

/// A number of a layer command, and the largest value its register field holds.
struct Field {
  std::function<uint32_t&(dla_layer&)> get;
  uint32_t largest;
  uint32_t step = 1;  ///< Of a bank, where the field counts banks.
};

std::vector<Field> fields(const dla_machine& machine) {
  using L = dla_layer;
  std::vector<Field> all = {
      {[](L& l) -> uint32_t& { return l.shape.C; }, 65535},
      {[](L& l) -> uint32_t& { return l.shape.M; }, 65535},
      {[](L& l) -> uint32_t& { return l.shape.H; }, 4095},
      {[](L& l) -> uint32_t& { return l.shape.W; }, 4095},
      {[](L& l) -> uint32_t& { return l.shape.R; }, 15},
      {[](L& l) -> uint32_t& { return l.shape.S; }, 15},
      {[](L& l) -> uint32_t& { return l.shape.U; }, 7},
      {[](L& l) -> uint32_t& { return l.shape.PAD; }, 7},
      {[](L& l) -> uint32_t& { return l.mapping.m; }, 65535},
      {[](L& l) -> uint32_t& { return l.mapping.n; }, 15},
      {[](L& l) -> uint32_t& { return l.mapping.e; }, 31},
      {[](L& l) -> uint32_t& { return l.mapping.p; }, 63},
      {[](L& l) -> uint32_t& { return l.mapping.q; }, 31},
      {[](L& l) -> uint32_t& { return l.mapping.r; }, 31},
      {[](L& l) -> uint32_t& { return l.mapping.t; }, 255},
      {[](L& l) -> uint32_t& { return l.mapping.e_glb; }, 4095},
      {[](L& l) -> uint32_t& { return l.mapping.filter_buffers; }, 255},
      {[](L& l) -> uint32_t& { return l.ifmap_addr; }, UINT32_MAX},
      {[](L& l) -> uint32_t& { return l.filter_addr; }, UINT32_MAX},
      {[](L& l) -> uint32_t& { return l.ofmap_addr; }, UINT32_MAX},
  };
  for (dla_region dla_glb_plan::*region :
       {&dla_glb_plan::ifmap, &dla_glb_plan::filter, &dla_glb_plan::psum, &dla_glb_plan::out}) {
    for (uint32_t dla_region::*number : {&dla_region::base_bytes, &dla_region::size_bytes}) {
      all.push_back({[=](L& l) -> uint32_t& { return l.glb.*region.*number; }, 65535, machine.glb_bank_bytes});
    }
  }
  return all;
}

/// Near what it was, near an end of its range, or anything.
void change(RandomLayers& random, const Field& field, dla_layer& layer) {
  uint32_t& number = field.get(layer);
  const uint64_t now = number / field.step;
  const std::array<uint64_t, 8> choices = {now + 1,
                                           now == 0 ? 0 : now - 1,
                                           2 * now,
                                           now / 2,
                                           0,
                                           field.largest,
                                           field.largest - random.between(0, 3),
                                           random.between(0, field.largest)};
  const uint64_t value = choices[random.between(0, choices.size() - 1)];
  number = static_cast<uint32_t>(std::min<uint64_t>(value, field.largest)) * field.step;
}

/// A legal layer with one to three numbers changed.
dla_layer draw_illegal(RandomLayers& random, const std::vector<Field>& all) {
  dla_layer layer = random.draw(LayerCoverage()).layer;
  layer.ifmap_addr = layer.ofmap_addr = layer.filter_addr = DeviceBench::kMemoryBase;
  for (uint32_t changes = random.between(1, 3); changes > 0; --changes) {
    change(random, all[random.between(0, static_cast<uint32_t>(all.size() - 1))], layer);
  }
  layer.shape.pool ^= random.one_in(8);
  return layer;
}

class RandomIllegal : public testing::TestWithParam<const char*> {
 protected:
  /// What the device says within the time that its checks take; a layer that it runs is dropped by a reset.
  dla_error device_cause(const dla_layer& layer) {
    constexpr uint64_t kCheckCycles = 500;
    EXPECT_EQ(dla_write_layer(&bench.hal(), &bench.machine(), &layer), kDlaOk);
    EXPECT_EQ(dla_start(&bench.hal()), kDlaOk);
    dla_error cause = kDlaErrorNone;
    if (dla_wait(&bench.hal(), kCheckCycles) == kDlaOk) {
      EXPECT_EQ(dla_read_error(&bench.hal(), &cause), kDlaOk);
    }
    EXPECT_EQ(dla_reset(&bench.hal(), 1000), kDlaOk);
    EXPECT_EQ(dla_ack_irq(&bench.hal()), kDlaOk);
    return cause == kDlaErrorBusRead || cause == kDlaErrorBusWrite ? kDlaErrorNone : cause;
  }

  DeviceBench bench{GetParam()};
};

TEST_P(RandomIllegal, CausesAreThoseOfTheSpecification) {
  std::printf("SEED=%llu CASES=%llu\n", static_cast<unsigned long long>(kSeed),
              static_cast<unsigned long long>(kCases));
  RandomLayers random(bench.machine(), kSeed);
  const std::vector<Field> all = fields(bench.machine());
  std::array<uint32_t, kDlaErrorCount> seen{};
  for (uint64_t index = 0; index < kCases && !HasFailure(); ++index) {
    const dla_layer layer = draw_illegal(random, all);
    const dla_error expected = dla_check_layer(&bench.machine(), &layer);
    ++seen[expected];
    SCOPED_TRACE("case " + std::to_string(index) + ", expected: " + dla_error_text(expected));
    const dla_error cause = device_cause(layer);
    EXPECT_EQ(cause, expected) << dla_error_text(cause);
  }
  for (int cause = 0; cause < kDlaErrorCount; ++cause) {
    std::printf("%5u  %s\n", seen[cause], dla_error_text(static_cast<dla_error>(cause)));
  }
  expect_usable(bench);
}

INSTANTIATE_TEST_SUITE_P(Machines, RandomIllegal, testing::Values("eyeriss_6x8", "eyeriss_12x14"));

}  // namespace
}  // namespace fovea
