// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs a compiled network on a simulated device, watches its layers, and reports them.
#ifndef FOVEA_PROGRAMS_TEST_DLA_DEVICE_RUN_H_
#define FOVEA_PROGRAMS_TEST_DLA_DEVICE_RUN_H_

#include <cstdint>
#include <filesystem>
#include <string>

#include "common/backend.h"
#include "program/program.h"

namespace fovea {

/// Options of test_dla beside those of both programs.
struct DeviceOptions {
  std::string backend = backend_names().front();
  std::string dram = "pipelined";
  std::filesystem::path machine;  ///< Machine file.
  std::filesystem::path info;     ///< dla_info.csv; empty: none.
  std::filesystem::path vcd;      ///< Waves, .vcd or .fst; empty: none.
  std::string vcd_layer;
  uint64_t vcd_from = 0, vcd_cycles = 0;
  std::string vcd_trigger;
  std::filesystem::path trace;  ///< Timeline, .json; empty: none.
  TransactionOptions transactions;
  bool lists = false;    ///< Device layers in a row as one list.
  bool debug = false;    ///< Log register accesses and bursts.
  bool checked = false;  ///< RTL with assertions on.
};

/// Runs as the options say and prints answers and the table of layers, or both as one JSON object, to standard output.
/// \throws UserError, BackendError, MachineError for bad input; std::runtime_error where a layer fails.
void run_on_device(const ProgramOptions& options, const DeviceOptions& device);

}  // namespace fovea

#endif  // FOVEA_PROGRAMS_TEST_DLA_DEVICE_RUN_H_
