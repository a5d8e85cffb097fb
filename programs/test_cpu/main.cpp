// SPDX-License-Identifier: Apache-2.0
/// \file
/// test_cpu: runs a compiled network with the driver's CPU kernels.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "host_run.h"

int main(int argc, char** argv) try {
  CLI::App app{"Runs a compiled network on the CPU, with the driver's own kernels.", "test_cpu"};
  app.footer("Example:\n  test_cpu --net build/nets/net-cpu --input build/samples.bin --class 4 --index 9");
  fovea::ProgramOptions options;
  fovea::add_program_options(app, options);
  return fovea::run_main(app, argc, argv, [&] { fovea::run_on_host(options); });
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
