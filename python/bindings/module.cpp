// SPDX-License-Identifier: Apache-2.0
/// \file
/// The module _fovea: all parts, and the names that can be chosen from.
#include <dlfcn.h>
#include <pybind11/stl.h>

#include <string>
#include <vector>

#include "bindings.h"
#include "common/backend.h"
#include "files/file_tree.h"
#include "spec/dram_preset.h"
#include "store/cache.h"
#include "targets/target.h"

namespace fovea {
namespace {

/// A compiled network finds the runtime's functions in the program (programs/test_dla/CMakeLists.txt), which here is
/// this library: Python loads it so that others don't see it. Of its symbols, symbols.map lets them see the runtime's.
void show_runtime() {
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&show_runtime), &info) == 0 ||
      dlopen(info.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD) == nullptr) {
    throw pybind11::import_error("_fovea: its runtime cannot be shown to compiled networks");
  }
}

std::vector<std::string> target_names() {
  std::vector<std::string> names;
  for (const TargetRow& row : targets()) {
    names.emplace_back(row.name);
  }
  return names;
}

std::vector<std::string> objective_names() {
  std::vector<std::string> names;
  for (const Objective objective : kObjectives) {
    names.emplace_back(to_text(objective));
  }
  return names;
}

}  // namespace
}  // namespace fovea

PYBIND11_MODULE(_fovea, module) {
  using namespace fovea;
  module.doc() = "Fovea's compiler and simulators; use the package fovea.";
  show_runtime();
  bind_errors();
  bind_machine(module);
  bind_operators(module);
  bind_passes(module);
  bind_patterns(module);
  bind_targets(module);
  bind_compile(module);
  bind_mapping(module);
  bind_pictures(module);
  bind_results(module);
  bind_session(module);
  bind_quantize(module);
  bind_compare(module);
  bind_accuracy(module);
  bind_ir(module);
  bind_explore(module);
  bind_loops(module);
  module.attr("targets") = target_names();
  module.attr("objectives") = objective_names();
  module.attr("backends") = backend_names();
  module.attr("memories") = dram_preset_names();
  module.attr("version") = FOVEA_VERSION;
  module.def("cache_folder", [] { return cache_folder().string(); });
  module.def("models_folder", [] { return file_tree().models.string(); });
}
