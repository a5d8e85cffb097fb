// SPDX-License-Identifier: Apache-2.0
/// \file
/// A device layer from call to report: the order of its steps, and that every way to fail leaves a usable device.
#include "dla_device_layer.h"

#include <gmock/gmock.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "dla_fake_device.h"
#include "dla_tensors.h"
#include "spec/dla_list.h"

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class DeviceLayer : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(dla_runtime_open(&rt, &device.hal), kDlaOk);
    ASSERT_EQ(device.hal.mem_alloc(device.hal.ctx, kArenaBytes, 64, &rt.arena_addr), kDlaOk);
    ASSERT_EQ(device.hal.mem_alloc(device.hal.ctx, kWeightsBytes, 64, &rt.weights_addr), kDlaOk);
    rt.arena_bytes = kArenaBytes;
    rt.weights_bytes = kWeightsBytes;
    args.shape = {.C = 3,
                  .H = 8,
                  .W = 8,
                  .M = 4,
                  .R = 3,
                  .S = 3,
                  .U = 1,
                  .V = 1,
                  .pad_top = 1,
                  .pad_left = 1,
                  .pad_bottom = 1,
                  .pad_right = 1,
                  .pool = false};
    args.mapping = {.m = 4,
                    .n = 1,
                    .e = 8,
                    .p = 4,
                    .q = 3,
                    .r = 1,
                    .t = 1,
                    .e_glb = 8,
                    .ifmap_resident = true,
                    .filter_buffers = 2,
                    .order = kDlaLoopOrderRowsFiltersChannels};
    args.quant = {.shift = 7, .rounding = kDlaFloor, .lowest = 0, .ifmap_zero_point = 128, .ofmap_zero_point = 128};
    ASSERT_EQ(dla_plan_glb(&rt.machine, &args.shape, &args.mapping, &args.glb), kDlaErrorNone);
  }

  static constexpr uint32_t kArenaBytes = 1024, kWeightsBytes = 1024;
  FakeDevice device;
  dla_runtime rt{};
  struct dla_device_layer args {
    .operation = "qconv2d", .name = "conv1", .is_flat = false, .ifmap = 0, .ofmap = 256, .filter = 64, .shape = {},
    .mapping = {}, .glb = {}, .quant = {}, .predicted_cycles = 1000
  };
};

TEST_F(DeviceLayer, IsNamedStartedAwaitedAndAcknowledged) {
  ASSERT_EQ(dla_run_on_device(&rt, &args), kDlaOk);
  EXPECT_THAT(device.log, ElementsAre("layer conv1", "start", "wait", "ack"));
  EXPECT_EQ(device.registers[DLA_IFMAP_ADDR_REG], rt.arena_addr);
  EXPECT_EQ(device.registers[DLA_OFMAP_ADDR_REG], rt.arena_addr + 256);
  EXPECT_EQ(device.registers[DLA_FILTER_ADDR_REG], rt.weights_addr + 64);
  EXPECT_EQ(device.registers[DLA_IRQ_ENABLE_REG], 3u);
}

TEST_F(DeviceLayer, AddsAResidualInTheArena) {
  args.shape.residual = true;
  args.quant.conv_scale = args.quant.residual_scale = 1;
  args.residual = 512;
  ASSERT_EQ(dla_plan_glb(&rt.machine, &args.shape, &args.mapping, &args.glb), kDlaErrorNone);
  EXPECT_EQ(dla_run_on_device(&rt, &args), kDlaOk);
  EXPECT_EQ(device.registers[DLA_RESIDUAL_ADDR_REG], rt.arena_addr + 512);
  EXPECT_EQ(DLA_GET(KERNEL_RESIDUAL, device.registers[DLA_KERNEL_REG]), 1u);
  args.residual = kArenaBytes - 255;
  EXPECT_EQ(dla_run_on_device(&rt, &args), kDlaBadArg);
}

