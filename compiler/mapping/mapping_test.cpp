// SPDX-License-Identifier: Apache-2.0
/// \file
/// The mapper's choices are legal, good and explained; the lab's mapping is the lab's.
#include "mapping.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <span>

#include "spec/machine_json.h"
#include "vgg_shapes.h"

namespace fovea {
namespace {

dla_machine small_machine() { return read_machine("sim/spec/machines/eyeriss_6x8.json").geometry; }
dla_machine large_machine() { return read_machine("sim/spec/machines/eyeriss_12x14.json").geometry; }

void expect_legal(const dla_machine& machine, const dla_shape& shape, const PlannedMapping& plan) {
  const dla_layer layer = {shape, plan.mapping, plan.glb, {7, kDlaNearestEven, 128, 128, 128}, 0, 0, 0};
  EXPECT_EQ(dla_check_layer(&machine, &layer), kDlaErrorNone) << to_text(plan.mapping);
}

std::uint64_t compulsory_read_bytes(const dla_shape& s) {
  return std::uint64_t{s.C} * s.H * s.W + std::uint64_t{s.M} * s.C * s.R * s.S + std::uint64_t{s.M} * 4;
}

/// DESIGN section 4 puts all five layers at 3,477,504 MAC cycles, and psums bind conv1 at 65,536 instead of 36,864.
TEST(Search, FiveLayersComeNearTheFloor) {
  std::uint64_t cycles = 0, bytes = 0, compulsory = 0;
  const dla_machine machine = small_machine();
  for (const dla_shape& shape : std::span(kVgg8).first(kVgg8Convolutions)) {
    const MappingChoice choice = choose_mapping(machine, shape, MappingMode::kSearch);
    ASSERT_TRUE(choice.plan) << choice.reason;
    expect_legal(machine, shape, *choice.plan);
    cycles += choice.plan->cost.cycles;
    bytes += choice.plan->cost.dram_bytes.read();
    compulsory += compulsory_read_bytes(shape);
  }
  EXPECT_LT(cycles, 3'560'000u);
  EXPECT_LT(bytes, compulsory + compulsory / 20) << "more than 1.05 times each tensor once";
}

TEST(Search, IsFast) {
  const dla_machine machine = small_machine();
  for (const dla_shape& shape : std::span(kVgg8).first(kVgg8Convolutions)) {
    const auto start = std::chrono::steady_clock::now();
    choose_mapping(machine, shape, MappingMode::kSearch);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(200)) << "even unoptimized";
  }
}

TEST(Search, ChoicesAreLegalForAnyShape) {
  std::mt19937 random(11);
  const auto draw = [&](unsigned low, unsigned high) {
    return low + static_cast<unsigned>(random() % (high - low + 1));
  };
  int planned = 0;
  for (int i = 0; i < 150; ++i) {
    const dla_machine machine = i % 2 == 0 ? small_machine() : large_machine();
    const dla_shape shape = {draw(1, 70), draw(1, 40), draw(1, 40),    draw(1, 90), draw(1, 15),
                             draw(1, 11), draw(1, 7),  draw(1, 4),     draw(0, 10), draw(0, 10),
                             draw(0, 10), draw(0, 10), draw(0, 1) == 1};
    for (const MappingMode mode : {MappingMode::kSearch, MappingMode::kLab}) {
      const MappingChoice choice = choose_mapping(machine, shape, mode);
      ASSERT_NE(choice.plan.has_value(), !choice.reason.empty());
      if (choice.plan) {
        expect_legal(machine, shape, *choice.plan);
        ++planned;
      }
    }
  }
  EXPECT_GT(planned, 150);
}

TEST(Lab, MappingAndFilterTilesAreTheLabs) {
  const dla_machine machine = small_machine();
  const unsigned m[] = {32, 64, 128, 128, 128};  // DESIGN section 6.
  for (int i = 0; i < 5; ++i) {
    const MappingChoice choice = choose_mapping(machine, kVgg8[i], MappingMode::kLab);
    ASSERT_TRUE(choice.plan);
    const dla_mapping& mapping = choice.plan->mapping;
    EXPECT_EQ(to_text(mapping), "m=" + std::to_string(m[i]) + (i == 0 ? " e=8 p=4 q=3" : " e=8 p=4 q=4") +
                                    " r=1 t=2 e_glb=8 streamed buffers=2");
    expect_legal(machine, kVgg8[i], *choice.plan);
  }
}

/// conv3 to conv5 read as much as the lab's package was measured to read (DESIGN section 7).
TEST(Lab, ReadsWhatTheLabReads) {
  const dla_machine machine = small_machine();
  const std::uint64_t bytes[] = {701'952, 934'912, 623'616};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(choose_mapping(machine, kVgg8[i + 2], MappingMode::kLab).plan->cost.dram_bytes.read(), bytes[i]);
  }
}

TEST(Refusal, NamesTheBindingLimit) {
  const dla_machine machine = small_machine();
  const auto reason = [&](const dla_shape& shape) {
    return choose_mapping(machine, shape, MappingMode::kSearch).reason;
  };
  EXPECT_EQ(reason({1, 9, 9, 1, 12, 3, 1, 1, 0, 0, 0, 0, false}), dla_error_text(kDlaErrorBadShape));
  EXPECT_EQ(reason({8, 40, 4095, 8, 11, 3, 1, 1, 0, 0, 0, 0, false}),
            "the ifmap rows of one pass need 90096 of the GLB's 65536 bytes");
  EXPECT_EQ(reason({8, 4095, 1800, 8, 2, 3, 1, 1, 0, 0, 0, 0, true}), "");
  dla_machine small_spads = machine;
  small_spads.filter_spad_bytes = 2;
  EXPECT_EQ(choose_mapping(small_spads, kVgg8[0], MappingMode::kSearch).reason,
            "a filter row needs 3 bytes in a PE; the machine's filter_spad_bytes is 2, and 3 would do");
  small_spads.ifmap_spad_bytes = 1;
  EXPECT_EQ(choose_mapping(small_spads, kVgg8[0], MappingMode::kSearch).reason,
            "a filter row needs 3 bytes in a PE; the machine's ifmap_spad_bytes is 1, and 3 would do");
  dla_shape pooled = {64, 3, 4095, 8, 1, 1, 1, 1, 5, 5, 5, 5, true};
  pooled.pool_size = 3;
  EXPECT_EQ(reason(pooled), "the psums of one filter need 49260 of the GLB's 65536 bytes, beside ifmap and filters");
}

}  // namespace
}  // namespace fovea
