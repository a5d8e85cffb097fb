// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds the layers, searches each, prints.
#include "map.h"

#include <ostream>
#include <stdexcept>

#include "command/command_text.h"
#include "compile.h"
#include "ir/error.h"
#include "loops/nest_text.h"
#include "map_report.h"
#include "mapping/loop_nest.h"
#include "mapping/mapper.h"
#include "spec/json_file.h"
#include "targets/dla/dla_work.h"

namespace fovea {
namespace {

LayerToMap parse_layer(const std::string& text) {
  try {
    return {"", parse_shape(text)};
  } catch (const std::invalid_argument& error) {
    user_error(error.what());
  }
}

/// The layer's shape on the accelerator, or nothing where it is on the CPU and was not asked for by name.
std::optional<LayerToMap> find_shape(const Layer& layer, bool is_asked, Mapper& mapper) {
  const auto work = layer.target == "cpu" ? std::nullopt : find_dla_work(layer, mapper);
  if (work) {
    return LayerToMap{layer.name, work->choice.shape};
  }
  if (is_asked) {
    user_error(layer.name + ": not on the accelerator: " + (layer.reason.empty() ? "it moves no data" : layer.reason));
  }
  return std::nullopt;
}

std::vector<LayerToMap> find_layers(const CommandLine& line, const std::shared_ptr<Mapper>& mapper) {
  if (!line.map.shape.empty()) {
    return {parse_layer(line.map.shape)};
  }
  const Network network = import_network(line, mapper);
  std::vector<LayerToMap> found;
  std::string names;
  for (const Layer& layer : network.layers) {
    names += (names.empty() ? "" : ", ") + layer.name;
    if (line.map.layer.empty() || line.map.layer == layer.name) {
      if (const auto shape = find_shape(layer, !line.map.layer.empty(), *mapper)) {
        found.push_back(*shape);
      }
    }
  }
  if (found.empty()) {
    user_error(line.map.layer.empty() ? network.name + ": no layer runs on the accelerator"
                                      : "--layer " + line.map.layer + ": there is no such layer; there are " + names);
  }
  return found;
}

}  // namespace

void map_layers(const CommandLine& line, std::ostream& out) {
  const auto mapper = std::make_shared<Mapper>(read_machine(line.machine), line.mapping, line.goal);
  const MachineFile& machine = mapper->machine();
  nlohmann::ordered_json json = {{"machine", machine.name}, {"layers", nlohmann::json::array()}};
  const char* gap = "";
  for (const LayerToMap& layer : find_layers(line, mapper)) {
    const MappingChoice choice =
        choose_mapping(machine.geometry, layer.shape, line.mapping, line.goal, machine.access_energy());
    if (!choice.plan) {
      user_error((layer.name.empty() ? "the layer" : layer.name) + ": no mapping fits " + machine.name + ": " +
                 choice.reason);
    }
    const auto search = [&] {
      return search_mappings(machine.geometry, machine.access_energy(), layer.shape, line.goal, line.map.best);
    };
    if (line.prints_json) {
      json["layers"].push_back(mappings_json(machine, layer, search()));
      continue;
    }
    out << gap;
    gap = "\n";
    if (line.map.prints_nest) {
      out << to_text(layer.shape) << "; " << to_text(choice.plan->mapping) << "\n"
          << to_text(layer_nest(machine.geometry, layer.shape, choice.plan->mapping));
    } else {
      print_mappings(machine, layer, search(), out);
    }
  }
  if (line.prints_json) {
    out << json_text(json);
  }
}

}  // namespace fovea