TEST_F(DeviceLayer, RunsOnceForEachPicture) {
  struct Seen {
    std::vector<uint32_t> addresses, shape;
    std::size_t layers = 0;
  } seen;
  rt.observer = {
      &seen, [](void* ctx, const dla_layer_record*) { ++static_cast<Seen*>(ctx)->layers; },
      [](void* ctx, const dla_tensor* t) { static_cast<Seen*>(ctx)->shape.assign(t->shape, t->shape + t->rank); }};
  device.on_start = [&] {
    for (const uint32_t reg : {DLA_IFMAP_ADDR_REG, DLA_OFMAP_ADDR_REG, DLA_FILTER_ADDR_REG}) {
      seen.addresses.push_back(device.registers[reg]);
    }
    device.finish();
  };
  args.N = 2;
  args.ofmap = 384;
  ASSERT_EQ(dla_run_on_device(&rt, &args), kDlaOk);
  const uint32_t ifmap = rt.arena_addr, ofmap = rt.arena_addr + 384, filter = rt.weights_addr + 64;
  EXPECT_THAT(seen.addresses, ElementsAre(ifmap, ofmap, filter, ifmap + 192, ofmap + 256, filter));
  EXPECT_EQ(seen.layers, 2u) << "each with its counters";
  EXPECT_THAT(seen.shape, ElementsAre(2, 4, 8, 8)) << "once, all of it";
  args.ofmap = kArenaBytes - 511;
  EXPECT_EQ(dla_run_on_device(&rt, &args), kDlaBadArg) << "the second picture leaves the arena";
}

TEST_F(DeviceLayer, FindsPicturesUnderEachOther) {
  struct Seen {
    std::vector<uint32_t> addresses, shape;
    bool is_stacked = false;
  } seen;
  rt.observer = {&seen, nullptr, [](void* ctx, const dla_tensor* t) {
                   static_cast<Seen*>(ctx)->shape.assign(t->shape, t->shape + t->rank);
                   static_cast<Seen*>(ctx)->is_stacked = t->is_stacked;
                 }};
  device.on_start = [&] {
    for (const uint32_t reg : {DLA_IFMAP_ADDR_REG, DLA_OFMAP_ADDR_REG}) {
      seen.addresses.push_back(device.registers[reg]);
    }
    device.finish();
  };
  args.N = 2;
  args.ofmap = 384;
  args.shape.ifmap_plane_rows = args.shape.ofmap_plane_rows = 2 * args.shape.H;
  args.shown = {4, {2, 4, 8, 8}, true};
  ASSERT_EQ(dla_run_on_device(&rt, &args), kDlaOk);
  const uint32_t ifmap = rt.arena_addr, ofmap = rt.arena_addr + 384;
  EXPECT_THAT(seen.addresses, ElementsAre(ifmap, ofmap, ifmap + 64, ofmap + 64)) << "8 rows of 8 below";
  EXPECT_THAT(seen.shape, ElementsAre(2, 4, 8, 8));
  EXPECT_TRUE(seen.is_stacked);
  args.ofmap = kArenaBytes - 512;
  EXPECT_EQ(dla_run_on_device(&rt, &args), kDlaOk);
  args.ofmap += 8;
  EXPECT_EQ(dla_run_on_device(&rt, &args), kDlaBadArg) << "the last plane leaves the arena";
}

TEST_F(DeviceLayer, TakesTheMeanOfEachFiltersOutputs) {
  const uint32_t rows = dla_computed_rows(&args.shape);
  args.mapping.e = args.mapping.e_glb = rows;
  args.quant.conv_scale = 0.25F;
  args.quant.mean_zero_point = 7;
  args.ofmap = kArenaBytes - args.shape.M;  // A byte a filter.
  args.shape.mean = true;
  EXPECT_EQ(dla_run_on_device(&rt, &args), kDlaOk);
  EXPECT_EQ(DLA_GET(QUANT_MEAN, device.registers[DLA_QUANT_REG]), 1u);
  EXPECT_EQ(DLA_GET(QUANT_MEAN_ZERO_POINT, device.registers[DLA_QUANT_REG]), 7u);
  args.ofmap += 1;
  EXPECT_EQ(dla_run_on_device(&rt, &args), kDlaBadArg);
}

