// SPDX-License-Identifier: Apache-2.0
/// \file
/// A module of the RTL on its own, with a clock and a reset.
#pragma once

#include <gtest/gtest.h>

#include "rtl/coverage_count.h"

namespace fovea {

/// \tparam Unit  The verilated module; its pins are set before a cycle.
template <class Unit>
class UnitBench : public testing::Test {
 protected:
  void cycle() {
    unit.clk_i = 0;
    unit.eval();
    unit.clk_i = 1;
    unit.eval();
  }

  /// A cycle in reset and one out of it. The reset falls, as it may in the middle of anything.
  void reset() {
    unit.rst_ni = 1;
    unit.eval();
    unit.rst_ni = 0;
    cycle();
    unit.rst_ni = 1;
    cycle();
  }

  Unit unit;

 private:
  CoverageCount count_{*unit.contextp()};
};

}  // namespace fovea
