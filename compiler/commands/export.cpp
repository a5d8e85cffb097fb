// SPDX-License-Identifier: Apache-2.0
/// \file
/// export: writes a network as ONNX again, or the mapping of a layer as Timeloop's or ZigZag's files.
#include <iostream>
#include <memory>

#include "command.h"
#include "options.h"
#include "python_package.h"
#include "requests/compile.h"

namespace fovea {

Action describe_export(CLI::App& app) {
  struct Options {
    NetworkRequest network;
    std::filesystem::path output;
    bool is_qoperator = false, is_qdq = false, is_timeloop = false, is_zigzag = false;
    std::string layer;  ///< Of a file with its mapping.
  };
  const auto o = std::make_shared<Options>();
  add_model_option(app, o->network.model)->required();
  add_import_options(app, o->network.import);
  app.add_option("-o,--output", o->output,
                 "The ONNX file (default: output/<network>_<form>.onnx), or the folder of a layer")
      ->type_name("FILE|FOLDER");
  app.add_flag("--qoperator", o->is_qoperator, "As operators on 8-bit values: QLinearConv, QLinearAdd, ...");
  app.add_flag("--qdq", o->is_qdq, "As float operators between DequantizeLinear and QuantizeLinear");
  app.add_flag("--timeloop", o->is_timeloop, "As Timeloop's files: the machine, and a layer with its mapping");
  app.add_flag("--zigzag", o->is_zigzag, "As ZigZag's files: a layer and its mapping");
  app.add_option("--layer", o->layer, "The layer of --timeloop or --zigzag")->type_name("NAME");
  add_machine_option(app, o->network.placement.machine);
  add_optimize_option(app, o->network.placement.goal);
  return [o, &app] {
    if (o->is_qoperator + o->is_qdq + o->is_timeloop + o->is_zigzag != 1) {
      throw UsageError(typed_name(app) + " writes one form: give --qoperator, --qdq, --timeloop or --zigzag");
    }
    if (o->is_timeloop || o->is_zigzag) {
      become_python("export", app);
    }
    if (!o->layer.empty()) {
      throw UsageError("--layer is of one mapping: give --timeloop or --zigzag too");
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