TEST_F(DeviceLayer, ReportsCountersAndOfmap) {
  struct Seen {
    std::string operation, name;
    uint32_t cycles = 0, passes = 0, predicted = 0;
    std::vector<uint32_t> shape;
    uint8_t first = 0;
  } seen;
  rt.observer = {&seen,
                 [](void* ctx, const dla_layer_record* r) {
                   auto& s = *static_cast<Seen*>(ctx);
                   s.operation = r->operation;
                   s.name = r->name;
                   s.cycles = r->counters.cycles;
                   s.passes = r->counters.passes;
                   s.predicted = r->predicted_cycles;
                 },
                 [](void* ctx, const dla_tensor* t) {
                   auto& s = *static_cast<Seen*>(ctx);
                   s.shape.assign(t->shape, t->shape + t->rank);
                   s.first = *static_cast<const uint8_t*>(t->data);
                 }};
  device.on_start = [&] {
    device.registers[DLA_COUNT_CYCLES_REG] = 1234;
    device.registers[DLA_COUNT_PASSES_REG] = 5;
    *device.view(device.registers[DLA_OFMAP_ADDR_REG], 1) = 42;
    device.finish();
  };
  args.operation = "qconv2d_relu_maxpool";
  args.shape.pool = true;
  ASSERT_EQ(dla_run_on_device(&rt, &args), kDlaOk);
  EXPECT_EQ(seen.operation, "qconv2d_relu_maxpool");
  EXPECT_EQ(seen.name, "conv1");
  EXPECT_EQ(seen.cycles, 1234u);
  EXPECT_EQ(seen.passes, 5u);
  EXPECT_EQ(seen.predicted, 1000u);
  EXPECT_THAT(seen.shape, ElementsAre(4, 4, 4));
  EXPECT_EQ(seen.first, 42);
}

TEST_F(DeviceLayer, ShowsAFlatOfmapAsOne) {
  std::vector<uint32_t> shape;
  rt.observer = {&shape, nullptr, [](void* ctx, const dla_tensor* t) {
                   static_cast<std::vector<uint32_t>*>(ctx)->assign(t->shape, t->shape + t->rank);
                 }};
  args.is_flat = true;
  args.shape.H = args.shape.W = 3;
  args.shape.pad_top = args.shape.pad_left = args.shape.pad_bottom = args.shape.pad_right = 0;
  args.mapping.e = args.mapping.e_glb = 1;
  ASSERT_EQ(dla_run_on_device(&rt, &args), kDlaOk);
  EXPECT_THAT(shape, ElementsAre(4)) << "[M]";
}

TEST_F(DeviceLayer, HandsTheDevicesErrorOnAndClearsIt) {
  device.on_start = [&] {
    device.fail(kDlaErrorBusRead);
    device.registers[DLA_ERROR_ADDR_REG] = 0x80001234u;
  };
  EXPECT_EQ(dla_run_on_device(&rt, &args), kDlaRefused);
  EXPECT_EQ(rt.last_error, kDlaErrorBusRead);
  EXPECT_EQ(rt.last_error_addr, 0x80001234u);
  EXPECT_STREQ(rt.last_layer, "conv1");
  EXPECT_THAT(device.log, ElementsAre("layer conv1", "start", "wait", "clear error", "ack"));
  device.on_start = [&] { device.finish(); };
  EXPECT_EQ(dla_run_on_device(&rt, &args), kDlaOk);
}

