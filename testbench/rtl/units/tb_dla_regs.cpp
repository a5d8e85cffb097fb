// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does dla_regs take and answer AXI4-Lite accesses at any pace, and does no output follow an input of the same cycle?
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "Vdla_regs.h"
#include "rtl/coverage_count.h"
#include "spec/dla_command.h"
#include "spec/dla_regs.h"

namespace fovea {
namespace {

class Registers : public testing::Test {
 protected:
  Registers() {
    cycle();
    unit.rst_ni = 1;
    cycle();
  }

  bool chance(uint32_t of) { return source() % of == 0; }

  using Outputs = std::array<uint32_t, 9>;
  Outputs outputs() const {
    return {unit.awready_o, unit.wready_o, unit.bvalid_o, unit.bresp_o, unit.arready_o,
            unit.rvalid_o,  unit.rdata_o,  unit.rresp_o,  unit.irq_o};
  }

  /// Turns over every input of the bus between two edges: nothing may move.
  void expect_registered() {
    const Outputs before = outputs();
    const auto turn_over = [this] {
      unit.awvalid_i ^= 1;
      unit.wvalid_i ^= 1;
      unit.bready_i ^= 1;
      unit.arvalid_i ^= 1;
      unit.rready_i ^= 1;
      unit.awaddr_i ^= 0xfff;
      unit.araddr_i ^= 0xfff;
      unit.wdata_i = ~unit.wdata_i;
      unit.wstrb_i ^= 0xf;
      unit.eval();
    };
    turn_over();
    EXPECT_EQ(outputs(), before);
    turn_over();
    EXPECT_EQ(outputs(), before);
  }

  void cycle() {
    unit.clk_i = 0;
    unit.eval();
    expect_registered();
    unit.clk_i = 1;
    unit.eval();
  }

  /// Address and data come `addr_wait` and `data_wait` cycles from now; the response is taken after some more.
  uint32_t write(uint32_t offset, uint32_t value, uint32_t addr_wait, uint32_t data_wait) {
    bool addr_taken = false, data_taken = false;
    for (uint32_t at = 0; !addr_taken || !data_taken; ++at) {
      EXPECT_LT(at, 50u);
      unit.awvalid_i = !addr_taken && at >= addr_wait;
      unit.awaddr_i = static_cast<uint16_t>(unit.awvalid_i != 0 ? offset : source() & 0xfff);
      unit.wvalid_i = !data_taken && at >= data_wait;
      unit.wdata_i = unit.wvalid_i != 0 ? value : static_cast<uint32_t>(source());
      unit.wstrb_i = unit.wvalid_i != 0 ? 15 : 0;
      unit.eval();
      addr_taken = addr_taken || (unit.awvalid_i != 0 && unit.awready_o != 0);
      data_taken = data_taken || (unit.wvalid_i != 0 && unit.wready_o != 0);
      cycle();
    }
    unit.awvalid_i = unit.wvalid_i = 0;
    return take_response();
  }

  uint32_t take_response() {
    EXPECT_EQ(unit.bvalid_o, 1) << "the response comes a cycle after the last of address and data";
    while (!chance(3)) {
      cycle();
      EXPECT_EQ(unit.bvalid_o, 1);
    }
    const uint32_t response = unit.bresp_o;
    unit.bready_i = 1;
    cycle();
    unit.bready_i = 0;
    EXPECT_EQ(unit.bvalid_o, 0);
    return response;
  }

  uint32_t read(uint32_t offset) {
    unit.arvalid_i = 1;
    unit.araddr_i = static_cast<uint16_t>(offset);
    cycle();
    unit.arvalid_i = 0;
    EXPECT_EQ(unit.rvalid_o, 1);
    while (!chance(3)) {
      cycle();
    }
    const uint32_t value = unit.rdata_o;
    unit.rready_i = 1;
    cycle();
    unit.rready_i = 0;
    return value;
  }

