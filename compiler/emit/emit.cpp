// SPDX-License-Identifier: Apache-2.0
/// \file
/// Plans a network, makes the texts, and writes the files together.
#include "emit.h"

#include "emit_c.h"
#include "files/output_folder.h"
#include "network_plan.h"
#include "summary.h"

namespace fovea {

EmitReport emit_network(const Network& network, const EmitOptions& options) {
  const NetworkPlan plan = plan_network(network, options);
  OutputFolder folder(options.folder);
  folder.add("model.c", emit_c(plan, options.rounding));
  for (const auto& [name, text] : plan.files) {
    folder.add(name, text);
  }
  for (const auto& [name, text] : options.sources) {
    folder.add(name, text);
  }
  folder.add("weight.bin", plan.weights.encode(plan.model_key));
  folder.add(network.name + ".json", summarize_as_json(plan, options));
  folder.add("ir_before.txt", options.ir_before);
  folder.add("ir_after.txt", options.ir_after);
  folder.add(kIrConstants, options.ir_constants);
  folder.commit();
  return summarize(plan);
}

}  // namespace fovea
