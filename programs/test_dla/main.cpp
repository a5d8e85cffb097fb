// SPDX-License-Identifier: Apache-2.0
/// \file
/// test_dla: runs a compiled network on the simulated accelerator.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "commands/choice.h"
#include "common/backend.h"
#include "device_run.h"

namespace {

using namespace fovea;

void add_options(CLI::App& app, DeviceOptions& o) {
  app.add_option("--machine", o.machine, "machine file, the one that the network was compiled for")->required();
  add_name_choice(app, "--backend", o.backend, backend_names(), "the simulator (default: " + o.backend + ")");
  add_device_options(app, o);
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
  add_options(app, device);
  return run_main(app, argc, argv, [&] { run_on_device(options, device); });
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
