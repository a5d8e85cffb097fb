// SPDX-License-Identifier: Apache-2.0
/// \file
/// Each rule of dla_axi_checker is broken once and stops the run under its own name; orderly traffic does not.
#include <gtest/gtest.h>

#include <utility>

#include "Vaxi_checker.h"
#include "assertion_bench.h"
#include "rtl/coverage_count.h"
#include "verilated.h"

namespace fovea {
namespace {

/// The checker on its own; every pin is ours. Bursts are 4-byte words, at most 16 a burst.
struct Bench {
  VerilatedContext context;
  Vaxi_checker pins{&context};
  CoverageCount count{context};

  Bench() {
    idle();
    pins.rst_ni = 0;
    cycle();
    pins.rst_ni = 1;
  }

  void cycle() {
    pins.clk_i = 0;
    pins.eval();
    pins.clk_i = 1;
    pins.eval();
  }

  /// Nothing valid, everything ready.
  void idle() {
    pins.arvalid = pins.rvalid = pins.awvalid = pins.wvalid = pins.bvalid = 0;
    pins.arready = pins.rready = pins.awready = pins.wready = pins.bready = 1;
    pins.arsize = pins.awsize = 2;
    pins.arburst = pins.awburst = 1;
    pins.arlen = pins.awlen = 0;
    pins.araddr = pins.awaddr = 0x1000;
    pins.rresp = pins.bresp = 0;
    pins.arid = pins.awid = pins.rid = pins.bid = 0;
    pins.arprot = pins.awprot = 2;
    pins.arcache = pins.awcache = 2;
  }
  void finish_cycle() {
    cycle();
    idle();
  }
  void ar(uint32_t addr, uint8_t len) {
    pins.arvalid = 1;
    pins.araddr = addr;
    pins.arlen = len;
    finish_cycle();
  }
  void aw(uint32_t addr, uint8_t len) {
    pins.awvalid = 1;
    pins.awaddr = addr;
    pins.awlen = len;
    finish_cycle();
  }
  void r(bool last) {
    pins.rvalid = 1;
    pins.rlast = last;
    finish_cycle();
  }
  void w(bool last) {
    pins.wvalid = 1;
    pins.wlast = last;
    finish_cycle();
  }
  void b() {
    pins.bvalid = 1;
    finish_cycle();
  }
};

/// A cycle with `valid` high and `ready` low, then another after `change`.
void stall(Bench& bench, CData& valid, CData& ready, const std::function<void()>& change) {
  valid = 1;
  ready = 0;
  bench.cycle();
  change();
  bench.cycle();
}

/// Drops valid, or changes the data, of a stream that waits. `owe` makes the stream legal first.
template <class Get>
Sabotage<Bench> drop(const std::string& assertion, void (*owe)(Bench&), Get pins) {
  return {assertion, [=](Bench& b) {
            owe(b);
            auto [valid, ready] = pins(b);
            stall(b, *valid, *ready, [v = valid] { *v = 0; });
          }};
}

template <class Get, class Change>
Sabotage<Bench> alter(const std::string& assertion, void (*owe)(Bench&), Get pins, Change change) {
  return {assertion, [=](Bench& b) {
            owe(b);
            auto [valid, ready] = pins(b);
            stall(b, *valid, *ready, [&b, change] { change(b); });
          }};
}

void owe_nothing(Bench&) {}
void owe_r(Bench& b) { b.ar(0x1000, 0); }
void owe_w(Bench& b) { b.aw(0x1000, 0); }
void owe_b(Bench& b) {
  b.aw(0x1000, 0);
  b.w(true);
}

using Pins = std::pair<CData*, CData*>;
Pins ar_pins(Bench& b) { return {&b.pins.arvalid, &b.pins.arready}; }
Pins aw_pins(Bench& b) { return {&b.pins.awvalid, &b.pins.awready}; }
Pins w_pins(Bench& b) {
  b.pins.wlast = 1;
  return {&b.pins.wvalid, &b.pins.wready};
}
Pins r_pins(Bench& b) {
  b.pins.rlast = 1;
  return {&b.pins.rvalid, &b.pins.rready};
}
Pins b_pins(Bench& b) { return {&b.pins.bvalid, &b.pins.bready}; }

/// More requests than the checker follows, with one more on the way.
void flood(Bench& b, void (*request)(Bench&)) {
  for (int i = 0; i < 64; ++i) {
    request(b);
  }
  request(b);
}

const std::vector<Sabotage<Bench>>& sabotages() {
  static const std::vector<Sabotage<Bench>> table = {
      drop("ArStaysValid", owe_nothing, ar_pins),
      drop("AwStaysValid", owe_nothing, aw_pins),
      drop("WStaysValid", owe_w, w_pins),
      drop("RStaysValid", owe_r, r_pins),
      drop("BStaysValid", owe_b, b_pins),
      alter("ArHoldsData", owe_nothing, ar_pins, [](Bench& b) { b.pins.araddr ^= 4; }),
      alter("ArHoldsData", owe_nothing, ar_pins, [](Bench& b) { b.pins.arlen ^= 1; }),
      alter("ArHoldsData", owe_nothing, ar_pins, [](Bench& b) { b.pins.arprot ^= 1; }),
      alter("ArHoldsData", owe_nothing, ar_pins, [](Bench& b) { b.pins.arcache ^= 1; }),
      alter("AwHoldsData", owe_nothing, aw_pins, [](Bench& b) { b.pins.awprot ^= 1; }),
      alter("AwHoldsData", owe_nothing, aw_pins, [](Bench& b) { b.pins.awcache ^= 1; }),
      alter("AwHoldsData", owe_nothing, aw_pins, [](Bench& b) { b.pins.awaddr ^= 4; }),
      alter("AwHoldsData", owe_nothing, aw_pins, [](Bench& b) { b.pins.awlen ^= 1; }),
      alter("WHoldsData", owe_w, w_pins, [](Bench& b) { b.pins.wdata ^= 1; }),
      alter("WHoldsData", owe_w, w_pins, [](Bench& b) { b.pins.wstrb ^= 1; }),
      alter("RHoldsData", owe_r, r_pins, [](Bench& b) { b.pins.rdata ^= 1; }),
      alter("RHoldsData", owe_r, r_pins, [](Bench& b) { b.pins.rresp ^= 2; }),
      alter("BHoldsData", owe_b, b_pins, [](Bench& b) { b.pins.bresp ^= 2; }),
      {"ArHasOneId",
       [](Bench& b) {
         b.pins.arid = 1;
         b.ar(0x1000, 0);
       }},
      {"AwHasOneId",
       [](Bench& b) {
         b.pins.awid = 1;
         b.aw(0x1000, 0);
       }},
      {"RHasOneId",
       [](Bench& b) {
         owe_r(b);
         b.pins.rid = 1;
         b.r(true);
       }},
      {"BHasOneId",
       [](Bench& b) {
         owe_b(b);
         b.pins.bid = 1;
         b.b();
       }},
      {"ArIsIncr",
       [](Bench& b) {
         b.pins.arburst = 0;
         b.ar(0x1000, 0);
       }},
      {"AwIsIncr",
       [](Bench& b) {
         b.pins.awburst = 2;
         b.aw(0x1000, 0);
       }},
      {"ArIsWordWide",
       [](Bench& b) {
         b.pins.arsize = 1;
         b.ar(0x1000, 0);
       }},
      {"AwIsWordWide",
       [](Bench& b) {
         b.pins.awsize = 0;
         b.aw(0x1000, 0);
       }},
      {"ArStaysInPage", [](Bench& b) { b.ar(0x1ffc, 1); }},
      {"AwStaysInPage", [](Bench& b) { b.aw(0x1fc4, 15); }},
      {"ArIsShort", [](Bench& b) { b.ar(0x1000, 16); }},
      {"AwIsShort", [](Bench& b) { b.aw(0x1000, 16); }},
      {"WFollowsAw", [](Bench& b) { b.w(true); }},
      {"WFollowsAw",
       [](Bench& b) {
         b.aw(0x1000, 0);
         b.w(true);
         b.w(true);
       }},
      {"WLastEndsBurst",
       [](Bench& b) {
         b.aw(0x1000, 1);
         b.w(true);
       }},
      {"WLastEndsBurst",
       [](Bench& b) {
         b.aw(0x1000, 1);
         b.w(false);
         b.w(false);
       }},
      {"RFollowsAr", [](Bench& b) { b.r(true); }},
      {"RLastEndsBurst",
       [](Bench& b) {
         b.ar(0x1000, 1);
         b.r(true);
       }},
      {"RLastEndsBurst",
       [](Bench& b) {
         b.ar(0x1000, 0);
         b.r(false);
       }},
      {"BFollowsW",
       [](Bench& b) {
         b.aw(0x1000, 0);
         b.b();
       }},
      {"RNotExclusive",
       [](Bench& b) {
         b.ar(0x1000, 0);
         b.pins.rresp = 1;
         b.r(true);
       }},
      {"BNotExclusive",
       [](Bench& b) {
         owe_b(b);
         b.pins.bresp = 1;
         b.b();
       }},
      {"RequestsFollowed", [](Bench& b) { flood(b, [](Bench& x) { x.ar(0x1000, 0); }); }},
      {"RequestsFollowed", [](Bench& b) { flood(b, [](Bench& x) { x.aw(0x1000, 0); }); }},
      {"RequestsFollowed", [](Bench& b) { flood(b, owe_b); }},
  };
  return table;
}

TEST(AxiChecker, EachRuleCanBeBroken) {
  for (const Sabotage<Bench>& sabotage : sabotages()) {
    EXPECT_EQ(failed_assertion([&] {
                Bench bench;
                sabotage.run(bench);
              }),
              sabotage.assertion);
  }
}

TEST(AxiChecker, NoRuleIsUntested) { EXPECT_EQ(names_of(sabotages()), assertions_of("src/dla_axi_checker.sv")); }

TEST(AxiChecker, OrderlyTrafficPasses) {
  EXPECT_EQ(failed_assertion([] {
              Bench b;
              b.ar(0x1fc0, 15);
              b.ar(0x2000, 0);
              b.aw(0x1ffc, 0);
              b.aw(0x1000, 1);
              for (int beat = 0; beat < 16; ++beat) {
                b.r(beat == 15);
              }
              b.r(true);
              b.w(true);
              b.w(false);
              b.b();
              b.w(true);
              b.b();
            }),
            "");
}

TEST(AxiChecker, DataMayMoveInTheSameCycleAsItsAddress) {
  EXPECT_EQ(failed_assertion([] {
              Bench b;
              b.pins.wvalid = b.pins.wlast = 1;
              b.aw(0x1000, 0);
              b.b();
            }),
            "");
}

}  // namespace
}  // namespace fovea
