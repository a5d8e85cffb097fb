// SPDX-License-Identifier: Apache-2.0
/// \file
/// Each assertion inside the accelerator fires when the signals it watches are forced to break it.
///
/// dla_top is verilated with the signals of forceable.vlt forceable; a sabotage forces some of them before a clock
/// edge. What it forces is where a value comes from: Verilator lets an assertion read that, not the ports on the way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "Vtop_assertions.h"
#include "Vtop_assertions___024root.h"
#include "assertion_bench.h"
#include "verilated.h"

namespace fovea {
namespace {

using Signals = Vtop_assertions___024root;
using Force = void (*)(Signals&);

// Forces bit 0 of a signal below dla_top; the second form, the bits of `mask`.
#define FORCE(signal, value) FORCE_BITS(signal, 1, value)
#define FORCE_BITS(signal, mask, value)                               \
  [](Signals& signals) {                                              \
    set_low_word(signals.dla_top__DOT__##signal##__VforceEn, mask);   \
    set_low_word(signals.dla_top__DOT__##signal##__VforceVal, value); \
  }

// Sets an input of dla_top, or what a register holds.
#define SET(signal, value) [](Signals& signals) { signals.signal = value; }

template <class Number>
void set_low_word(Number& number, uint32_t value) {
  number = static_cast<Number>(value);
}
template <std::size_t words>
void set_low_word(VlWide<words>& wide, uint32_t value) {
  wide[0] = value;
}

struct Bench {
  VerilatedContext context;
  Vtop_assertions top{&context, "TOP"};

  Bench() {
    cycle({});
    top.rst_ni = 1;
    cycle({});
  }

  void cycle(const std::vector<Force>& forces) {
    for (const Force force : forces) {
      force(*top.rootp);
    }
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
  }
};

/// What to force, cycle by cycle; a force stays.
struct Break {
  std::string assertion;
  std::vector<std::vector<Force>> cycles;
};

const std::vector<Break> kBreaks = {
    {"OneCause", {{FORCE(u_array_ctrl__DOT__compute_o, 1), FORCE(u_array_ctrl__DOT__psum_wait_o, 1)}}},
    {"BeatBelongsToABurst", {{SET(m_axi_rvalid_i, 1)}}},
    {"AnswerBelongsToABurst", {{SET(m_axi_bvalid_i, 1)}}},
    {"PassIsKnown", {{FORCE(u_psum_out__DOT__slot, 1), FORCE(u_psum_out__DOT__u_passes__DOT__out_valid_o, 0)}}},
    {"QueueHasRoom",
     {{FORCE(u_array_ctrl__DOT__pass_ready_o, 1), FORCE(u_psum_out__DOT__u_passes__DOT__in_ready_o, 0)}}},
    {"SlotWasCollected", {{FORCE(u_psum_out__DOT__slot, 1), FORCE_BITS(u_psum_out__DOT__left_q, 0x200, 0x200)}}},
    {"TileHasRoom", {{FORCE(u_post__DOT__tile_valid_o, 1), FORCE(u_store__DOT__u_tiles__DOT__in_ready_o, 0)}}},
    {"BeatHasRoom", {{FORCE(u_store__DOT__beat_done, 1), FORCE(u_store__DOT__u_beats__DOT__in_ready_o, 0)}}},
    {"BeatHasRoom", {{FORCE(u_store__DOT__beat_done, 1), FORCE(u_store__DOT__u_bursts__DOT__in_ready_o, 0)}}},
    {"BeatIsThere", {{FORCE_BITS(u_store__DOT__send_q, 3, 2), FORCE(u_store__DOT__u_beats__DOT__out_valid_o, 0)}}},
    {"WriteResponseStaysValid",
     {{FORCE(u_regs__DOT__bvalid_o, 1), FORCE(u_regs__DOT__bready_i, 0)}, {FORCE(u_regs__DOT__bvalid_o, 0)}}},
    {"WriteResponseHoldsData",
     {{FORCE(u_regs__DOT__bvalid_o, 1), FORCE(u_regs__DOT__bready_i, 0), FORCE(u_regs__DOT__bresp_o, 0)},
      {FORCE(u_regs__DOT__bresp_o, 1)}}},
    {"ReadDataStaysValid",
     {{FORCE(u_regs__DOT__rvalid_o, 1), FORCE(u_regs__DOT__rready_i, 0)}, {FORCE(u_regs__DOT__rvalid_o, 0)}}},
    {"ReadDataHoldsData",
     {{FORCE(u_regs__DOT__rvalid_o, 1), FORCE(u_regs__DOT__rready_i, 0), FORCE(u_regs__DOT__rdata_o, 0)},
      {FORCE(u_regs__DOT__rdata_o, 1)}}},
    {"LoadStaysValid",
     {{FORCE(u_loads__DOT__out_valid_o, 1), FORCE(u_load__DOT__job_ready_o, 0)},
      {FORCE(u_loads__DOT__out_valid_o, 0)}}},
    {"LoadHoldsData",
     {{FORCE(u_loads__DOT__out_valid_o, 1), FORCE(u_load__DOT__job_ready_o, 0)},
      {SET(dla_top__DOT__u_loads__DOT__entries_q[0][0], 1)}}},
    {"FilterSetStaysValid",
     {{FORCE(u_sets__DOT__out_valid_o, 1), FORCE(u_filter_feed__DOT__set_ready_o, 0)},
      {FORCE(u_sets__DOT__out_valid_o, 0)}}},
    {"FilterSetHoldsData",
     {{FORCE(u_sets__DOT__out_valid_o, 1), FORCE(u_filter_feed__DOT__set_ready_o, 0)},
      {SET(dla_top__DOT__u_sets__DOT__entries_q[0], 1)}}},
    {"PassStaysValid",
     {{FORCE(u_passes__DOT__out_valid_o, 1), FORCE(u_array_ctrl__DOT__pass_ready_o, 0)},
      {FORCE(u_passes__DOT__out_valid_o, 0)}}},
    {"PassHoldsData",
     {{FORCE(u_passes__DOT__out_valid_o, 1), FORCE(u_array_ctrl__DOT__pass_ready_o, 0)},
      {SET(dla_top__DOT__u_passes__DOT__entries_q[0][0], 1)}}},
    {"QuotientsAreThere",
     {{FORCE_BITS(u_setup__DOT__step_q, 0x3f, 28), FORCE(u_setup__DOT__u_quotients__DOT__done_o, 0)}}},
    // In an idle device every address is 0, and every bank in the first column.
    {"EachReadIsInItsColumn", {{FORCE_BITS(u_ifmap_feed__DOT__glb_read_o, 3, 3)}}},
    {"EachWriteIsInItsColumn", {{FORCE(u_psum_out__DOT__glb_write_o, 1)}}},
    // The first bank is given to the psums, whose column follows four of ifmaps and one of filters.
    {"NoReadOfAWordBeingWritten",
     {{SET(dla_top__DOT__u_glb__DOT__column_q[0], 5), FORCE(u_psum_in__DOT__glb_read_o, 1),
       FORCE(u_psum_out__DOT__glb_write_o, 1)}}},
};

/// Assertions of every source file but the checkers, which have tests of their own.
std::set<std::string> assertions_of_the_units() {
  std::set<std::string> names;
  std::ifstream list(std::string(FOVEA_RTL_DIR) + "/dla.f");
  for (std::string line; std::getline(list, line);) {
    if (line.rfind("src/", 0) == 0 && line.find("_checker.sv") == std::string::npos) {
      names.merge(assertions_of(line));
    }
  }
  return names;
}

TEST(TopAssertions, HoldInAnIdleDevice) {
  EXPECT_THAT(failed_assertions([] {
                Bench bench;
                for (int cycle = 0; cycle < 100; ++cycle) {
                  bench.cycle({});
                }
              }),
              testing::IsEmpty());
}

TEST(TopAssertions, EachCanBeBroken) {
  for (const Break& sabotage : kBreaks) {
    EXPECT_THAT(failed_assertions([&] {
                  Bench bench;
                  for (const std::vector<Force>& forces : sabotage.cycles) {
                    bench.cycle(forces);
                  }
                  bench.cycle({});  // A force may reach what depends on it only after an edge.
                }),
                testing::Contains(sabotage.assertion));
  }
}

TEST(TopAssertions, NoneIsUntested) {
  std::set<std::string> broken;
  for (const Break& sabotage : kBreaks) {
    broken.insert(sabotage.assertion);
  }
  EXPECT_EQ(broken, assertions_of_the_units());
}

}  // namespace
}  // namespace fovea
