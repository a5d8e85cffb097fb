// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs a compiled network on a simulated device, watches its layers, and reports them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "common/backend.h"
#include "common/dla_info_csv.h"
#include "program/program.h"
#include "run_conditions.h"
#include "run_figures.h"

namespace fovea {

/// Options of a run beside those of both programs.
struct DeviceOptions {
  std::string backend = backend_names().front();
  std::string dram;               ///< For memory_of().
  std::filesystem::path machine;  ///< Machine file.
  std::filesystem::path info;     ///< dla_info.csv; empty: none.
  std::filesystem::path vcd;      ///< Waves, .vcd or .fst; empty: none.
  std::string vcd_layer;
  uint64_t vcd_from = 0, vcd_cycles = 0;
  std::string vcd_trigger;
  std::filesystem::path trace;  ///< Timeline, .json; empty: none.
  TransactionOptions transactions;
  bool lists = false;                 ///< Device layers in a row as one list.
  bool debug = false;                 ///< Log register accesses and bursts.
  bool checked = false;               ///< RTL with assertions on.
  bool host_times = false;            ///< Measure what CPU layers take on this computer; only told in JSON.
  std::string last_layer;             ///< A run of one picture ends behind it, without an answer; empty: it goes on.
  std::filesystem::path library_dir;  ///< BackendOptions has it.
};

/// Adds the one of the memory.
void add_dram_option(CLI::App& app, DeviceOptions& options);

/// Adds those that say what is simulated and what is written of it: all but the machine and the backend.
void add_device_options(CLI::App& app, DeviceOptions& options);

/// What a run took.
struct DeviceRun {
  RunInfo info;
  RunConditions conditions;
  std::size_t runs = 0;           ///< Of the network: one a picture, or a batch of them.
  std::vector<LayerInfo> layers;  ///< Of the accelerator and of the CPU, in the order in which they ended.
  std::size_t pictures = 0;       ///< Of all runs.
  RunFigures figures = {};
};

/// Runs as the options say and prints answers and the table of layers, or both as one JSON object, to `given`.
/// \throws UserError, MachineError, BackendError for bad input, UsageError for options that exclude each other;
/// std::runtime_error where a layer fails.
DeviceRun run_on_device(const ProgramOptions& options, const DeviceOptions& device, std::ostream& given = std::cout);

}  // namespace fovea
