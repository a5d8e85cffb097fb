// SPDX-License-Identifier: Apache-2.0
/// \file
/// The mappings of a layer, compared: what `foveac map` says, as numbers and as text. And one that is given: whether a
/// machine runs it, and a record that compilations take it from.
#include <pybind11/stl.h>

#include <sstream>
#include <string>
#include <utility>

#include "bindings.h"
#include "command/command_json.h"
#include "commands/map_report.h"
#include "mapping/cost_model.h"
#include "mapping/mapping_space.h"
#include "objective.h"
#include "spec/json_file.h"
#include "tensor/error.h"
#include "tuning/records.h"

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

using Json = nlohmann::ordered_json;

/// \return the mapping, with as many filter buffers as there is room for where it has none, and ""; or why the machine
/// can't run it.
std::pair<std::string, std::string> plan_mapping_of(const MachineFile& machine, const std::string& shape_json,
                                                    const std::string& mapping_json) {
  const dla_shape shape = shape_from_json(parse_json<Json>(shape_json, "shape"));
  dla_mapping mapping = mapping_from_json(parse_json<Json>(mapping_json, "mapping"));
  const bool has_buffers = mapping.filter_buffers != 0;
  if (!has_buffers) {
    mapping.filter_buffers = kMostFilterBuffers;
  }
  dla_error error = dla_check_mapping(&machine.geometry, &shape, &mapping);
  if (error == kDlaErrorNone) {
    dla_mapping fewest = mapping;
    fewest.filter_buffers = has_buffers ? mapping.filter_buffers : 2;
    dla_glb_plan glb;
    error = dla_plan_glb(&machine.geometry, &shape, &fewest, &glb);
  }
  if (error != kDlaErrorNone) {
    return {"", dla_error_text(error)};
  }
  if (!has_buffers) {
    mapping.filter_buffers = most_filter_buffers(machine.geometry, shape, mapping);
  }
  return {to_json(mapping).dump(), ""};
}

/// Adds a record of a mapping that the machine can run, as if a search had found it for that memory.
void record_mapping(const std::string& file, const MachineFile& machine, const std::string& shape_json,
                    const std::string& mapping_json, const std::string& dram) {
  const dla_shape shape = shape_from_json(parse_json<Json>(shape_json, "shape"));
  const dla_mapping mapping = mapping_from_json(parse_json<Json>(mapping_json, "mapping"));
  const TuningRecord record = {machine.name,
                               machine_version(machine.geometry),
                               Objective::kCycles,
                               dram,
                               shape,
                               mapping,
                               predict_layer(machine.geometry, shape, mapping, memory_of(machine, dram)).cycles};
  update_records(file, [&](TuningRecords& records) { records.add(record); });
}

}  // namespace

void bind_mapping(py::module_& module) {
  module.def("search_shape", search_shape, py::arg("machine"), py::arg("name"), py::arg("shape_json"),
             py::arg("objective"), py::arg("slack_percent"), py::arg("count"));
  module.def("plan_mapping", plan_mapping_of, py::arg("machine"), py::arg("shape_json"), py::arg("mapping_json"));
  module.def("record_mapping", record_mapping, py::arg("file"), py::arg("machine"), py::arg("shape_json"),
             py::arg("mapping_json"), py::arg("dram"));
}

}  // namespace fovea