TEST_F(DeviceLayer, ResetsADeviceThatDoesNotFinish) {
  device.has_irq = false;
  EXPECT_EQ(dla_run_on_device(&rt, &args), kDlaTimeout);
  EXPECT_THAT(device.log, ElementsAre("layer conv1", "start", "wait", "reset", "ack"));
  device.has_irq = true;
  EXPECT_EQ(dla_run_on_device(&rt, &args), kDlaOk);
}

TEST_F(DeviceLayer, GivesUpOnADeviceThatStaysBusyAfterReset) {
  device.has_irq = false;
  device.stays_busy = true;
  EXPECT_EQ(dla_run_on_device(&rt, &args), kDlaTimeout);
  EXPECT_EQ(dla_run_on_device(&rt, &args), kDlaBusy) << "the next layer finds it so";
}

TEST_F(DeviceLayer, TrustsNoInterruptWithoutAnEvent) {
  device.on_start = [] {};
  EXPECT_EQ(dla_run_on_device(&rt, &args), kDlaTimeout);
  EXPECT_EQ(device.log.at(3), "reset");
}

TEST_F(DeviceLayer, LimitsItsWaitByPredictionOrWork) {
  ASSERT_EQ(dla_run_on_device(&rt, &args), kDlaOk);
  EXPECT_EQ(device.waited_cycles, 1'000'000u + 16 * 1000);
  args.predicted_cycles = 0;
  ASSERT_EQ(dla_run_on_device(&rt, &args), kDlaOk);
  EXPECT_EQ(device.waited_cycles, 1'000'000u + 64 * (4 * 8 * 8 * 3 * 3 * 3));
  rt.max_layer_cycles = 77;
  ASSERT_EQ(dla_run_on_device(&rt, &args), kDlaOk);
  EXPECT_EQ(device.waited_cycles, 77u);
}

class ListedLayers : public DeviceLayer {
 protected:
  void SetUp() override {
    DeviceLayer::SetUp();
    rt.list = &list;
    rt.observer = {this,
                   [](void* test, const dla_layer_record* record) {
                     static_cast<ListedLayers*>(test)->reported.push_back(record->name + std::to_string(record->list) +
                                                                          std::to_string(record->counters.cycles));
                   },
                   nullptr};
  }

  /// What the device would have written: cycles of layer i are 10 + i.
  void record(uint32_t layers) {
    for (uint32_t i = 0; i < layers; ++i) {
      uint8_t* record = device.view(list.addr + DLA_LIST_LAYERS * kDlaListEntryAlign + i * kDlaListRecordAlign, 32);
      std::memset(record, 0, 32);
      record[0] = static_cast<uint8_t>(i);
      record[4 * kDlaListHeadWords] = static_cast<uint8_t>(10 + i);
    }
  }

  uint32_t word(uint32_t addr) {
    uint32_t value;
    std::memcpy(&value, device.view(addr, 4), 4);
    return value;
  }

  dla_list list{};
  std::vector<std::string> reported;
};

TEST_F(ListedLayers, WaitUntilTheHostHasSomethingToDo) {
  ASSERT_EQ(dla_run_on_device(&rt, &args), kDlaOk);
  args.name = "conv2";
  ASSERT_EQ(dla_run_on_device(&rt, &args), kDlaOk);
  EXPECT_THAT(device.log, IsEmpty());
  device.on_start = [this] {
    record(2);
    device.finish();
  };
  ASSERT_EQ(dla_begin(&rt, "softmax"), kDlaOk);
  EXPECT_THAT(device.log, ElementsAre("layer conv1", "list", "wait", "ack"));
  EXPECT_EQ(device.registers[DLA_LIST_ADDR_REG], list.addr);
  EXPECT_EQ(device.registers[DLA_LIST_LIMIT_REG], 2u);
  EXPECT_EQ(word(list.addr), list.addr + kDlaListEntryAlign);
  EXPECT_EQ(word(list.addr + kDlaListEntryAlign), 0u);
  EXPECT_EQ(word(list.addr + 4 * kDlaListHeadWords), rt.arena_addr) << "IFMAP_ADDR";
  EXPECT_EQ(device.waited_cycles, 2 * (1'000'000u + 16 * 1000));
  EXPECT_THAT(reported, ElementsAre("conv1110", "conv2111"));
  EXPECT_STREQ(rt.last_layer, "softmax");
  ASSERT_EQ(dla_begin(&rt, "output"), kDlaOk);
  EXPECT_EQ(device.log.size(), 4u) << "nothing waits any more";
}

