// SPDX-License-Identifier: Apache-2.0
/// \file
/// Machine files, read and checked.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "bindings.h"
#include "files/file_tree.h"
#include "pybind11/stl.h"
#include "spec/machine_json.h"

namespace py = pybind11;

namespace fovea {
namespace {

std::vector<std::string> machine_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(file_tree().machines)) {
    if (entry.path().extension() == ".json") {
      names.push_back(entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

void bind_machine(py::module_& module) {
  py::class_<MachineFile>(module, "MachineFile")
      .def(py::init(&parse_machine), py::arg("text"), py::arg("place"))
      .def_readonly("name", &MachineFile::name);
  module.def(
      "machine_file", [](const std::string& name) { return machine_file(name).string(); }, py::arg("name"));
  module.def("machine_names", machine_names);
}

}  // namespace fovea
