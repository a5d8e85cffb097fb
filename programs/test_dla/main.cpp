// SPDX-License-Identifier: Apache-2.0
/// \file
/// test_dla: runs a compiled network on the simulated accelerator.
#include <cstdio>
#include <exception>

#include "common/backend.h"
#include "common/dram_timing.h"
#include "common/join_names.h"
#include "device_run.h"
#include "ir/error.h"

namespace {

using namespace fovea;

/// Says bad machines, backends and waves as bad input.
void run(const ProgramOptions& options, const DeviceOptions& device) {
  try {
    run_on_device(options, device);
  } catch (const BackendError& error) {
    user_error(error.what());
  } catch (const MachineError& error) {
    user_error(error.what());
  }
}

void add_device_options(CLI::App& app, DeviceOptions& o) {
  app.add_option("--machine", o.machine, "machine file, the one that the network was compiled for")->required();
  app.add_option("--backend", o.backend, "what carries the device")
      ->check(CLI::IsMember(backend_names()))
      ->capture_default_str();
  app.add_option("--dram", o.dram, "timing of the memory: " + join_names(dram_preset_names(), " or "))
      ->capture_default_str();
  app.add_option("--info", o.info, "write a row a device layer to this CSV file");
  auto* vcd = app.add_option("--vcd", o.vcd, "dump waves to this .vcd or .fst file");
  app.add_option("--vcd-layer", o.vcd_layer, "only of this layer")->needs(vcd);
  app.add_option("--vcd-from", o.vcd_from, "first cycle to dump, counted from the layer's start if one is named")
      ->needs(vcd);
  app.add_option("--vcd-cycles", o.vcd_cycles, "how many cycles")->needs(vcd);
  app.add_option("--vcd-trigger", o.vcd_trigger,
                 "dump from the first such event on: stall=CYCLES, error, error=CAUSE or write=ADDRESS")
      ->needs(vcd);
  app.add_option("--trace", o.trace, "write a timeline that ui.perfetto.dev opens to this JSON file");
  auto* transactions =
      app.add_option("--transactions", o.transactions.path, "write every event of the device to this text file");
  app.add_option("--transactions-layer", o.transactions.layer, "only those of this layer, its cycles from 0")
      ->needs(transactions);
  app.add_flag("--lists", o.lists, "run device layers in a row as one list, by one START");
  app.add_flag("--debug", o.debug, "log every register access and burst");
  app.add_flag("--checked", o.checked, "RTL with its assertions on");
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app{"Runs a compiled network on the simulated accelerator.", "test_dla"};
  app.footer(
      "Example:\n  test_dla --net build/nets/net-dla --machine sim/spec/machines/eyeriss_6x8.json "
      "--input build/samples.bin --class 4 --index 9 --info dla_info.csv");
  ProgramOptions options;
  DeviceOptions device;
  add_program_options(app, options);
  add_device_options(app, device);
  return run_main(app, argc, argv, [&] { run(options, device); });
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