TEST_F(ListedLayers, NameTheOneThatFailed) {
  const char* names[] = {"conv1", "conv2", "conv3"};
  for (const char* name : names) {
    args.name = name;
    ASSERT_EQ(dla_run_on_device(&rt, &args), kDlaOk);
  }
  device.on_start = [this] {
    record(1);
    device.registers[DLA_LIST_LAYER_REG] = 1;
    device.fail(kDlaErrorBusRead);
  };
  EXPECT_EQ(dla_begin(&rt, "softmax"), kDlaRefused);
  EXPECT_EQ(rt.last_error, kDlaErrorBusRead);
  EXPECT_STREQ(rt.last_layer, "conv2");
  EXPECT_THAT(reported, ElementsAre("conv1110"));
  EXPECT_EQ(list.count, 0u);
}

TEST_F(ListedLayers, AreRefusedBeforeTheyWait) {
  args.mapping.q = 5;
  EXPECT_EQ(dla_run_on_device(&rt, &args), kDlaRefused);
  EXPECT_EQ(list.count, 0u);
}

TEST_F(ListedLayers, RunWhereTheListIsFull) {
  device.on_start = [this] {
    record(DLA_LIST_LAYERS);
    device.finish();
  };
  for (uint32_t i = 0; i < DLA_LIST_LAYERS; ++i) {
    ASSERT_EQ(dla_run_on_device(&rt, &args), kDlaOk);
  }
  EXPECT_THAT(device.log, IsEmpty());
  ASSERT_EQ(dla_run_on_device(&rt, &args), kDlaOk);
  EXPECT_THAT(device.log, ElementsAre("layer conv1", "list", "wait", "ack"));
  EXPECT_EQ(reported.size(), DLA_LIST_LAYERS);
  EXPECT_EQ(list.count, 1u);
}

/// Two layers in three slices: 3, 3 and 2 rows of the second need 4, 3 and 1 of the first, in a ring of 8 rows.
class DepthFirstLayers : public ListedLayers {
 protected:
  void SetUp() override {
    ListedLayers::SetUp();
    rt.list = nullptr;
    first = second = args;
    second.name = "conv2";
    first.shape.ofmap_on_chip = second.shape.ifmap_on_chip = true;
    first.shape.M = second.shape.C = 3;
    first.mapping.m = first.mapping.p = 3;
    first.ofmap = second.ifmap = 0;
    const uint32_t kept = 4 * 2048;  // A bank of each of the four columns.
    for (dla_device_layer* layer : {&first, &second}) {
      ASSERT_EQ(dla_plan_glb_behind(&rt.machine, &layer->shape, &layer->mapping, kept, &layer->glb), kDlaErrorNone);
    }
    second.glb.ifmap = {0, kept};
    device.on_start = [this] {
      device.registers[DLA_COUNT_CYCLES_REG] = 10 + starts++;
      seen.push_back(
          {device.registers[DLA_IFMAP_ADDR_REG] - rt.arena_addr, device.registers[DLA_OFMAP_ADDR_REG] - rt.arena_addr});
      device.finish();
    };
  }

  dla_depth_first both() const { return {layers, 2, 3, rows}; }

  dla_device_layer first{}, second{};
  const dla_device_layer* layers[2] = {&first, &second};
  uint16_t rows[6] = {4, 3, 3, 3, 1, 2};
  uint32_t starts = 0;
  std::vector<std::pair<uint32_t, uint32_t>> seen;
};

