// SPDX-License-Identifier: Apache-2.0
/// \file
/// On random wrong settings, is the RTL's cause dla_check_layer()'s? SEED=n repeats, CASES=n enlarges.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bench/number_from_environment.h"
#include "bench/random_layer.h"
#include "bench/small_layer.h"
#include "spec/dla_fields.h"

namespace fovea {
namespace {

const uint64_t kSeed = number_from_environment("SEED", 2024);
const uint64_t kCases = number_from_environment("CASES", 4000);  ///< On each machine.

/// A number of a layer command, in its struct's bytes, and the largest value its register field holds.
struct Number {
  size_t offset;
  uint32_t largest;
  uint32_t step = 1;  ///< Of a bank, where the field counts banks.
};

std::vector<Number> numbers(const dla_machine& machine) {
  std::vector<Number> all;
  for (const dla_field_group& group : dla_layer_groups) {
    for (const dla_field* field = group.fields; field != group.fields + group.count; ++field) {
      const size_t offset = group.offset + field->offset;
      if (field->kind == kDlaFieldNumber && !field->is_byte) {
        all.push_back({offset, dla_field_max(field)});
      } else if (field->kind == kDlaFieldRegion) {
        all.push_back({offset + offsetof(dla_region, base_bytes), 65535, machine.glb_bank_bytes});
        all.push_back({offset + offsetof(dla_region, size_bytes), 65535, machine.glb_bank_bytes});
      }
    }
  }
  return all;
}

/// Near what it was, near an end of its range, or anything.
void change(RandomLayers& random, const Number& of, dla_layer& layer) {
  auto& number = *reinterpret_cast<uint32_t*>(reinterpret_cast<char*>(&layer) + of.offset);
  const uint64_t now = number / of.step;
  const std::array<uint64_t, 8> choices = {now + 1,
                                           now == 0 ? 0 : now - 1,
                                           2 * now,
                                           now / 2,
                                           0,
                                           of.largest,
                                           of.largest - random.between(0, 3),
                                           random.between(0, of.largest)};
  const uint64_t value = choices[random.between(0, choices.size() - 1)];
  number = static_cast<uint32_t>(std::min<uint64_t>(value, of.largest)) * of.step;
}

/// A legal layer with one to three numbers changed.
dla_layer draw_illegal(RandomLayers& random, const std::vector<Number>& all) {
  dla_layer layer = random.draw(LayerCoverage()).layer;
  dla_shape& s = layer.shape;
  layer.filter_addr = DeviceBench::kMemoryBase;
  layer.ifmap_addr = s.ifmap_on_chip ? layer.ifmap_addr : DeviceBench::kMemoryBase;
  layer.ofmap_addr = s.ofmap_on_chip ? layer.ofmap_addr : DeviceBench::kMemoryBase;
  layer.residual_addr = s.residual_on_chip ? layer.residual_addr : DeviceBench::kMemoryBase;
  for (uint32_t changes = random.between(1, 3); changes > 0; --changes) {
    change(random, all[random.between(0, static_cast<uint32_t>(all.size() - 1))], layer);
  }
  s.pool ^= random.one_in(8);
  s.scaled ^= random.one_in(8);
  s.filter_scales ^= random.one_in(8);
  s.residual ^= random.one_in(8);
  s.lookup ^= random.one_in(8);
  s.ifmap_on_chip ^= random.one_in(16);
  s.residual_on_chip ^= random.one_in(16);
  s.ofmap_on_chip ^= random.one_in(16);
  s.filters_on_chip ^= random.one_in(16);
  // Other columns, and places of words: a change of a number is about the last bytes of an address mostly.
  for (uint32_t* addr : {&layer.ifmap_addr, &layer.residual_addr, &layer.ofmap_addr}) {
    *addr ^= random.one_in(16) ? random.between(0, 9) << 24 : 0;
    *addr ^= random.one_in(16) ? random.between(0, 0x3ff) << 5 : 0;
  }
  layer.quant.sum_lowest = static_cast<uint8_t>(random.one_in(8) ? random.between(0, 255) : layer.quant.sum_lowest);
  layer.quant.lowest = static_cast<uint8_t>(random.one_in(8) ? random.between(0, 255) : layer.quant.lowest);
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
  RandomLayers random(bench.machine(), kSeed, Places::kAny);
  const std::vector<Number> all = numbers(bench.machine());
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
