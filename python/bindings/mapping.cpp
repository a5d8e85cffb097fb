// SPDX-License-Identifier: Apache-2.0
/// \file
/// The mappings of a layer, compared: what `foveac map` says, as numbers and as text.
#include <pybind11/stl.h>

#include <sstream>
#include <string>
#include <utility>

#include "bindings.h"
#include "command/command_json.h"
#include "commands/map_report.h"
#include "objective.h"
#include "spec/json_file.h"
#include "tensor/error.h"

namespace py = pybind11;

namespace fovea {
namespace {

/// \return mappings_json() as a text, and what is for a person.
std::pair<std::string, std::string> search_shape(const MachineFile& machine, const std::string& name,
                                                 const std::string& shape_json, const std::string& objective,
                                                 std::uint32_t slack_percent, std::size_t count) {
  const dla_shape shape = shape_from_json(parse_json<nlohmann::ordered_json>(shape_json, name));
  const Goal goal(objective_of(objective), slack_percent);
  SearchResult found;
  {
    const py::gil_scoped_release unlocked;
    found = search_mappings(machine.geometry, machine.access_energy(), shape, goal, count);
  }
  if (found.best.empty()) {
    user_error(name + ": no mapping fits " + machine.name);
  }
  std::ostringstream text;
  print_mappings(machine, {name, shape}, found, text);
  return {mappings_json(machine, {name, shape}, found).dump(), text.str()};
}

}  // namespace

void bind_mapping(py::module_& module) {
  module.def("search_shape", search_shape, py::arg("machine"), py::arg("name"), py::arg("shape_json"),
             py::arg("objective"), py::arg("slack_percent"), py::arg("count"));
}

}  // namespace fovea