TEST_F(DepthFirstLayers, TakeTurnsAndAreReportedOnce) {
  const dla_depth_first chain = both();
  ASSERT_EQ(dla_run_depth_first(&rt, &chain), kDlaOk) << dla_error_text(rt.last_error);
  EXPECT_THAT(reported, ElementsAre("conv10" + std::to_string(10 + 12 + 14), "conv20" + std::to_string(11 + 13 + 15)));
  ASSERT_EQ(seen.size(), 6u);
  EXPECT_EQ(seen[0].first, 0u);
  EXPECT_EQ(seen[2].first, 3u * 8) << "row 4 of the first needs row 3 of its ifmap";
  EXPECT_EQ(seen[1].second, 256u);
  EXPECT_EQ(seen[3].second, 256u + 3 * 8);
  EXPECT_EQ(seen[5].second, 256u + 6 * 8);
}

TEST_F(DepthFirstLayers, WaitInOneList) {
  rt.list = &list;
  for (uint32_t i = 0; i < DLA_LIST_LAYERS - 5; ++i) {
    ASSERT_EQ(dla_run_on_device(&rt, &args), kDlaOk);
  }
  device.on_start = [this] {
    record(DLA_LIST_LAYERS - 5);
    device.finish();
  };
  const dla_depth_first chain = both();
  ASSERT_EQ(dla_run_depth_first(&rt, &chain), kDlaOk);
  EXPECT_THAT(device.log, ElementsAre("layer conv1", "list", "wait", "ack")) << "six do not fit behind the others";
  EXPECT_EQ(list.count, 6u);
  reported.clear();
  device.on_start = [this] {
    record(6);
    device.finish();
  };
  ASSERT_EQ(dla_begin(&rt, "softmax"), kDlaOk);
  EXPECT_THAT(reported, ElementsAre("conv12" + std::to_string(10 + 12 + 14), "conv22" + std::to_string(11 + 13 + 15)));
}

TEST_F(DepthFirstLayers, ReportWhatRanOfAListThatFailed) {
  rt.list = &list;
  const dla_depth_first chain = both();
  ASSERT_EQ(dla_run_depth_first(&rt, &chain), kDlaOk);
  device.on_start = [this] {
    record(3);
    device.registers[DLA_LIST_LAYER_REG] = 3;
    device.fail(kDlaErrorBusRead);
  };
  EXPECT_EQ(dla_begin(&rt, "softmax"), kDlaRefused);
  EXPECT_STREQ(rt.last_layer, "conv2");
  EXPECT_THAT(reported, ElementsAre("conv2111", "conv11" + std::to_string(10 + 12)));
}

TEST_F(DepthFirstLayers, AreRefusedWhereTheirSlicesAreNotAllRows) {
  dla_depth_first chain = both();
  rows[5] = 1;
  EXPECT_EQ(dla_run_depth_first(&rt, &chain), kDlaBadArg);
  rows[5] = 2;
  second.N = 2;
  EXPECT_EQ(dla_run_depth_first(&rt, &chain), kDlaBadArg) << "of two pictures";
  second.N = 0;
  chain.slices = DLA_LIST_LAYERS / 2 + 1;
  EXPECT_EQ(dla_run_depth_first(&rt, &chain), kDlaBadArg) << "more than a list has";
  chain = both();
  chain.count = 0;
  EXPECT_EQ(dla_run_depth_first(&rt, &chain), kDlaBadArg);
  EXPECT_EQ(dla_run_depth_first(&rt, nullptr), kDlaBadArg);
  EXPECT_EQ(starts, 0u);
}

