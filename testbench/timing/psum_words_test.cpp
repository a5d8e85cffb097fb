// SPDX-License-Identifier: Apache-2.0
/// \file
/// Do products, and psum words between PEs and GLB, come in the cycles of docs/timing.md: counted in cycle k + 1, not
/// in k?
#include <gtest/gtest.h>

#include "layer_events.h"
#include "paper_passes.h"

namespace fovea {
namespace {

/// Two passes of one output column, so that while psums move nothing else does.
LayerCase two_passes(const dla_machine& machine) {
  LayerCase test;
  test.layer.shape = {2, 6, 3, 2, 3, 3, 1, 1, 0, 0, 0, 0, false};
  test.layer.mapping = {2, 1, 4, 2, 1, 1, 1, 4, true, 2, kDlaLoopOrderRowsFiltersChannels};
  test.layer.quant = {3, kDlaFloor, 0, 128, 128};
  EXPECT_EQ(dla_plan_glb(&machine, &test.layer.shape, &test.layer.mapping, &test.layer.glb), kDlaErrorNone);
  test.ifmap.assign(2 * 6 * 3, 131);
  test.filter.assign(2 * 2 * 9, 2);
  test.bias.assign(2, 5);
  return test;
}

class PsumWords : public testing::TestWithParam<Scenario> {
 protected:
  PsumWords() : bench(GetParam()) { bench.place(test); }

  /// What a counter holds `cycle` cycles after START was accepted, of what was counted in the cycles before.
  uint32_t counter(uint32_t offset, uint64_t cycle) {
    // START is accepted in the first of its access's three cycles; a register is read in the first of its own.
    constexpr uint64_t kAccess = 3;
    EXPECT_EQ(dla_write_layer(&bench.hal(), &bench.machine(), &test.layer), kDlaOk);
    EXPECT_EQ(dla_start(&bench.hal()), kDlaOk);
    EXPECT_EQ(dla_wait(&bench.hal(), cycle - kAccess), kDlaTimeout);
    const uint32_t value = bench.read(offset);
    EXPECT_EQ(dla_reset(&bench.hal(), 1000), kDlaOk);
    return value;
  }

  /// Expects that the counter goes up by `step` in each of the cycles `first` to `first` + `count` - 1, and not before.
  void expect_steps(uint32_t offset, uint64_t first, uint32_t count, uint32_t step = 1) {
    const uint32_t before = counter(offset, first - 1);
    EXPECT_EQ(counter(offset, first), before) << "one came before its cycle";
    for (uint32_t i = 0; i < count; ++i) {
      EXPECT_EQ(counter(offset, first + i + 1), before + (i + 1) * step) << "word " << i;
    }
  }

  /// Cycles of the layer's events from START on.
  uint64_t at(const std::string& event, size_t number) { return events.at(event, number) - events.at("ctrl start", 0); }

  void SetUp() override {
    paper = paper_layer(bench.machine(), test.layer);
    ASSERT_EQ(paper.passes.size(), 2u);
  }

  // The events come from a device of their own, which is gone when the one below is opened.
  LayerCase test = two_passes(shipped_machine(GetParam().machine).geometry);
  LayerEvents events = [this] {
    std::vector<LayerCase> layers = {test};
    return run_for_events(GetParam(), layers).at(0);
  }();
  DeviceBench bench;
  PaperLayer paper;
};

TEST_P(PsumWords, ProductsBeginTheCycleAfterTheStart) {
  for (size_t k : {0u, 1u}) {
    expect_steps(DLA_COUNT_COMPUTE_CYCLES_REG, at("array start", k) + 1, 3);
  }
}

/// Word i of the slot that ended in T is in the GLB, readable, in T + 8 + D + i; so it is written a cycle before.
TEST_P(PsumWords, AreWrittenToTheGlb) {
  const uint64_t T = at("array start", 0) + paper.passes[0].slot;
  expect_steps(DLA_COUNT_GLB_WRITE_WORDS_REG, T + 8 + paper.D - 1, paper.passes[0].slot_words,
               dla_psum_columns(&bench.machine()));
}

/// Word i is read in T + 4 + i for a slot that starts in T.
TEST_P(PsumWords, AreReadFromTheGlb) {
  const uint64_t T = at("array start", 1) + 1;
  expect_steps(DLA_COUNT_GLB_READ_WORDS_REG, T + 4, paper.passes[1].slot_words, dla_psum_columns(&bench.machine()));
}

INSTANTIATE_TEST_SUITE_P(Devices, PsumWords, testing::ValuesIn(all_scenarios()),
                         [](const auto& scenario) { return name_of(scenario.param); });

}  // namespace
}  // namespace fovea
