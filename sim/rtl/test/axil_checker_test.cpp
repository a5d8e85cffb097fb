// SPDX-License-Identifier: Apache-2.0
/// \file
/// Each rule of dla_axil_checker is broken once and stops the run under its own name; orderly traffic does not.
#include <gtest/gtest.h>

#include "Vaxil_checker.h"
#include "assertion_bench.h"
#include "rtl/coverage_count.h"
#include "verilated.h"

namespace fovea {
namespace {

/// The checker on its own; every pin is ours.
struct Bench {
  VerilatedContext context;
  Vaxil_checker pins{&context};
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
    pins.rresp = pins.bresp = 0;
  }

  /// One handshake on the channel of `valid`.
  void move(CData& valid) {
    valid = 1;
    cycle();
    idle();
  }
  void owe_b() {
    move(pins.awvalid);
    move(pins.wvalid);
  }
  void owe_r() { move(pins.arvalid); }

  /// A cycle with `valid` high and `ready` low, then another after `change`.
  void stall(CData& valid, CData& ready, const std::function<void()>& change) {
    valid = 1;
    ready = 0;
    cycle();
    change();
    cycle();
  }
};

const std::vector<Sabotage<Bench>>& sabotages() {
  static const std::vector<Sabotage<Bench>> table = {
      {"AwStaysValid", [](Bench& b) { b.stall(b.pins.awvalid, b.pins.awready, [&] { b.pins.awvalid = 0; }); }},
      {"AwHoldsData", [](Bench& b) { b.stall(b.pins.awvalid, b.pins.awready, [&] { b.pins.awaddr ^= 4; }); }},
      {"WStaysValid", [](Bench& b) { b.stall(b.pins.wvalid, b.pins.wready, [&] { b.pins.wvalid = 0; }); }},
      {"WHoldsData", [](Bench& b) { b.stall(b.pins.wvalid, b.pins.wready, [&] { b.pins.wdata ^= 1; }); }},
      {"WHoldsData", [](Bench& b) { b.stall(b.pins.wvalid, b.pins.wready, [&] { b.pins.wstrb ^= 1; }); }},
      {"ArStaysValid", [](Bench& b) { b.stall(b.pins.arvalid, b.pins.arready, [&] { b.pins.arvalid = 0; }); }},
      {"ArHoldsData", [](Bench& b) { b.stall(b.pins.arvalid, b.pins.arready, [&] { b.pins.araddr ^= 4; }); }},
      {"BStaysValid",
       [](Bench& b) {
         b.owe_b();
         b.stall(b.pins.bvalid, b.pins.bready, [&] { b.pins.bvalid = 0; });
       }},
      {"BHoldsData",
       [](Bench& b) {
         b.owe_b();
         b.stall(b.pins.bvalid, b.pins.bready, [&] { b.pins.bresp = 2; });
       }},
      {"RStaysValid",
       [](Bench& b) {
         b.owe_r();
         b.stall(b.pins.rvalid, b.pins.rready, [&] { b.pins.rvalid = 0; });
       }},
      {"RHoldsData",
       [](Bench& b) {
         b.owe_r();
         b.stall(b.pins.rvalid, b.pins.rready, [&] { b.pins.rdata ^= 1; });
       }},
      {"BFollowsAwAndW",
       [](Bench& b) {
         b.move(b.pins.awvalid);
         b.move(b.pins.bvalid);
       }},
      {"BFollowsAwAndW",
       [](Bench& b) {
         b.move(b.pins.wvalid);
         b.move(b.pins.bvalid);
       }},
      {"RFollowsAr", [](Bench& b) { b.move(b.pins.rvalid); }},
      {"BNotExclusive",
       [](Bench& b) {
         b.owe_b();
         b.pins.bresp = 1;
         b.move(b.pins.bvalid);
       }},
      {"RNotExclusive",
       [](Bench& b) {
         b.owe_r();
         b.pins.rresp = 1;
         b.move(b.pins.rvalid);
       }},
      {"RequestsFollowed",
       [](Bench& b) {
         for (int i = 0; i < 5; ++i) {
           b.owe_r();
         }
       }},
  };
  return table;
}

TEST(AxilChecker, EachRuleCanBeBroken) {
  for (const Sabotage<Bench>& sabotage : sabotages()) {
    EXPECT_EQ(failed_assertion([&] {
                Bench bench;
                sabotage.run(bench);
              }),
              sabotage.assertion);
  }
}

TEST(AxilChecker, NoRuleIsUntested) { EXPECT_EQ(names_of(sabotages()), assertions_of("src/dla_axil_checker.sv")); }

TEST(AxilChecker, OrderlyTrafficPasses) {
  EXPECT_EQ(failed_assertion([] {
              Bench b;
              for (int access = 0; access < 5; ++access) {
                b.owe_r();
                b.move(b.pins.rvalid);
                b.move(b.pins.wvalid);
                b.move(b.pins.awvalid);
                b.move(b.pins.bvalid);
              }
            }),
            "");
}

}  // namespace
}  // namespace fovea
