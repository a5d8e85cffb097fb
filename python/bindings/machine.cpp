// SPDX-License-Identifier: Apache-2.0
/// \file
/// Machine files, read and checked.
#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>

#include "bindings.h"
#include "commands/machine.h"
#include "files/file_tree.h"
#include "pybind11/stl.h"
#include "spec/machine_json.h"

namespace py = pybind11;

namespace fovea {

void bind_machine(py::module_& module) {
  py::class_<MachineFile>(module, "MachineFile")
      .def(py::init(&parse_machine), py::arg("text"), py::arg("place"))
      .def_readonly("name", &MachineFile::name);
  module.def(
      "machine_file", [](const std::string& name) { return machine_file(name).string(); }, py::arg("name"));
  module.def("machine_names", machine_names);
  module.def(
      "machine_costs",
      [](const std::string& file) {
        std::ostringstream out;
        report_machine(file, true, out);
        return out.str();
      },
      py::arg("file"));
}

}  // namespace fovea
