// SPDX-License-Identifier: Apache-2.0
/// \file
/// Register functions, as the exact conversation each has with the device.
#include "dla_dif.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <vector>

#include "dla_fake_hal.h"
#include "spec/dla_fields.h"

namespace {

constexpr uint32_t kBusy = 1, kDone = 2, kError = 4, kDraining = 8;

/// The machine of sim/spec/machines/eyeriss_6x8.json with 2 KiB banks.
constexpr dla_machine kMachine = {.rows = 6,
                                  .cols = 8,
                                  .ifmap_spad_bytes = 12,
                                  .filter_spad_bytes = 48,
                                  .max_pe_filters = 16,
                                  .glb_bytes = 65536,
                                  .glb_bank_bytes = 2048,
                                  .bus_bytes = 4,
                                  .psum_lanes = 1,
                                  .ifmap_bytes_per_cycle = 4,
                                  .filter_bytes_per_cycle = 4,
                                  .max_pass_filters = 64};

dla_layer a_layer() {
  dla_layer layer{};
  layer.shape = {.C = 3,
                 .H = 32,
                 .W = 30,
                 .M = 64,
                 .R = 3,
                 .S = 5,
                 .U = 2,
                 .V = 3,
                 .pad_top = 1,
                 .pad_left = 4,
                 .pad_bottom = 2,
                 .pad_right = 5,
                 .pool = true,
                 .scaled = true,
                 .filter_scales = true,
                 .G = 9,
                 .residual = true,
                 .ifmap_on_chip = true,
                 .ofmap_on_chip = true,
                 .ifmap_plane_rows = 40,
                 .ifmap_first_row = 11,
                 .ofmap_plane_rows = 4095,
                 .ofmap_first_row = 5,
                 .residual_plane_rows = 6};
  layer.mapping = {.m = 32,
                   .n = 1,
                   .e = 8,
                   .p = 4,
                   .q = 3,
                   .r = 1,
                   .t = 2,
                   .e_glb = 16,
                   .ifmap_resident = true,
                   .filter_buffers = 5,
                   .order = kDlaLoopOrderRowsFiltersChannels,
                   .g = 6};
  layer.glb = {.ifmap = {0, 8192},
               .filter = {8192, 2048},
               .psum = {10240, 4096},
               .out = {14336, 2048},
               .residual = {16384, 4096}};
  layer.quant = {.shift = 7,
                 .rounding = kDlaFloor,
                 .lowest = 3,
                 .ifmap_zero_point = 128,
                 .ofmap_zero_point = 127,
                 .headroom = 5,
                 .scale = 0.75F,
                 .residual_first = true,
                 .conv_scale = 0.5F,
                 .residual_scale = 2,
                 .sum_offset = -1,
                 .sum_lowest = 7,
                 .sum_headroom = 9};
  layer.ifmap_addr = 0x1000;
  layer.filter_addr = 0x2000;
  layer.ofmap_addr = 0x3001;
  layer.residual_addr = 0x4001;
  return layer;
}

TEST(Probe, ReadsTheGeometry) {
  FakeHal fake({{'r', DLA_ID_REG, 0x46564541},
                {'r', DLA_VERSION_REG, 0x00030007},
                {'r', DLA_GEOMETRY_ARRAY_REG, 64u << 16 | 8 << 8 | 6},
                {'r', DLA_GEOMETRY_SPADS_REG, 16u << 24 | 48 << 8 | 12},
                {'r', DLA_GEOMETRY_GLB_REG, 4u << 24 | 11 << 16 | 32},
                {'r', DLA_GEOMETRY_NETWORKS_REG, 16u << 16 | 2 << 8 | 8}});
  dla_machine machine{};
  ASSERT_EQ(dla_probe(fake.hal(), &machine), kDlaOk);
  EXPECT_EQ(machine.rows, 6u);
  EXPECT_EQ(machine.cols, 8u);
  EXPECT_EQ(machine.max_pass_filters, 64u);
  EXPECT_EQ(machine.ifmap_spad_bytes, 12u);
  EXPECT_EQ(machine.filter_spad_bytes, 48u);
  EXPECT_EQ(machine.max_pe_filters, 16u);
  EXPECT_EQ(machine.glb_bank_bytes, 2048u);
  EXPECT_EQ(machine.glb_bytes, 65536u);
  EXPECT_EQ(machine.bus_bytes, 4u);
  EXPECT_EQ(machine.psum_lanes, 8u);
  EXPECT_EQ(machine.ifmap_bytes_per_cycle, 2u);
  EXPECT_EQ(machine.filter_bytes_per_cycle, 16u);
}

TEST(Probe, KnowsOnlyItsOwnDevice) {
  dla_machine machine{};
  FakeHal other_id({{'r', DLA_ID_REG, 0xdeadbeef}, {'r', DLA_VERSION_REG, 0x00030000}});
  EXPECT_EQ(dla_probe(other_id.hal(), &machine), kDlaNoDevice);
  FakeHal other_version({{'r', DLA_ID_REG, 0x46564541}, {'r', DLA_VERSION_REG, 0x00040000}});
  EXPECT_EQ(dla_probe(other_version.hal(), &machine), kDlaNoDevice);
  FakeHal broken_bus({{'r', DLA_ID_REG, 0, kDlaBusError}});
  EXPECT_EQ(dla_probe(broken_bus.hal(), &machine), kDlaBusError);
}

TEST(WriteLayer, WritesEveryRegisterInOrder) {
  FakeHal fake({{'r', DLA_STATUS_REG, kDone},
                {'w', DLA_IFMAP_ADDR_REG, 0x1000},
                {'w', DLA_FILTER_ADDR_REG, 0x2000},
                {'w', DLA_OFMAP_ADDR_REG, 0x3001},
                {'w', DLA_CHANNELS_REG, 64u << 16 | 3},
                {'w', DLA_IFMAP_SIZE_REG, 30u << 16 | 32},
                {'w', DLA_KERNEL_REG, 1u << 19 | 1 << 18 | 1 << 17 | 1 << 16 | 1 << 15 | 3 << 12 | 2 << 8 | 5 << 4 | 3},
                {'w', DLA_MAP_GLB_REG, 1u << 28 | 16 << 16 | 32},
                {'w', DLA_MAP_PE_REG, 2u << 23 | 1 << 17 | 3 << 12 | 4 << 6 | 8},
                {'w', DLA_MAP_LOOP_REG, 6u << 16 | 5u << 8 | 1 << 4 | 0},
                {'w', DLA_QUANT_REG, 127u << 16 | 128 << 8 | 1 << 5 | 7},
                {'w', DLA_GLB_IFMAP_REG, 4u << 16 | 0},
                {'w', DLA_GLB_FILTER_REG, 1u << 16 | 4},
                {'w', DLA_GLB_PSUM_REG, 2u << 16 | 5},
                {'w', DLA_GLB_OUT_REG, 1u << 16 | 7},
                {'w', DLA_SCALE_REG, 0x3f400000},
                {'w', DLA_BOUNDS_REG, 9u << 24 | 7u << 16 | 5u << 8 | 3},
                {'w', DLA_PADDING_REG, 5u << 24 | 2 << 16 | 4 << 8 | 1},
                {'w', DLA_GROUPS_REG, 1u << 18 | 1 << 16 | 9},
                {'w', DLA_RESIDUAL_ADDR_REG, 0x4001},
                {'w', DLA_CONV_SCALE_REG, 0x3f000000},
                {'w', DLA_RESIDUAL_SCALE_REG, 0x40000000},
                {'w', DLA_SUM_OFFSET_REG, 0xbf800000},
                {'w', DLA_GLB_RESIDUAL_REG, 2u << 16 | 8},
                {'w', DLA_IFMAP_ROWS_REG, 11u << 16 | 40},
                {'w', DLA_OFMAP_ROWS_REG, 5u << 16 | 4095},
                {'w', DLA_RESIDUAL_ROWS_REG, 6}});
  const dla_layer layer = a_layer();
  EXPECT_EQ(dla_write_layer(fake.hal(), &kMachine, &layer), kDlaOk);
}

TEST(WriteLayer, WritesNothingWhileALayerRuns) {
  FakeHal fake({{'r', DLA_STATUS_REG, kBusy}});
  const dla_layer layer = a_layer();
  EXPECT_EQ(dla_write_layer(fake.hal(), &kMachine, &layer), kDlaBusy);
}

TEST(WriteLayer, StopsAtTheFirstBusError) {
  FakeHal fake({{'r', DLA_STATUS_REG, 0}, {'w', DLA_IFMAP_ADDR_REG, 0x1000, kDlaBusError}});
  const dla_layer layer = a_layer();
  EXPECT_EQ(dla_write_layer(fake.hal(), &kMachine, &layer), kDlaBusError);
}

TEST(WriteLayer, TouchesNoRegisterWhereANumberDoesNotFitItsField) {
  const auto refuses = [](auto change) {
    FakeHal untouched({});
    dla_layer layer = a_layer();
    change(layer);
    return dla_write_layer(untouched.hal(), &kMachine, &layer) == kDlaBadArg;
  };
  EXPECT_TRUE(refuses([](dla_layer& l) { l.shape.C = 65536; }));
  EXPECT_TRUE(refuses([](dla_layer& l) { l.shape.M = 65536; }));
  EXPECT_TRUE(refuses([](dla_layer& l) { l.shape.H = 4096; }));
  EXPECT_TRUE(refuses([](dla_layer& l) { l.shape.W = 4096; }));
  EXPECT_TRUE(refuses([](dla_layer& l) { l.shape.R = 16; }));
  EXPECT_TRUE(refuses([](dla_layer& l) { l.shape.S = 16; }));
  EXPECT_TRUE(refuses([](dla_layer& l) { l.shape.U = 8; }));
  EXPECT_TRUE(refuses([](dla_layer& l) { l.shape.V = 8; }));
  EXPECT_TRUE(refuses([](dla_layer& l) { l.shape.pad_top = 16; }));
  EXPECT_TRUE(refuses([](dla_layer& l) { l.shape.pad_left = 16; }));
  EXPECT_TRUE(refuses([](dla_layer& l) { l.shape.pad_bottom = 16; }));
  EXPECT_TRUE(refuses([](dla_layer& l) { l.shape.pad_right = 16; }));
  EXPECT_TRUE(refuses([](dla_layer& l) { l.mapping.m = 65536; }));
  EXPECT_TRUE(refuses([](dla_layer& l) { l.mapping.n = 16; }));
  EXPECT_TRUE(refuses([](dla_layer& l) { l.mapping.e = 64; }));
  EXPECT_TRUE(refuses([](dla_layer& l) { l.mapping.p = 64; }));
  EXPECT_TRUE(refuses([](dla_layer& l) { l.mapping.q = 32; }));
  EXPECT_TRUE(refuses([](dla_layer& l) { l.mapping.r = 64; }));
  EXPECT_TRUE(refuses([](dla_layer& l) { l.mapping.t = 256; }));
  EXPECT_TRUE(refuses([](dla_layer& l) { l.mapping.e_glb = 4096; }));
  EXPECT_TRUE(refuses([](dla_layer& l) { l.mapping.filter_buffers = 256; }));
  EXPECT_TRUE(refuses([](dla_layer& l) { l.quant.shift = 32; }));
  EXPECT_TRUE(refuses([](dla_layer& l) { l.glb.psum.base_bytes += 1; }));
  EXPECT_TRUE(refuses([](dla_layer& l) { l.glb.out.size_bytes += 4; }));
}

/// Device memory of 2 KiB at 0x1000, behind scripted registers.
class FakeMemory {
 public:
  explicit FakeMemory(std::vector<RegisterAccess> script) : registers_(std::move(script)), hal_(*registers_.hal()) {
    hal_.mem_write = [](void*, uint32_t addr, const void* src, uint32_t bytes) {
      std::memcpy(at(addr), src, bytes);
      return kDlaOk;
    };
    hal_.mem_read = [](void*, uint32_t addr, void* dst, uint32_t bytes) {
      std::memcpy(dst, at(addr), bytes);
      return kDlaOk;
    };
    std::fill(std::begin(bytes_), std::end(bytes_), uint8_t{0xee});
  }

