// SPDX-License-Identifier: Apache-2.0
/// \file
/// Networks on machines, by prediction. What is known of commands goes in and out as JSON, a row a command.
#include <pybind11/stl.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "bindings.h"
#include "files/file_tree.h"
#include "objective.h"
#include "requests/evaluate.h"
#include "spec/dla_area.h"

namespace py = pybind11;

namespace fovea {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const EvaluatedLayer& layer) {
  return {{"layer", layer.name},        {"operation", layer.composite},
          {"target", layer.target},     {"reason", layer.reason},
          {"macs", layer.macs},         {"asked", layer.asked},
          {"commands", layer.commands}, {"cpu_cycles", layer.cpu_cycles}};
}

PassedNetwork pass(const std::string& model, const std::map<std::string, Shape>& shapes, std::int64_t batch) {
  const py::gil_scoped_release unlocked;
  NetworkRequest request;
  request.model = model;
  request.import.shapes = shapes;
  request.import.batch = batch;
  return pass_network(request);
}

/// Layers of a network, and rows of the commands that they ask for.
std::pair<std::string, std::vector<SqlRow>> evaluate(Evaluator& evaluator, const PassedNetwork& network,
                                                     bool keeps_tensors) {
  const py::gil_scoped_release unlocked;
  Json layers = Json::array();
  std::vector<SqlRow> rows;
  for (const EvaluatedLayer& layer : evaluator.evaluate(network, keeps_tensors)) {
    layers.push_back(to_json(layer));
    if (!layer.asked.empty()) {
      rows.push_back(row_of(layer.asked, evaluator.price(layer.asked)));
    }
  }
  return {layers.dump(), rows};
}

std::vector<SqlRow> searched(Evaluator& evaluator) {
  const py::gil_scoped_release unlocked;
  std::vector<SqlRow> rows;
  for (const std::string& asked : evaluator.take_searched()) {
    rows.push_back(row_of(asked, evaluator.price(asked)));
  }
  return rows;
}

/// \param known  Rows of commands.
std::unique_ptr<Evaluator> make_evaluator(const MachineFile& machine, const std::string& objective,
                                          std::uint32_t slack_percent, const std::string& dram, std::size_t threads,
                                          const std::vector<SqlRow>& known) {
  std::map<std::string, PricedCommand> commands;
  for (const SqlRow& row : known) {
    commands.emplace(std::get<std::string>(row.at(0)), command_of(row));
  }
  const auto find = [commands = std::move(commands)](const std::string& asked) {
    const auto found = commands.find(asked);
    return found == commands.end() ? std::nullopt : std::optional(found->second);
  };
  return std::make_unique<Evaluator>(machine, Goal(objective_of(objective), slack_percent), dram, threads, find);
}

dla_area area_of(const MachineFile& machine) { return dla_estimate_area(&machine.geometry); }

/// Gates of each part of a machine.
std::map<std::string, double> area_by_part(const MachineFile& machine) {
  const dla_area area = area_of(machine);
  std::map<std::string, double> parts;
  for (std::uint32_t i = 0; i < area.group_count; ++i) {
    parts[area.groups[i].name] += area.groups[i].gates;
  }
  return parts;
}

}  // namespace

void bind_explore(py::module_& module) {
  py::class_<PassedNetwork>(module, "PassedNetwork")
      .def(py::init(&pass), py::arg("model"), py::arg("shapes"), py::arg("batch"))
      .def_readonly("name", &PassedNetwork::name);
  py::class_<Evaluator>(module, "Evaluator")
      .def(py::init(&make_evaluator), py::kw_only(), py::arg("machine"), py::arg("objective"), py::arg("slack_percent"),
           py::arg("dram"), py::arg("threads"), py::arg("known"))
      .def("evaluate", evaluate, py::arg("network"), py::arg("keeps_tensors"))
      .def("check_memory", &Evaluator::check_memory, py::arg("network"), py::call_guard<py::gil_scoped_release>())
      .def("searched", searched);
  module.def("area_by_part", area_by_part, py::arg("machine"));
  module.def(
      "memory_bits",
      [](const MachineFile& machine) {
        const dla_area area = area_of(machine);
        return dla_area_memory_bits(&area);
      },
      py::arg("machine"));
  module.def(
      "report_folder", [] { return file_tree().report.string(); }, "Of the programs that draw pages.");
}

}  // namespace fovea
