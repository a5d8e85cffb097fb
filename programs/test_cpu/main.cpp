// SPDX-License-Identifier: Apache-2.0
/// \file
/// test_cpu: runs a compiled network with the driver's CPU kernels.
#include <cstdio>
#include <exception>
#include <iostream>
#include <optional>

#include "ir/error.h"
#include "program/host_memory.h"
#include "program/layer_dump.h"
#include "program/program.h"

namespace {

using namespace fovea;

void dump_tensor(void* dump, const dla_tensor* tensor) { static_cast<LayerDump*>(dump)->write(*tensor); }

void run(const ProgramOptions& options) {
  const CompiledNetwork compiled(options.net);
  if (std::string_view(compiled.model().target) != "cpu") {
    user_error(options.net.string() + ": compiled for the accelerator; compile it with --target cpu");
  }
  const HostMemory memory(compiled.memory_bytes());
  LoadedNetwork network(compiled, memory.hal());

  std::optional<LayerDump> dump;
  if (!options.dump_layers.empty()) {
    dump.emplace(options.dump_layers);
    network.observe({&*dump, nullptr, dump_tensor});
  }
  Progress progress(!options.quiet);
  run_program(
      options, network, [&](const Tensors& inputs) { return network.run(inputs); }, progress, std::cout);
  if (dump) {
    dump->finish();
  }
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app{"Runs a compiled network on the CPU, with the driver's own kernels.", "test_cpu"};
  app.footer("Example:\n  test_cpu --net build/nets/net-cpu --input build/samples.bin --class 4 --index 9");
  ProgramOptions options;
  add_program_options(app, options);
  return run_main(app, argc, argv, [&] { run(options); });
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