  Vdla_regs unit;
  CoverageCount count{*unit.contextp()};
  std::mt19937 source{1};
};

TEST_F(Registers, TakeAddressAndDataInAnyOrder) {
  std::array<uint32_t, DLA_LAYER_WORDS> model{};
  for (int i = 0; i < 2000 && !HasFailure(); ++i) {
    const uint32_t word = source() % model.size(), value = static_cast<uint32_t>(source());
    const uint32_t offset = DLA_LAYER_REG + 4 * word;
    EXPECT_EQ(write(offset, value, source() % 4, source() % 4), 0u);
    model[word] = value;
    const uint32_t other = source() % model.size();
    EXPECT_EQ(read(DLA_LAYER_REG + 4 * other), model[other]);
  }
}

/// Entries of a list come a bus word at a time; what lies behind the last register is none.
TEST_F(Registers, TakeAListsEntry) {
  std::array<uint32_t, DLA_LAYER_WORDS> model{};
  for (uint32_t word = 0; word < model.size() + 3; ++word) {
    unit.entry_valid_i = 1;
    unit.entry_word_i = word;
    unit.entry_words_i = static_cast<uint32_t>(source());
    if (word < model.size()) {
      model[word] = unit.entry_words_i;
    }
    cycle();
  }
  unit.entry_valid_i = 0;
  for (uint32_t word = 0; word < model.size(); ++word) {
    EXPECT_EQ(read(DLA_LAYER_REG + 4 * word), model[word]);
  }
}

TEST_F(Registers, RefuseWhatALayerOrItsBurstsForbid) {
  constexpr uint32_t kOkay = 0, kSlaveError = 2, kStart = 1, kList = uint32_t{1} << DLA_CTRL_RUN_LIST_LSB;
  unit.busy_i = 1;
  EXPECT_EQ(write(DLA_LAYER_REG, 1, 0, 0), kSlaveError);
  EXPECT_EQ(write(DLA_WATCHDOG_REG, 1, 0, 2), kSlaveError);
  EXPECT_EQ(write(DLA_LIST_ADDR_REG, 256, 1, 2), kSlaveError);
  EXPECT_EQ(write(DLA_LIST_LIMIT_REG, 1, 0, 0), kSlaveError);
  EXPECT_EQ(write(DLA_CTRL_REG, kStart, 2, 0), kSlaveError);
  EXPECT_EQ(write(DLA_CTRL_REG, kList, 0, 1), kSlaveError);
  unit.busy_i = 0;
  unit.draining_i = 1;
  EXPECT_EQ(write(DLA_CTRL_REG, kStart, 0, 0), kSlaveError);
  EXPECT_EQ(write(DLA_CTRL_REG, kList, 0, 0), kSlaveError);
  EXPECT_EQ(write(DLA_LIST_ADDR_REG, 0x12345600, 0, 3), kOkay);
  EXPECT_EQ(write(DLA_LIST_LIMIT_REG, 0xabc0ffee, 0, 0), kOkay);
  EXPECT_EQ(write(DLA_WATCHDOG_REG, 77, 0, 0), kOkay);
  EXPECT_EQ(write(DLA_LAYER_REG, 1, 0, 0), kOkay);
  EXPECT_EQ(read(DLA_STATUS_REG), uint32_t{1} << DLA_STATUS_ERROR_LSB | uint32_t{1} << DLA_STATUS_DRAINING_LSB);
  unit.draining_i = 0;
  EXPECT_EQ(write(DLA_CTRL_REG, kStart, 0, 0), kOkay);
  EXPECT_EQ(write(DLA_CTRL_REG, kList, 0, 0), kOkay);
  EXPECT_EQ(unit.watchdog_o, 77u);
  EXPECT_EQ(unit.list_addr_o, 0x12345600u);
  EXPECT_EQ(unit.list_limit_o, 0xffeeu);
  unit.list_layer_i = 3;
  EXPECT_EQ(read(DLA_LIST_LAYER_REG), 3u);
  EXPECT_EQ(read(DLA_LIST_ADDR_REG), 0x12345600u);
}

}  // namespace
}  // namespace fovea
