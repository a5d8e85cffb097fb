// SPDX-License-Identifier: Apache-2.0
/// \file
/// Writes the files of the lab's form together.
#include "emit_lab.h"

#include "files/output_folder.h"
#include "lab_model.h"

namespace fovea {

EmitReport emit_lab(const Network& network, const dla_machine& machine, const std::filesystem::path& folder) {
  const LabModel model = write_lab_model(network, machine);
  OutputFolder files(folder);
  files.add("model.c", model.c_text);
  files.add("weight.c", model.weights.c_text());
  files.add("weight.h", model.weights.header_text());
  files.add("weight.bin", model.weights.file());
  files.commit();
  EmitReport report;
  for (const Layer& layer : network.layers) {
    report.layers.push_back({.name = layer.name,
                             .composite = layer.composite,
                             .target = layer.target,
                             .reason = layer.reason,
                             .mapping = ""});
  }
  report.weights_bytes = model.weights.file().size();
  report.arena_bytes = model.peak_bytes;
  report.naive_arena_bytes = model.all_bytes;
  return report;
}

}  // namespace fovea