  const dla_hal_t* hal() const { return &hal_; }
  static uint8_t* at(uint32_t addr) { return bytes_ + (addr - 0x1000); }

  /// As the device reads it.
  static uint32_t word(uint32_t addr) {
    const uint8_t* byte = at(addr);
    return byte[0] | uint32_t{byte[1]} << 8 | uint32_t{byte[2]} << 16 | uint32_t{byte[3]} << 24;
  }

 private:
  FakeHal registers_;
  dla_hal_t hal_;
  static inline uint8_t bytes_[2048];
};

TEST(Lists, AnEntryIsItsHeadAndTheLayerRegisters) {
  const FakeMemory memory({});
  const dla_layer layer = a_layer();
  uint32_t registers[DLA_LAYER_WORDS];
  ASSERT_TRUE(dla_pack_layer(&kMachine, &layer, registers));
  ASSERT_EQ(dla_put_list_entry(memory.hal(), &kMachine, &layer, 0x1100, 0x1200, 0x1480), kDlaOk);
  EXPECT_EQ(FakeMemory::word(0x1100), 0x1200u);
  EXPECT_EQ(FakeMemory::word(0x1104), 0x1480u);
  EXPECT_EQ(FakeMemory::word(0x1108), 0u);
  EXPECT_EQ(FakeMemory::word(0x110c), 0u);
  for (uint32_t i = 0; i < DLA_LAYER_WORDS; ++i) {
    EXPECT_EQ(FakeMemory::word(0x1110 + 4 * i), registers[i]) << i;
  }
  EXPECT_EQ(FakeMemory::word(0x1110 + 4 * DLA_LAYER_WORDS), 0xeeeeeeeeu);
}

TEST(Lists, AnEntryIsRefusedWhereTheDeviceWouldRefuseIt) {
  const FakeMemory memory({});
  dla_layer layer = a_layer();
  const auto put = [&](uint32_t addr, uint32_t next, uint32_t record) {
    return dla_put_list_entry(memory.hal(), &kMachine, &layer, addr, next, record);
  };
  EXPECT_EQ(put(0x1080, 0, 0), kDlaBadArg);
  EXPECT_EQ(put(0, 0, 0), kDlaBadArg);
  EXPECT_EQ(put(0x1100, 0x1204, 0), kDlaBadArg);
  EXPECT_EQ(put(0x1100, 0, 0x1240), kDlaBadArg);
  layer.shape.H = 4096;
  EXPECT_EQ(put(0x1100, 0, 0), kDlaBadArg);
  EXPECT_EQ(FakeMemory::word(0x1100), 0xeeeeeeeeu);
}

TEST(Lists, StartOnAnIdleDevice) {
  const FakeMemory memory({{'r', DLA_STATUS_REG, kDone},
                           {'w', DLA_LIST_ADDR_REG, 0x1100},
                           {'w', DLA_LIST_LIMIT_REG, 20},
                           {'w', DLA_CTRL_REG, 4},
                           {'r', DLA_STATUS_REG, kBusy},
                           {'r', DLA_STATUS_REG, kDraining}});
  EXPECT_EQ(dla_start_list(memory.hal(), 0x1100, 20), kDlaOk);
  EXPECT_EQ(dla_start_list(memory.hal(), 0x1100, 20), kDlaBusy);
  EXPECT_EQ(dla_start_list(memory.hal(), 0x1100, 20), kDlaBusy);
  EXPECT_EQ(dla_start_list(memory.hal(), 0x1100, 0), kDlaBadArg);
  EXPECT_EQ(dla_start_list(memory.hal(), 0x1100, 65536), kDlaBadArg);
}

TEST(Lists, ARecordIsANumberAndTheCounters) {
  const FakeMemory memory({{'r', DLA_LIST_LAYER_REG, 7}});
  const auto put = [](uint32_t addr, uint32_t value) {
    for (uint32_t i = 0; i < 4; ++i) {
      FakeMemory::at(addr)[i] = static_cast<uint8_t>(value >> 8 * i);
    }
  };
  put(0x1080, 6);
  for (uint32_t i = 0; i < DLA_COUNTERS; ++i) {
    put(0x1090 + 4 * i, 0x01020304 + i);
  }
  uint32_t number = 0;
  dla_counters counters{};
  ASSERT_EQ(dla_read_record(memory.hal(), 0x1080, &number, &counters), kDlaOk);
  EXPECT_EQ(number, 6u);
  EXPECT_EQ(counters.cycles, 0x01020304u);
  EXPECT_EQ(counters.residual_read_bytes, 0x01020304u + DLA_COUNTERS - 1);
  EXPECT_EQ(dla_read_list_layer(memory.hal(), &number), kDlaOk);
  EXPECT_EQ(number, 7u);
}

TEST(Start, StartsAnIdleDevice) {
  FakeHal fake({{'r', DLA_STATUS_REG, kDone}, {'w', DLA_CTRL_REG, 1}});
  EXPECT_EQ(dla_start(fake.hal()), kDlaOk);
}

TEST(Start, WritesNothingWhileALayerRuns) {
  FakeHal fake({{'r', DLA_STATUS_REG, kBusy}});
  EXPECT_EQ(dla_start(fake.hal()), kDlaBusy);
}

TEST(Start, WritesNothingWhileBurstsAreOut) {
  FakeHal fake({{'r', DLA_STATUS_REG, kError | kDraining}});
  EXPECT_EQ(dla_start(fake.hal()), kDlaBusy);
}

TEST(Watchdog, IsSetWhileNoLayerRuns) {
  FakeHal fake({{'r', DLA_STATUS_REG, kDraining}, {'w', DLA_WATCHDOG_REG, 5000}, {'r', DLA_STATUS_REG, kBusy}});
  EXPECT_EQ(dla_set_watchdog(fake.hal(), 5000), kDlaOk);
  EXPECT_EQ(dla_set_watchdog(fake.hal(), 0), kDlaBusy);
}

TEST(Wait, HandsTheLimitOn) {
  FakeHal fake({{'i', 0, 1000, kDlaTimeout}});
  EXPECT_EQ(dla_wait(fake.hal(), 1000), kDlaTimeout);
  EXPECT_EQ(dla_wait(fake.hal(), 0), kDlaBadArg);
}

TEST(ReadState, TakesStatusApart) {
  FakeHal fake({{'r', DLA_STATUS_REG, kBusy}, {'r', DLA_STATUS_REG, kDone | kError}, {'r', DLA_STATUS_REG, kDraining}});
  dla_state state{};
  ASSERT_EQ(dla_read_state(fake.hal(), &state), kDlaOk);
  EXPECT_TRUE(state.busy && !state.done && !state.error);
  ASSERT_EQ(dla_read_state(fake.hal(), &state), kDlaOk);
  EXPECT_TRUE(!state.busy && state.done && state.error && !state.draining);
  ASSERT_EQ(dla_read_state(fake.hal(), &state), kDlaOk);
  EXPECT_TRUE(!state.busy && state.draining);
}

TEST(Error, HasAnAddress) {
  FakeHal fake({{'r', DLA_ERROR_ADDR_REG, 0x80001234u}});
  uint32_t addr = 0;
  ASSERT_EQ(dla_read_error_addr(fake.hal(), &addr), kDlaOk);
  EXPECT_EQ(addr, 0x80001234u);
}

TEST(Error, HasACauseOnlyWhileValid) {
  FakeHal fake({{'r', DLA_ERROR_REG, 0x80000000u | kDlaErrorIfmapSpadFull},
                {'r', DLA_ERROR_REG, kDlaErrorIfmapSpadFull},
                {'w', DLA_ERROR_REG, 0x80000000u}});
  dla_error cause = kDlaErrorNone;
  ASSERT_EQ(dla_read_error(fake.hal(), &cause), kDlaOk);
  EXPECT_EQ(cause, kDlaErrorIfmapSpadFull);
  ASSERT_EQ(dla_read_error(fake.hal(), &cause), kDlaOk);
  EXPECT_EQ(cause, kDlaErrorNone);
  EXPECT_EQ(dla_clear_error(fake.hal()), kDlaOk);
}

TEST(Irq, IsEnabledByEventAndAcknowledgedWhole) {
  FakeHal fake({{'w', DLA_IRQ_ENABLE_REG, 1},
                {'w', DLA_IRQ_ENABLE_REG, 2},
                {'w', DLA_IRQ_ENABLE_REG, 0},
                {'w', DLA_IRQ_STATUS_REG, 3}});
  EXPECT_EQ(dla_enable_irq(fake.hal(), true, false), kDlaOk);
  EXPECT_EQ(dla_enable_irq(fake.hal(), false, true), kDlaOk);
  EXPECT_EQ(dla_enable_irq(fake.hal(), false, false), kDlaOk);
  EXPECT_EQ(dla_ack_irq(fake.hal()), kDlaOk);
}

TEST(Counters, AreReadInTheOrderOfTheMap) {
  std::vector<RegisterAccess> script;
#define EXPECT_COUNTER(NAME, name, offset) script.push_back({'r', offset, static_cast<uint32_t>(script.size() + 100)});
  DLA_FOR_EACH_COUNTER(EXPECT_COUNTER)
  FakeHal fake(script);
  dla_counters counters{};
  ASSERT_EQ(dla_read_counters(fake.hal(), &counters), kDlaOk);
  uint32_t value = 100;
#define CHECK_COUNTER(NAME, name, offset) EXPECT_EQ(counters.name, value++) << #name;
  DLA_FOR_EACH_COUNTER(CHECK_COUNTER)
}

TEST(Reset, PollsUntilIdle) {
  FakeHal fake({{'w', DLA_CTRL_REG, 2},
                {'r', DLA_STATUS_REG, kBusy},
                {'r', DLA_STATUS_REG, kDraining},
                {'r', DLA_STATUS_REG, 0}});
  EXPECT_EQ(dla_reset(fake.hal(), 3), kDlaOk);
}

TEST(Reset, GivesUpAfterItsPolls) {
  FakeHal fake({{'w', DLA_CTRL_REG, 2}, {'r', DLA_STATUS_REG, kBusy}, {'r', DLA_STATUS_REG, kBusy}});
  EXPECT_EQ(dla_reset(fake.hal(), 2), kDlaTimeout);
}

TEST(EveryFunction, RefusesAMissingBackend) {
  const dla_hal_t none{};
  dla_machine machine{};
  dla_state state{};
  dla_error cause{};
  dla_counters counters{};
  uint32_t addr = 0;
  const dla_layer layer = a_layer();
  for (const dla_hal_t* hal : {static_cast<const dla_hal_t*>(nullptr), &none}) {
    EXPECT_EQ(dla_probe(hal, &machine), kDlaBadArg);
    EXPECT_EQ(dla_write_layer(hal, &kMachine, &layer), kDlaBadArg);
    EXPECT_EQ(dla_start(hal), kDlaBadArg);
    EXPECT_EQ(dla_wait(hal, 1), kDlaBadArg);
    EXPECT_EQ(dla_read_state(hal, &state), kDlaBadArg);
    EXPECT_EQ(dla_read_error(hal, &cause), kDlaBadArg);
    EXPECT_EQ(dla_read_error_addr(hal, &addr), kDlaBadArg);
    EXPECT_EQ(dla_set_watchdog(hal, 1), kDlaBadArg);
    EXPECT_EQ(dla_clear_error(hal), kDlaBadArg);
    EXPECT_EQ(dla_enable_irq(hal, true, true), kDlaBadArg);
    EXPECT_EQ(dla_ack_irq(hal), kDlaBadArg);
    EXPECT_EQ(dla_read_counters(hal, &counters), kDlaBadArg);
    EXPECT_EQ(dla_reset(hal, 1), kDlaBadArg);
  }
}

TEST(EveryFunction, RefusesANullResult) {
  FakeHal untouched({});
  EXPECT_EQ(dla_probe(untouched.hal(), nullptr), kDlaBadArg);
  EXPECT_EQ(dla_write_layer(untouched.hal(), &kMachine, nullptr), kDlaBadArg);
  EXPECT_EQ(dla_write_layer(untouched.hal(), nullptr, nullptr), kDlaBadArg);
  EXPECT_EQ(dla_read_state(untouched.hal(), nullptr), kDlaBadArg);
  EXPECT_EQ(dla_read_error(untouched.hal(), nullptr), kDlaBadArg);
  EXPECT_EQ(dla_read_error_addr(untouched.hal(), nullptr), kDlaBadArg);
  EXPECT_EQ(dla_read_counters(untouched.hal(), nullptr), kDlaBadArg);
  EXPECT_EQ(dla_reset(untouched.hal(), 0), kDlaBadArg);
}

}  // namespace
