// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does dla_fifo keep order and count, at any pace on either side? One-bit entries, four of them.
#include <gtest/gtest.h>

#include <deque>
#include <random>

#include "Vdla_fifo.h"
#include "rtl/coverage_count.h"

namespace fovea {
namespace {

constexpr size_t kDepth = 4;

class Fifo : public testing::Test {
 protected:
  Fifo() {
    cycle(false, false, false);
    unit.rst_ni = 1;
    cycle(false, false, false);
  }

  /// Runs a cycle beside the model, a deque; the pins are compared before the edge.
  void cycle(bool in_valid, bool in_data, bool out_ready, bool clear = false) {
    unit.in_valid_i = in_valid;
    unit.in_data_i = in_data;
    unit.out_ready_i = out_ready;
    unit.clear_i = clear;
    unit.clk_i = 0;
    unit.eval();
    if (unit.rst_ni != 0) {
      compare_and_step(in_valid, in_data, out_ready, clear);
    }
    unit.clk_i = 1;
    unit.eval();
  }

  Vdla_fifo unit;
  CoverageCount count{*unit.contextp()};
  std::deque<bool> model;

 private:
  void compare_and_step(bool in_valid, bool in_data, bool out_ready, bool clear) {
    const bool room = model.size() < kDepth;
    EXPECT_EQ(unit.in_ready_o != 0, room);
    EXPECT_EQ(unit.out_valid_o != 0, !model.empty());
    if (!model.empty()) {
      EXPECT_EQ(unit.out_data_o != 0, model.front());
      if (out_ready) {
        model.pop_front();
      }
    }
    if (in_valid && room) {
      model.push_back(in_data);
    }
    if (clear) {
      model.clear();
    }
  }
};

TEST_F(Fifo, KeepsOrderAtAnyPace) {
  std::mt19937 source(1);
  for (const uint32_t pace : {1u, 2u, 5u}) {
    for (int i = 0; i < 3000 && !HasFailure(); ++i) {
      cycle(source() % pace == 0, source() % 2 == 0, source() % 3 == 0);
    }
  }
}

TEST_F(Fifo, FillsUpAndEmptiesCompletely) {
  for (size_t i = 0; i < kDepth + 2; ++i) {
    cycle(true, i % 2 == 0, false);
  }
  EXPECT_EQ(unit.in_ready_o, 0);
  for (size_t i = 0; i < kDepth + 2; ++i) {
    cycle(false, false, true);
  }
  EXPECT_EQ(unit.out_valid_o, 0);
}

TEST_F(Fifo, IsEmptyAfterAClear) {
  cycle(true, true, false);
  cycle(true, true, false);
  cycle(true, true, false, true);
  cycle(false, false, false);
  EXPECT_EQ(unit.out_valid_o, 0);
}

}  // namespace
}  // namespace fovea
