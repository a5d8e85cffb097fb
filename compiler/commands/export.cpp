// SPDX-License-Identifier: Apache-2.0
/// \file
/// export: writes a network as ONNX again.
#include <iostream>
#include <memory>

#include "command.h"
#include "options.h"
#include "requests/compile.h"

namespace fovea {

Action describe_export(CLI::App& app) {
  struct Options {
    NetworkRequest network;
    std::filesystem::path output;
    bool is_qoperator = false, is_qdq = false;
  };
  const auto o = std::make_shared<Options>();
  add_model_option(app, o->network.model)->required();
  add_import_options(app, o->network.import);
  app.add_option("-o,--output", o->output, "The ONNX file (default: output/<network>_<form>.onnx)")->type_name("FILE");
  app.add_flag("--qoperator", o->is_qoperator, "As operators on 8-bit values: QLinearConv, QLinearAdd, ...");
  app.add_flag("--qdq", o->is_qdq, "As float operators between DequantizeLinear and QuantizeLinear");
  return [o, &app] {
    if (o->is_qoperator == o->is_qdq) {
      throw UsageError(typed_name(app) + " writes one form: give --qoperator or --qdq");
    }
    return within_memory(o->network.model, [&] {
      const bool is_named = !o->output.empty();
      if (!is_named) {
        o->output = "output/" + o->network.name() + (o->is_qdq ? "_qdq.onnx" : "_qoperator.onnx");
      }
      export_network(o->network, o->is_qdq ? OnnxForm::kQdq : OnnxForm::kQoperator, o->output);
      std::cout << (is_named ? "" : "written: " + o->output.string() + "\n");
      return kDone;
    });
  };
}

}  // namespace fovea