/// Behind seven rows of the first, the second reads from the third one on.
TEST_F(DepthFirstLayers, AreRefusedWhereARingHasTooFewRows) {
  const dla_depth_first chain = both();
  for (const uint32_t ring : {3u, 4u, 5u}) {
    first.shape.ofmap_plane_rows = second.shape.ifmap_plane_rows = ring;
    starts = 0;
    EXPECT_EQ(dla_run_depth_first(&rt, &chain), ring == 5 ? kDlaOk : kDlaLostRows) << ring;
    EXPECT_EQ(starts, ring == 5 ? 6u : 0u);
    EXPECT_STREQ(rt.last_layer, "conv2");
  }
}

TEST_F(DepthFirstLayers, AreRefusedWhereRowsAreNotWrittenYet) {
  const dla_depth_first chain = both();
  std::swap(rows[0], rows[2]);
  EXPECT_EQ(dla_run_depth_first(&rt, &chain), kDlaLostRows);
  EXPECT_STREQ(rt.last_layer, "conv2");
}

TEST_F(DepthFirstLayers, AreRefusedWhereATensorLeavesTheGlb) {
  const dla_depth_first chain = both();
  first.ofmap = second.ifmap = rt.machine.glb_bytes;
  EXPECT_EQ(dla_run_depth_first(&rt, &chain), kDlaRefused);
  EXPECT_EQ(rt.last_error, kDlaErrorBadOnChip);
  EXPECT_STREQ(rt.last_layer, "conv1");
  EXPECT_EQ(starts, 0u);
}

TEST_F(DepthFirstLayers, AreRefusedWhereALayerUsesWhatAnotherKeeps) {
  const dla_depth_first chain = both();
  second.glb.out.base_bytes = 0;
  EXPECT_EQ(dla_run_depth_first(&rt, &chain), kDlaLostRows);
  EXPECT_STREQ(rt.last_layer, "conv1");
  EXPECT_EQ(starts, 0u);
}

TEST_F(DepthFirstLayers, AreRefusedWhereFiltersCannotStay) {
  const dla_depth_first chain = both();
  second.shape.filters_on_chip = true;
  EXPECT_EQ(dla_run_depth_first(&rt, &chain), kDlaLostFilters) << "both load filters at the GLB's end";
  EXPECT_STREQ(rt.last_layer, "conv2");
  first.glb.filter.base_bytes -= second.glb.filter.size_bytes;
  EXPECT_EQ(dla_run_depth_first(&rt, &chain), kDlaOk) << dla_error_text(rt.last_error);
  second.mapping.p = 1;
  EXPECT_EQ(dla_run_depth_first(&rt, &chain), kDlaLostFilters) << "four chunks in two buffers";
}

TEST_F(DeviceLayer, TouchesNothingWhereTheMachineCannotRunIt) {
  args.mapping.q = 5;
  EXPECT_EQ(dla_run_on_device(&rt, &args), kDlaRefused);
  EXPECT_EQ(rt.last_error, kDlaErrorIfmapSpadFull);
  args.mapping.q = 3;
  args.glb.ifmap.size_bytes = 0;
  EXPECT_EQ(dla_run_on_device(&rt, &args), kDlaRefused);
  EXPECT_EQ(rt.last_error, kDlaErrorGlbIfmapSmall);
  EXPECT_THAT(device.log, IsEmpty());
}

TEST_F(DeviceLayer, TouchesNothingWhereATensorLeavesItsMemory) {
  const auto refuses = [&](auto change) {
    struct dla_device_layer bad = args;
    change(bad);
    return dla_run_on_device(&rt, &bad) == kDlaBadArg;
  };
  EXPECT_TRUE(refuses([](auto& a) { a.ifmap = kArenaBytes - 191; }));
  EXPECT_TRUE(refuses([](auto& a) { a.ofmap = kArenaBytes - 255; }));
  EXPECT_TRUE(refuses([](auto& a) { a.ofmap = UINT32_MAX - 3; }));
  EXPECT_TRUE(refuses([](auto& a) { a.filter = kWeightsBytes - 4; }));
  EXPECT_THAT(device.log, IsEmpty());
}

}  // namespace
