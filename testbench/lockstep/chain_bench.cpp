// SPDX-License-Identifier: Apache-2.0
/// \file
/// Chains on a bench: puts their lists into device memory, and takes the tensor that they make.
#include "chain_bench.h"

#include <gtest/gtest.h>

#include "bench/chip_copy.h"
#include "spec/dla_list.h"

namespace fovea {

namespace {

constexpr uint8_t kOther = 0xc5;  ///< In rows of planes that are no tensor's.

uint32_t put(DeviceBench& bench, const std::vector<uint8_t>& bytes, uint32_t align) {
  const dla_hal_t& hal = bench.hal();
  const auto size = static_cast<uint32_t>(bytes.size());
  uint32_t addr = 0;
  EXPECT_EQ(hal.mem_alloc(hal.ctx, size, align, &addr), kDlaOk);
  EXPECT_EQ(hal.mem_write(hal.ctx, addr, bytes.data(), size), kDlaOk);
  return addr;
}

void put_filters(DeviceBench& bench, LayerCase& command) {
  dla_layer& layer = command.layer;
  std::vector<uint8_t> stream(dla_filter_stream_bytes(&bench.machine(), &layer.shape, &layer.mapping));
  dla_lay_out_filters(&bench.machine(), &layer.shape, &layer.mapping, command.filter.data(), command.bias.data(),
                      command.scale.data(), command.table.data(), stream.data());
  layer.filter_addr = put(bench, stream, kDlaMaxBusBytes);
}

/// Fills in where the first tensor is, and the last.
void put_addresses(uint32_t given, uint32_t made, dla_layer& layer) {
  const auto in_memory = [&](uint32_t addr) {
    return addr >= ChainPlan::kMade ? addr - ChainPlan::kMade + made : addr - ChainPlan::kGiven + given;
  };
  const dla_shape& s = layer.shape;
  layer.ifmap_addr = s.ifmap_on_chip ? layer.ifmap_addr : in_memory(layer.ifmap_addr);
  layer.ofmap_addr = s.ofmap_on_chip ? layer.ofmap_addr : in_memory(layer.ofmap_addr);
  layer.residual_addr = s.residual && !s.residual_on_chip ? in_memory(layer.residual_addr) : layer.residual_addr;
}

uint32_t last_of(const Chain& chain) { return static_cast<uint32_t>(chain.layers.size()); }

/// With the rows that a tensor in DRAM has.
dla_planes planes_in_dram(const dla_machine& machine, const Chain& chain, const ChainPlan& plan, uint32_t tensor) {
  dla_planes planes = planes_of(machine, chain, plan, tensor);
  planes.rows = chain.tensors[tensor].rows;
  return planes;
}

}  // namespace

dla_planes planes_of(const dla_machine& machine, const Chain& chain, const ChainPlan& plan, uint32_t tensor) {
  const ChainTensor& of = chain.tensors[tensor];
  const ChainPlace& place = plan.places[tensor];
  dla_planes planes{};
  planes.on_chip = place.on_chip;
  planes.addr = place.addr;
  planes.channels = of.channels;
  planes.rows = planes.plane_rows = place.plane_rows;
  planes.cols = of.cols;
  planes.stride = place.plane_rows * of.cols;
  planes.columns = place.on_chip ? dla_ifmap_columns(&machine) : 1;
  return planes;
}

PlacedChain place(DeviceBench& bench, const Chain& chain, const ChainPlan& plan) {
  bench.hal().mem_reset(bench.hal().ctx);
  PlacedChain placed;
  const dla_planes of_given = planes_in_dram(bench.machine(), chain, plan, 0);
  const dla_planes of_made = planes_of(bench.machine(), chain, plan, last_of(chain));
  const uint32_t given = put(bench, put_into_planes(of_given, chain.layers[0].test.ifmap, kOther), 4096);
  placed.made = put(bench, std::vector<uint8_t>(size_t{of_made.channels} * of_made.stride, kOther), 4096);
  List& list = placed.list;
  list.layers = plan.commands;
  list.limit = static_cast<uint32_t>(list.layers.size());
  for (LayerCase& command : list.layers) {
    put_addresses(given, placed.made, command.layer);
    put_filters(bench, command);
    list.entries.push_back(put(bench, std::vector<uint8_t>(kDlaListEntryAlign), kDlaListEntryAlign));
    list.records.push_back(put(bench, std::vector<uint8_t>(kDlaListRecordAlign), kDlaListRecordAlign));
  }
  for (size_t i = 0; i < list.layers.size(); ++i) {
    const uint32_t next = i + 1 < list.layers.size() ? list.entries[i + 1] : 0;
    EXPECT_EQ(dla_put_list_entry(&bench.hal(), &bench.machine(), &list.layers[i].layer, list.entries[i], next,
                                 list.records[i]),
              kDlaOk);
  }
  return placed;
}

std::vector<uint8_t> take_made(DeviceBench& bench, const Chain& chain, const ChainPlan& plan,
                               const PlacedChain& placed) {
  const dla_planes planes = planes_in_dram(bench.machine(), chain, plan, last_of(chain));
  std::vector<uint8_t> bytes(size_t{planes.channels} * planes.stride);
  EXPECT_EQ(bench.hal().mem_read(bench.hal().ctx, placed.made, bytes.data(), static_cast<uint32_t>(bytes.size())),
            kDlaOk);
  const TensorOfPlanes taken = take_out_of_planes(planes, bytes, kOther);
  EXPECT_TRUE(taken.others_kept) << "something was written between the planes";
  return taken.tensor;
}

}  // namespace fovea
