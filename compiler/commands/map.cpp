// SPDX-License-Identifier: Apache-2.0
/// \file
/// map: finds the layers, searches each, prints the best mappings.
#include <iostream>
#include <memory>
#include <stdexcept>

#include "command.h"
#include "command/command_text.h"
#include "loops/nest_text.h"
#include "map_report.h"
#include "mapping/loop_nest.h"
#include "mapping/mapper.h"
#include "options.h"
#include "plan_report.h"
#include "python_package.h"
#include "report.h"
#include "requests/compile.h"
#include "spec/dram_preset.h"
#include "spec/join_names.h"
#include "spec/json_file.h"
#include "spec/near_name.h"
#include "targets/dla/dla_work.h"
#include "tensor/error.h"

namespace fovea {
namespace {

struct MapOptions {
  NetworkRequest network;
  std::string layer;  ///< Its name; "" for all.
  /// "C=64 H=16 ..." instead of a network; or of a network's inputs.
  std::vector<std::string> shapes;
  std::size_t best = 5;  ///< Mappings to show.
  bool prints_nest = false, prints_json = false, times_passes = false;
  bool prints_plan = false;                   ///< Of the whole network, instead of mappings.
  std::vector<std::string> timeloop, zigzag;  ///< Files of one mapping instead of all.
  int id = 0;                                 ///< Of the layer in ZigZag's workload.
  std::string backend, dram;                  ///< That it runs on.
  bool only_reads = false;
};

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

/// \param missing_data  Becomes a line that says which weights are missing; shapes are enough here.
std::vector<LayerToMap> find_layers(const MapOptions& o, const std::shared_ptr<Mapper>& mapper,
                                    std::string& missing_data) {
  if (o.network.model.empty()) {
    return {parse_layer(o.shapes.front())};
  }
  NetworkRequest request = o.network;
  request.import.on_missing_data = [&](const std::string& line) { missing_data = line; };
  const Network network = import_network(request, mapper);
  std::vector<LayerToMap> found;
  std::vector<std::string> names;
  for (const Layer& layer : network.layers) {
    names.push_back(layer.name);
    if (o.layer.empty() || o.layer == layer.name) {
      if (const auto shape = find_shape(layer, !o.layer.empty(), *mapper)) {
        found.push_back(*shape);
      }
    }
  }
  if (found.empty()) {
    user_error(o.layer.empty() ? network.name + ": no layer runs on the accelerator"
                               : "--layer " + o.layer + ": there is no such layer; there are " +
                                     join_names(names, ", ") + did_you_mean(o.layer, names));
  }
  return found;
}

std::shared_ptr<Mapper> mapper_for(const Placement& placement) {
  return std::make_shared<Mapper>(read_machine(placement.machine), placement.mapping, placement.goal);
}

void plan_network(const MapOptions& o, std::ostream& out) {
  const auto mapper = mapper_for(o.network.placement);
  NetworkRequest request = o.network;
  std::string missing_data;
  request.import.on_missing_data = [&](const std::string& line) { missing_data = line; };
  const Network network = import_network(request, mapper);
  const NetworkOnChip plan = describe_plan(network, plan_residency(network, *mapper), *mapper);
  if (o.prints_json) {
    nlohmann::ordered_json json = {{"machine", mapper->machine().name}};
    json.update(plan_json(plan));
    if (!missing_data.empty()) {
      json["missing_data"] = missing_data;
    }
    out << json_text(json);
    return;
  }
  print_plan(plan, out);
  print_batch(network, out);
  out << (missing_data.empty() ? "" : "\n" + missing_data + "\n");
}

void map_layers(const MapOptions& o, std::ostream& out) {
  const Placement& placement = o.network.placement;
  const auto mapper = mapper_for(placement);
  const MachineFile& machine = mapper->machine();
  nlohmann::ordered_json json = {{"machine", machine.name}, {"layers", nlohmann::json::array()}};
  const char* gap = "";
  std::string missing_data;
  for (const LayerToMap& layer : find_layers(o, mapper, missing_data)) {
    const MappingChoice choice =
        choose_mapping(machine.geometry, layer.shape, placement.mapping, placement.goal, machine.access_energy());
    if (!choice.plan) {
      user_error((layer.name.empty() ? "the layer" : layer.name) + ": no mapping fits " + machine.name + ": " +
                 choice.reason);
    }
    const auto search = [&] {
      return search_mappings(machine.geometry, machine.access_energy(), layer.shape, placement.goal, o.best);
    };
    if (o.prints_json) {
      json["layers"].push_back(mappings_json(machine, layer, search()));
      continue;
    }
    out << gap;
    gap = "\n";
    if (o.prints_nest) {
      out << to_text(layer.shape) << "; " << to_text(choice.plan->mapping) << "\n"
          << to_text(layer_nest(machine.geometry, layer.shape, choice.plan->mapping));
    } else {
      print_mappings(machine, layer, search(), out);
    }
  }
  if (!missing_data.empty()) {
    json["missing_data"] = missing_data;
    out << (o.prints_json ? "" : "\n" + missing_data + "\n");
  }
  if (o.prints_json) {
    out << json_text(json);
  }
}

}  // namespace

Action describe_map(CLI::App& app) {
  const auto o = std::make_shared<MapOptions>();
  add_model_option(app, o->network.model);
  auto* layer = app.add_option("--layer", o->layer, "Only the layer of this name")->type_name("NAME");
  app.add_option(
         "--shape", o->shapes,
         "A layer instead of a network: \"C=64 H=16 W=16 M=192 R=3 S=3 U=1 PAD=1 pool\"; with one, the shape of "
         "an input with open dimensions, such as x=1x3x224x224")
      ->type_name("SHAPE")
      ->delimiter(',')
      ->allow_extra_args(false);
  add_batch_option(app, o->network.import);
  add_extern_option(app, o->network.import);
  app.add_option("--best", o->best, "How many mappings to show (default: 5)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000).description(""));
  auto* nest = app.add_flag("--print-nest", o->prints_nest, "Print the best mapping as a loop nest instead");
  app.add_flag("--network", o->prints_plan,
               "Print instead what --residency chip makes of the network: which layers run depth "
               "first, and what each step takes")
      ->excludes(layer)
      ->excludes(nest);
  CLI::Option* const json = add_json_option(app, o->prints_json)->excludes(nest);
  add_pass_options(app, o->network.passes, o->times_passes, json);
  add_machine_option(app, o->network.placement.machine);
  add_optimize_option(app, o->network.placement.goal);
  add_tuning_option(app, o->network.placement);
  auto* timeloop =
      app.add_option("--timeloop", o->timeloop, "Run one mapping instead, of Timeloop's files or a folder of them")
          ->type_name("FILE");
  auto* zigzag = app.add_option("--zigzag", o->zigzag, "The same of ZigZag's files, a workload and a mapping")
                     ->type_name("FILE")
                     ->excludes(timeloop);
  const std::vector<CLI::Option*> of_one = {
      app.add_option("--id", o->id, "The layer in ZigZag's workload, where it has several")
          ->type_name("N")
          ->needs(zigzag),
      add_name_choice(app, "--backend", o->backend, {"systemc", "rtl"}, "Where one mapping runs (default: systemc)"),
      add_name_choice(app, "--dram", o->dram, dram_preset_names(),
                      "The memory that it runs with (default: the machine's; pipelined where it has none)"),
      app.add_flag("--no-run", o->only_reads, "Print the figures of Timeloop's model alone")};
  return [o, of_one, &app] {
    if (!o->timeloop.empty() || !o->zigzag.empty()) {
      if (!o->network.placement.tuning.empty()) {
        throw UsageError("--tuning keeps what is searched for, and one mapping is not; leave it out");
      }
      become_python("map", app);
    }
    for (const CLI::Option* option : of_one) {
      if (option->count() > 0) {
        throw UsageError(option->get_name() + " is of one mapping: give --timeloop or --zigzag too");
      }
    }
    if (o->network.model.empty() && o->shapes.size() != 1) {
      throw UsageError(typed_name(app) + " takes a network, or a layer with --shape; " + typed_name(app) +
                       " --help shows more");
    }
    if (o->prints_plan && o->network.model.empty()) {
      throw UsageError("--network is of a network, and --shape of a layer; leave one of them out");
    }
    if (!o->network.model.empty()) {
      for (const std::string& shape : o->shapes) {
        add_shape(shape, o->network.import);
      }
    }
    settle_machine(o->network.placement.machine);
    settle_passes(o->network.passes, o->times_passes, std::cout);
    return within_memory(o->network.model, [&] {
      o->prints_plan ? plan_network(*o, std::cout) : map_layers(*o, std::cout);
      return kDone;
    });
  };
}

}  // namespace fovea
