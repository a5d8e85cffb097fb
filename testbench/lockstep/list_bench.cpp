// SPDX-License-Identifier: Apache-2.0
/// \file
/// Lists of layers on a bench: puts them into device memory, runs them, and takes what they wrote.
#include "list_bench.h"

#include <gtest/gtest.h>

#include <cstring>

#include "bench/direct_convolution.h"
#include "lockstep_bench.h"
#include "spec/dla_list.h"
#include "spec/dla_planes.h"

namespace fovea {

namespace {

constexpr uint64_t kMaxCycles = 50'000'000;

}  // namespace

void place(DeviceBench& bench, List& list) {
  const dla_hal_t& hal = bench.hal();
  hal.mem_reset(hal.ctx);
  list.entries.assign(list.layers.size(), 0);
  list.records = list.entries;
  const std::vector<uint8_t> unwritten(kDlaListRecordAlign, 0xc5);
  for (size_t i = 0; i < list.layers.size(); ++i) {
    bench.place_too(list.layers[i]);
    EXPECT_EQ(hal.mem_alloc(hal.ctx, kDlaListEntryAlign, kDlaListEntryAlign, &list.entries[i]), kDlaOk);
    EXPECT_EQ(hal.mem_alloc(hal.ctx, kDlaListRecordAlign, kDlaListRecordAlign, &list.records[i]), kDlaOk);
    EXPECT_EQ(hal.mem_write(hal.ctx, list.records[i], unwritten.data(), kDlaListRecordAlign), kDlaOk);
  }
  for (size_t i = 0; i < list.layers.size(); ++i) {
    const uint32_t next = i + 1 < list.layers.size() ? list.entries[i + 1] : 0;
    EXPECT_EQ(dla_put_list_entry(&hal, &bench.machine(), &list.layers[i].layer, list.entries[i], next, list.records[i]),
              kDlaOk);
  }
}

ListOutcome take_records(DeviceBench& bench, const List& list) {
  const dla_hal_t& hal = bench.hal();
  ListOutcome outcome;
  EXPECT_EQ(dla_read_error(&hal, &outcome.error), kDlaOk);
  EXPECT_EQ(dla_read_error_addr(&hal, &outcome.error_addr), kDlaOk);
  EXPECT_EQ(dla_read_list_layer(&hal, &outcome.last_layer), kDlaOk);
  EXPECT_EQ(dla_read_counters(&hal, &outcome.counters), kDlaOk);
  EXPECT_EQ(dla_ack_irq(&hal), kDlaOk);
  for (size_t i = 0; i < list.layers.size(); ++i) {
    outcome.numbers.emplace_back();
    outcome.records.emplace_back();
    EXPECT_EQ(dla_read_record(&hal, list.records[i], &outcome.numbers.back(), &outcome.records.back()), kDlaOk);
  }
  return outcome;
}

ListOutcome take_outcome(DeviceBench& bench, const List& list) {
  ListOutcome outcome = take_records(bench, list);
  for (const LayerCase& layer : list.layers) {
    bool wrote_outside = false;
    outcome.ofmaps.push_back(layer.layer.shape.ofmap_on_chip ? std::vector<uint8_t>()
                                                             : bench.take_ofmap(layer.layer, wrote_outside));
    EXPECT_FALSE(wrote_outside);
  }
  return outcome;
}

uint64_t run_to_end(DeviceBench& bench, const List& list) {
  EXPECT_EQ(dla_start_list(&bench.hal(), list.entries.at(0), list.limit), kDlaOk);
  const uint64_t before = bench.backend().cycles();
  EXPECT_EQ(dla_wait(&bench.hal(), kMaxCycles), kDlaOk);
  return bench.backend().cycles() - before;
}

ListOutcome run(DeviceBench& bench, const List& list) {
  const uint64_t cycles = run_to_end(bench, list);
  ListOutcome outcome = take_outcome(bench, list);
  outcome.cycles = cycles;
  return outcome;
}

dla_region last_row(const dla_machine& machine) {
  const uint32_t row_bytes = machine.glb_bank_bytes * dla_ifmap_columns(&machine);
  return {machine.glb_bytes / row_bytes * row_bytes - row_bytes, row_bytes};
}

uint32_t last_row_addr(const dla_machine& machine) { return dla_column_bytes(&machine) - machine.glb_bank_bytes; }

void leave_last_row(const dla_machine& machine, dla_layer& layer) {
  layer.glb.filter.base_bytes = last_row(machine).base_bytes - layer.glb.filter.size_bytes;
}

void pass_on_chip(const dla_machine& machine, LayerCase& first, LayerCase& second) {
  first.layer.shape.ofmap_on_chip = second.layer.shape.ifmap_on_chip = true;
  first.layer.ofmap_addr = second.layer.ifmap_addr = last_row_addr(machine);
  leave_last_row(machine, first.layer);
  leave_last_row(machine, second.layer);
  second.layer.glb.ifmap = last_row(machine);
  second.ifmap = convolve_directly(first);
}

bool are_equal(const dla_counters& a, const dla_counters& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

void expect_equal(const ListOutcome& rtl, const ListOutcome& systemc) {
  EXPECT_EQ(rtl.error, systemc.error) << dla_error_text(rtl.error) << " / " << dla_error_text(systemc.error);
  EXPECT_EQ(rtl.error_addr, systemc.error_addr);
  EXPECT_EQ(rtl.last_layer, systemc.last_layer);
  EXPECT_EQ(rtl.numbers, systemc.numbers);
  EXPECT_TRUE(rtl.ofmaps == systemc.ofmaps);
  for (size_t i = 0; i < rtl.records.size(); ++i) {
    EXPECT_TRUE(are_equal(rtl.records[i], systemc.records.at(i)))
        << "layer " << i << "\n"
        << format_counters(rtl.records[i], systemc.records[i]);
  }
  EXPECT_TRUE(are_equal(rtl.counters, systemc.counters)) << format_counters(rtl.counters, systemc.counters);
  EXPECT_EQ(rtl.cycles, systemc.cycles);
}

}  // namespace fovea
