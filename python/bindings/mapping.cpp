// SPDX-License-Identifier: Apache-2.0
/// \file
/// The mappings of a layer, compared: what `foveac map` says, as numbers and as text.
#include <pybind11/stl.h>

#include <sstream>
#include <string>

#include "bindings.h"
#include "command/command_json.h"
#include "command/command_text.h"
#include "compiler/map_report.h"
#include "compiler/mapping_figures.h"
#include "ir/error.h"
#include "objective.h"

namespace py = pybind11;

namespace fovea {
namespace {

py::dict mapping_row(const MachineFile& machine, const dla_shape& shape, const PlannedMapping& plan) {
  const dla_mapping& m = plan.mapping;
  const MappingFigures figures = figures_of(machine, shape, plan);
  const CyclesByCause& causes = plan.cost.causes;
  py::dict row;
  row["m"] = m.m;
  row["e"] = m.e;
  row["p"] = m.p;
  row["q"] = m.q;
  row["r"] = m.r;
  row["t"] = m.t;
  row["rows"] = figures.rows;
  row["e_glb"] = m.e_glb;
  row["ifmap_resident"] = m.ifmap_resident;
  row["filter_buffers"] = m.filter_buffers;
  row["stay"] = m.stay;
  row["cycles"] = figures.cycles;
  row["pe_share"] = figures.pe_share;
  row["dram_bytes"] = figures.dram_bytes;
  row["glb_bytes"] = figures.glb_bytes;
  row["glb_accesses"] = figures.glb_accesses;
  row["energy"] = figures.energy;
  row["compute_cycles"] = causes.compute;
  row["psum_cycles"] = causes.psum;
  row["filter_cycles"] = causes.filter;
  row["ifmap_cycles"] = causes.ifmap;
  row["dram_cycles"] = causes.dram;
  row["output_cycles"] = causes.output;
  row["control_cycles"] = causes.control;
  return row;
}

py::dict search_shape(const MachineFile& machine, const std::string& name, const std::string& shape_json,
                      const std::string& objective, std::uint32_t slack_percent, std::size_t count) {
  const dla_shape shape = shape_from_json(nlohmann::ordered_json::parse(shape_json));
  const Goal goal(objective_of(objective), slack_percent);
  SearchResult found;
  {
    const py::gil_scoped_release unlocked;
    found = search_mappings(machine.geometry, machine.access_energy(), shape, goal, count);
  }
  if (found.best.empty()) {
    user_error(name + ": no mapping fits " + machine.name);
  }
  py::list best;
  for (const PlannedMapping& plan : found.best) {
    best.append(mapping_row(machine, shape, plan));
  }
  const Roofline roofline = roofline_of(machine.geometry, shape, found.best.front());
  py::list fates;
  for (const SearchStep& step : fates_of(machine.geometry, shape, found.census)) {
    for (const MappingFate& fate : step.fates) {
      fates.append(py::make_tuple(step.what, fate.what, fate.count));
    }
  }
  std::ostringstream text;
  print_mappings(machine, {name, shape}, found, text);
  using namespace py::literals;
  return py::dict(
      "best"_a = best,
      "roofline"_a = py::dict("macs_a_dram_byte"_a = roofline.macs_a_dram_byte, "attainable"_a = roofline.attainable,
                              "binds"_a = roofline.binds, "predicted"_a = roofline.predicted),
      "fates"_a = fates, "shape"_a = to_text(shape), "text"_a = text.str());
}

}  // namespace

void bind_mapping(py::module_& module) {
  module.def("search_shape", search_shape, py::arg("machine"), py::arg("name"), py::arg("shape_json"),
             py::arg("objective"), py::arg("slack_percent"), py::arg("count"));
}

}  // namespace fovea
