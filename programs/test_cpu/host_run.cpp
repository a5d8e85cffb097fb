// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs a compiled network in this process's memory.
#include "host_run.h"

#include <optional>

#include "program/host_memory.h"
#include "program/layer_dump.h"
#include "tensor/error.h"

namespace fovea {
namespace {

void dump_tensor(void* dump, const dla_tensor* tensor) { static_cast<LayerDump*>(dump)->write(*tensor); }

}  // namespace

void run_on_host(const ProgramOptions& options, std::ostream& given) {
  std::ostream& out = beside({options.output_raw}, given);
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
      options, network, [&](const Tensors& inputs) { return network.run(inputs); }, progress, out);
  if (dump) {
    dump->finish();
  }
}

}  // namespace fovea
