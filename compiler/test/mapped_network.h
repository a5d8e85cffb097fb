// SPDX-License-Identifier: Apache-2.0
/// \file
/// A network for the accelerator, as a test looks at it: its layers, and the mapper that chose for them.
#pragma once

#include <memory>
#include <string>

#include "layers/collect_layers.h"
#include "mapping/mapper.h"
#include "onnx/import.h"
#include "passes/pipeline.h"
#include "spec/machine_json.h"
#include "targets/target.h"

namespace fovea {

struct MappedNetwork {
  /// \param model    An ONNX file, from the project's root.
  /// \param machine  One that ships.
  MappedNetwork(const std::string& model, const std::string& machine, const ImportOptions& import = {})
      : mapper(std::make_shared<Mapper>(read_machine("sim/spec/machines/" + machine + ".json"), MappingMode::kSearch)) {
    PipelineOptions options;
    options.targets = make_targets("dla", {[this] { return mapper; }, {}});
    network = collect_layers(run_pipeline(import_onnx(model, import), options), "net");
  }

  std::shared_ptr<Mapper> mapper;
  Network network;
};

}  // namespace fovea
