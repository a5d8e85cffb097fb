// SPDX-License-Identifier: Apache-2.0
/// \file
/// The options of a simulated device.
#include <CLI/CLI.hpp>

#include "commands/choice.h"
#include "common/dram_timing.h"
#include "device_run.h"

namespace fovea {

void add_dram_option(CLI::App& app, DeviceOptions& o) {
  add_name_choice(app, "--dram", o.dram, dram_preset_names(),
                  "timing of the memory (default: the machine's; pipelined where it has none)");
}

void add_device_options(CLI::App& app, DeviceOptions& o) {
  add_dram_option(app, o);
  app.add_option("--info", o.info, "write this CSV file, a row a device layer")->type_name("FILE");
  auto* vcd = app.add_option("--vcd", o.vcd, "dump waves to this .vcd or .fst file")->type_name("FILE");
  app.add_option("--vcd-layer", o.vcd_layer, "only of this layer")->needs(vcd);
  app.add_option("--vcd-from", o.vcd_from, "first cycle to dump, counted from the layer's start if one is named")
      ->needs(vcd);
  app.add_option("--vcd-cycles", o.vcd_cycles, "how many cycles")->needs(vcd);
  app.add_option("--vcd-trigger", o.vcd_trigger,
                 "dump from the first event on: stall=CYCLES, error, error=CAUSE or write=ADDRESS")
      ->needs(vcd);
  app.add_option("--trace", o.trace, "write a timeline that ui.perfetto.dev opens to this JSON file")
      ->type_name("FILE");
  auto* transactions =
      app.add_option("--transactions", o.transactions.path, "write every event of the device to this text file")
          ->type_name("FILE");
  app.add_option("--transactions-layer", o.transactions.layer, "only events of this layer, its cycles from 0")
      ->needs(transactions);
  app.add_flag("--lists", o.lists, "run device layers in a row as one list, by one START");
  app.add_flag("--host-times", o.host_times,
               "with --json: also times of CPU layers on this computer, the median of 5 runs");
  app.add_flag("--debug", o.debug, "log every register access and burst");
  app.add_flag("--checked", o.checked, "RTL with its assertions on");
}

}  // namespace fovea
