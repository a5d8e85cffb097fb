// SPDX-License-Identifier: Apache-2.0
/// \file
/// Lists of layers on a bench: puts them into device memory, runs them, and takes what they wrote.
#pragma once

#include <vector>

#include "bench/device_bench.h"

namespace fovea {

/// Layers, and where their entries and records are in device memory.
struct List {
  std::vector<LayerCase> layers;
  std::vector<uint32_t> entries, records;
  uint32_t limit = 0;
};

/// What came of a list.
struct ListOutcome {
  dla_error error = kDlaErrorNone;
  uint32_t last_layer = 0, error_addr = 0;
  uint64_t cycles = 0;  ///< Of the backend.
  std::vector<uint32_t> numbers;
  std::vector<dla_counters> records;
  std::vector<std::vector<uint8_t>> ofmaps;  ///< Empty of one on chip.
  dla_counters counters{};                   ///< In the registers, at the end.
};

/// In every word of a record that was not written.
inline constexpr uint32_t kUnwritten = 0xc5c5c5c5u;

/// Puts the layers, their entries, linked, and room for their records into device memory; drops what was there before.
void place(DeviceBench& bench, List& list);

/// Runs a list that was placed up to its interrupt. \return its cycles.
uint64_t run_to_end(DeviceBench& bench, const List& list);

/// What came of a list that has ended; acknowledges its interrupt.
ListOutcome take_outcome(DeviceBench& bench, const List& list);

/// The same without the ofmaps.
ListOutcome take_records(DeviceBench& bench, const List& list);

/// Both of these.
ListOutcome run(DeviceBench& bench, const List& list);

/// The last row of banks of the GLB's columns, an address at its begin, and filters in front of it.
dla_region last_row(const dla_machine& machine);
uint32_t last_row_addr(const dla_machine& machine);
void leave_last_row(const dla_machine& machine, dla_layer& layer);

/// Makes the ofmap of the first of two small layers, on chip in that row, the ifmap of the second.
void pass_on_chip(const dla_machine& machine, LayerCase& first, LayerCase& second);

/// Expects that nothing of them differs.
void expect_equal(const ListOutcome& rtl, const ListOutcome& systemc);

bool are_equal(const dla_counters& a, const dla_counters& b);

}  // namespace fovea
