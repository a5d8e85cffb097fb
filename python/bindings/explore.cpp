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
#include "command/command_json.h"
#include "files/file_tree.h"
#include "objective.h"
#include "requests/evaluate.h"
#include "spec/dla_area.h"
#include "spec/json_file.h"

namespace py = pybind11;

namespace fovea {
namespace {

using Json = nlohmann::ordered_json;

/// Causes by their columns.
constexpr std::pair<const char*, std::uint64_t CyclesByCause::*> kCauses[] = {
    {"compute_cycles", &CyclesByCause::compute}, {"psum_cycles", &CyclesByCause::psum},
    {"filter_cycles", &CyclesByCause::filter},   {"ifmap_cycles", &CyclesByCause::ifmap},
    {"dram_cycles", &CyclesByCause::dram},       {"output_cycles", &CyclesByCause::output},
    {"control_cycles", &CyclesByCause::control}};

Json row_of(const std::string& asked, const PricedCommand& command) {
  const MappingChoice& mapping = command.choice.mapping;
  Json row = {
      {"asked", asked}, {"shape", to_json(command.choice.shape).dump()}, {"mapping", ""}, {"reason", mapping.reason}};
  if (mapping.plan) {
    row["mapping"] = to_json(mapping.plan->mapping).dump();
  }
  row["search_cycles"] = command.search_cycles;
  row["cycles"] = command.cycles;
  for (const auto& [name, cause] : kCauses) {
    row[name] = command.causes.*cause;
  }
  row["dram_read_bytes"] = command.read_bytes;
  row["dram_write_bytes"] = command.write_bytes;
  row["energy_macs"] = command.energy;
  return row;
}

PricedCommand command_of(const Json& row) {
  PricedCommand command;
  command.choice.shape = shape_from_json(Json::parse(row.at("shape").get<std::string>()));
  command.choice.mapping.reason = row.at("reason").get<std::string>();
  command.search_cycles = row.at("search_cycles").get<std::uint64_t>();
  if (const auto mapping = row.at("mapping").get<std::string>(); !mapping.empty()) {
    PlannedMapping plan;
    plan.mapping = mapping_from_json(Json::parse(mapping));
    plan.cost.cycles = command.search_cycles;
    command.choice.mapping.plan = plan;
  }
  command.cycles = row.at("cycles").get<std::uint64_t>();
  for (const auto& [name, cause] : kCauses) {
    command.causes.*cause = row.at(name).get<std::uint64_t>();
  }
  command.read_bytes = row.at("dram_read_bytes").get<std::uint64_t>();
  command.write_bytes = row.at("dram_write_bytes").get<std::uint64_t>();
  command.energy = row.at("energy_macs").get<double>();
  return command;
}

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
std::pair<std::string, std::string> evaluate(Evaluator& evaluator, const PassedNetwork& network) {
  const py::gil_scoped_release unlocked;
  Json layers = Json::array(), rows = Json::array();
  for (const EvaluatedLayer& layer : evaluator.evaluate(network)) {
    layers.push_back(to_json(layer));
    if (!layer.asked.empty()) {
      rows.push_back(row_of(layer.asked, evaluator.price(layer.asked)));
    }
  }
  return {layers.dump(), rows.dump()};
}

std::string searched(Evaluator& evaluator) {
  const py::gil_scoped_release unlocked;
  Json rows = Json::array();
  for (const std::string& asked : evaluator.take_searched()) {
    rows.push_back(row_of(asked, evaluator.price(asked)));
  }
  return rows.dump();
}

/// \param known  Rows of commands.
std::unique_ptr<Evaluator> make_evaluator(const MachineFile& machine, const std::string& objective,
                                          std::uint32_t slack_percent, const std::string& dram, std::size_t threads,
                                          const std::string& known) {
  std::map<std::string, PricedCommand> commands;
  for (const Json& row : parse_json<Json>(known, "known")) {
    commands.emplace(row.at("asked").get<std::string>(), command_of(row));
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
      .def("evaluate", evaluate, py::arg("network"))
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
  module.attr("model_version") = kModelVersion;
}

}  // namespace fovea
