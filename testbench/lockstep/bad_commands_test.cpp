// SPDX-License-Identifier: Apache-2.0
/// \file
/// Do model and RTL refuse the same commands, with the same cause, in the same cycle? SEED=n repeats, CASES=n enlarges.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>

#include "bench/number_from_environment.h"
#include "bench/random_layer.h"
#include "bench/small_layer.h"
#include "lockstep_bench.h"

namespace fovea {
namespace {

const uint64_t kSeed = number_from_environment("SEED", 2024);
const uint64_t kCases = number_from_environment("CASES", 1000);

constexpr uint32_t kFirst = DLA_LAYER_REG, kLast = DLA_LAYER_REG + 4 * (DLA_LAYER_WORDS - 1);

class BadCommands : public testing::TestWithParam<const char*> {
 protected:
  void write(uint32_t offset, uint32_t value) {
    for (DeviceBench* device : {&bench.rtl, &bench.systemc}) {
      ASSERT_EQ(device->hal().write32(device->hal().ctx, offset, value), kDlaOk);
    }
  }

  /// Starts what the registers hold, reads STATUS, ERROR and the counters after `cycles`, and drops the layer if it
  /// runs. \return whether the layer was refused.
  bool start_on_both(uint64_t cycles) {
    std::array<LayerOutcome, 2> outcomes;
    std::array<uint32_t, 2> status{};
    DeviceBench* devices[] = {&bench.rtl, &bench.systemc};
    for (int i = 0; i < 2; ++i) {
      const dla_hal_t& hal = devices[i]->hal();
      EXPECT_EQ(dla_start(&hal), kDlaOk);
      outcomes[i].status = dla_wait(&hal, cycles);
      status[i] = devices[i]->read(DLA_STATUS_REG);
      EXPECT_EQ(dla_read_error(&hal, &outcomes[i].error), kDlaOk);
      EXPECT_EQ(dla_read_counters(&hal, &outcomes[i].counters), kDlaOk);
      EXPECT_EQ(dla_reset(&hal, 10000), kDlaOk);
      EXPECT_EQ(dla_ack_irq(&hal), kDlaOk);
    }
    expect_equal(outcomes[0], outcomes[1]);
    EXPECT_EQ(status[0], status[1]);
    EXPECT_EQ(bench.rtl.backend().cycles(), bench.systemc.backend().cycles());
    causes.insert(outcomes[0].error);
    return outcomes[0].status == kDlaOk;
  }

  void write_layer(const dla_layer& layer) {
    for (DeviceBench* device : {&bench.rtl, &bench.systemc}) {
      ASSERT_EQ(dla_write_layer(&device->hal(), &device->machine(), &layer), kDlaOk);
    }
  }

  LockstepBench bench{GetParam(), "pipelined"};
  std::set<int> causes;
};

/// A legal command with some of its register bits turned over, wherever they are.
TEST_P(BadCommands, HaveTheSameCauseInTheSameCycle) {
  std::printf("SEED=%llu CASES=%llu\n", static_cast<unsigned long long>(kSeed),
              static_cast<unsigned long long>(kCases));
  RandomLayers random(bench.rtl.machine(), kSeed);
  uint64_t refused = 0;
  for (uint64_t index = 0; index < kCases && !HasFailure(); ++index) {
    SCOPED_TRACE("case " + std::to_string(index));
    const dla_layer layer = random.draw(LayerCoverage()).layer;
    write_layer(layer);
    for (uint32_t changes = random.between(1, 3); changes > 0; --changes) {
      const uint32_t offset = kFirst + 4 * random.between(0, (kLast - kFirst) / 4);
      const uint32_t flipped =
          random.one_in(3) ? 1u << random.between(0, 31) : random.between(0, 15) << random.between(0, 31);
      write(offset, bench.rtl.read(offset) ^ flipped);
      bench.systemc.read(offset);
    }
    refused += start_on_both(random.between(1, 600));
  }
  std::printf("%llu refused, %zu causes\n", static_cast<unsigned long long>(refused), causes.size());
}

TEST_P(BadCommands, EveryReservedBitIsRefusedAlike) {
  LayerCase test = small_layer(bench.rtl.machine());
  bench.rtl.place(test);
  for (uint32_t offset = kFirst; offset <= kLast && !HasFailure(); offset += 4) {
    for (uint32_t bit = 0; bit < 32; bit += 1) {
      SCOPED_TRACE("register " + std::to_string(offset) + " bit " + std::to_string(bit));
      write_layer(test.layer);
      write(offset, bench.rtl.read(offset) ^ 1u << bit);
      bench.systemc.read(offset);
      start_on_both(400);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, BadCommands, testing::Values("eyeriss_6x8", "eyeriss_12x14"));

}  // namespace
}  // namespace fovea
