// SPDX-License-Identifier: Apache-2.0
/// \file
/// Do model and RTL answer any conversation over their registers alike, while layers run? SEED=n repeats, CASES=n
/// enlarges.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <iterator>

#include "bench/number_from_environment.h"
#include "bench/random_layer.h"
#include "bench/small_layer.h"
#include "lockstep_bench.h"

namespace fovea {
namespace {

const uint64_t kSeed = number_from_environment("SEED", 2024);
const uint64_t kCases = number_from_environment("CASES", 5000);  ///< Accesses.

/// One access, or a wait.
struct Move {
  enum Kind { kRead, kWrite, kWait } kind;
  uint32_t offset, value, strobes;
};

struct Answer {
  dla_status_t status;
  uint32_t value;
};

Answer answer(DeviceBench& device, const Move& move) {
  uint32_t value = 0;
  const dla_hal_t& hal = device.hal();
  switch (move.kind) {
    case Move::kRead: {
      const dla_status_t status = hal.read32(hal.ctx, move.offset, &value);
      return {status, value};
    }
    case Move::kWrite:
      return {device.backend().write_strobed(move.offset, move.value, move.strobes), 0};
    default:
      return {hal.wait_irq(hal.ctx, move.value), 0};
  }
}

/// Mostly what a driver would do; sometimes anything.
Move draw(RandomLayers& random) {
  constexpr uint32_t kControls[] = {DLA_CTRL_REG,       DLA_STATUS_REG,   DLA_ERROR_REG,     DLA_IRQ_ENABLE_REG,
                                    DLA_IRQ_STATUS_REG, DLA_WATCHDOG_REG, DLA_ERROR_ADDR_REG};
  const uint32_t control = kControls[random.between(0, std::size(kControls) - 1)];
  const uint32_t strobes = random.one_in(20) ? random.between(0, 15) : 15;
  switch (random.between(0, 9)) {
    case 0:
    case 1:
      return {Move::kWait, 0, random.one_in(4) ? random.between(1, 6000) : random.between(1, 300), 0};
    case 2:
      return {Move::kRead, random.between(0, 0xfff), 0, 0};
    case 3:
      return {Move::kWrite, random.between(0, 0xfff), random.between(0, 3), strobes};
    case 4:
      return {Move::kRead, DLA_COUNT_CYCLES_REG + 4 * random.between(0, 15), 0, 0};
    case 5:
      return {Move::kWrite, DLA_CTRL_REG, random.one_in(6) ? random.between(0, 3) : 1, strobes};
    case 6:
    case 7:
      return {Move::kRead, control, 0, 0};
    default:
      return {Move::kWrite, control == DLA_CTRL_REG ? DLA_IRQ_STATUS_REG : control,
              random.one_in(2)   ? 3
              : random.one_in(2) ? 0x80000000u
                                 : random.between(0, 3),
              strobes};
  }
}

class RegisterConversation : public testing::TestWithParam<const char*> {};

TEST_P(RegisterConversation, IsTheSame) {
  std::printf("SEED=%llu CASES=%llu\n", static_cast<unsigned long long>(kSeed),
              static_cast<unsigned long long>(kCases));
  LockstepBench bench(GetParam(), "pipelined");
  RandomLayers random(bench.rtl.machine(), kSeed);
  LayerCase test = small_layer(bench.rtl.machine());
  for (uint64_t index = 0; index < kCases; ++index) {
    if (index % 50 == 0) {
      // A legal command again: the conversation may have spoilt it.
      for (DeviceBench* device : {&bench.rtl, &bench.systemc}) {
        ASSERT_EQ(dla_reset(&device->hal(), 10'000), kDlaOk);
        device->place(test);
        ASSERT_EQ(dla_write_layer(&device->hal(), &device->machine(), &test.layer), kDlaOk);
      }
    }
    const Move move = draw(random);
    SCOPED_TRACE("access " + std::to_string(index) + ": kind " + std::to_string(move.kind) + ", offset " +
                 std::to_string(move.offset) + ", value " + std::to_string(move.value));
    const Answer rtl = answer(bench.rtl, move), systemc = answer(bench.systemc, move);
    ASSERT_EQ(rtl.status, systemc.status);
    ASSERT_EQ(rtl.value, systemc.value);
    ASSERT_EQ(bench.rtl.backend().cycles(), bench.systemc.backend().cycles());
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, RegisterConversation, testing::Values("eyeriss_6x8", "eyeriss_12x14"));

BackendOptions options_of(const char* machine) {
  BackendOptions options;
  options.machine = shipped_machine(machine);
  options.memory_bytes = DeviceBench::kMemoryBytes;
  return options;
}

TEST(SystemcDevice, IsNewEachTimeItIsOpened) {
  uint32_t cycles = 0;
  for (int round = 0; round < 3; ++round) {
    const BackendOptions options = options_of("eyeriss_6x8");
    DeviceBench bench(options.machine, open_backend("systemc", options));
    LayerCase test = small_layer(bench.machine());
    const LayerOutcome outcome = bench.run(test);
    EXPECT_EQ(outcome.error, kDlaErrorNone);
    EXPECT_TRUE(round == 0 || cycles == outcome.counters.cycles);
    cycles = outcome.counters.cycles;
    // Left in the middle of a layer; then another machine.
    ASSERT_EQ(dla_start(&bench.hal()), kDlaOk);
    EXPECT_EQ(dla_wait(&bench.hal(), 500 + 1000 * round), kDlaTimeout);
  }
  const BackendOptions options = options_of("eyeriss_12x14");
  DeviceBench other(options.machine, open_backend("systemc", options));
  expect_usable(other);
}

TEST(SystemcDevice, IsOneAProcess) {
  const BackendOptions options = options_of("eyeriss_6x8");
  const std::unique_ptr<Backend> first = open_backend("systemc", options);
  EXPECT_THROW(open_backend("systemc", options), BackendError);
}

}  // namespace
}  // namespace fovea
