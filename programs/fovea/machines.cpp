// SPDX-License-Identifier: Apache-2.0
/// \file
/// fovea machines: those that ship, what one takes on a chip, and whether a file of one's own can be used.
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "commands/machine.h"
#include "commands/number_text.h"
#include "commands/options.h"
#include "files/file_tree.h"
#include "mapping/mapping.h"
#include "spec/json_file.h"
#include "spec/machine_json.h"
#include "subcommand.h"

namespace fovea {
namespace {

struct MachinesOptions {
  std::filesystem::path machine;
  bool prints_json = false, prints_names = false;
};

std::vector<MachineFile> shipped() {
  std::vector<MachineFile> machines;
  for (const std::string& name : machine_names()) {
    machines.push_back(read_machine(machine_file(name)));
  }
  return machines;
}

void print_list(const MachinesOptions& o) {
  std::vector<std::vector<std::string>> rows = {{"machine", "PEs", "GLB KiB", "bus bytes", "MHz"}};
  nlohmann::ordered_json json = nlohmann::json::array();
  for (const MachineFile& machine : shipped()) {
    const dla_machine& m = machine.geometry;
    if (o.prints_names) {
      std::cout << machine.name << "\n";
    }
    rows.push_back({machine.name, std::to_string(m.rows) + "x" + std::to_string(m.cols),
                    std::to_string(m.glb_bytes / 1024), std::to_string(m.bus_bytes),
                    std::to_string(static_cast<int>(machine.clock_mhz))});
    json.push_back({{"name", machine.name},
                    {"rows", m.rows},
                    {"cols", m.cols},
                    {"glb_bytes", m.glb_bytes},
                    {"bus_bytes", m.bus_bytes},
                    {"clock_mhz", machine.clock_mhz}});
  }
  if (o.prints_json) {
    std::cout << json_text(json);
  } else if (!o.prints_names) {
    print_columns(rows, std::cout, "lrrrr");
  }
}

/// Says which convolutions the CPU would run, and the field that is too small for them.
void print_check(const MachineFile& machine) {
  const dla_machine& m = machine.geometry;
  std::cout << machine.name << ": " << m.rows << " x " << m.cols << " PEs; it can be used\n";
  for (const std::uint32_t side : {1, 3, 5, 7, 11}) {
    dla_shape shape{};
    shape.C = shape.M = 16;
    shape.H = shape.W = 32;
    shape.R = shape.S = side;
    shape.U = shape.V = 1;
    const MappingChoice choice = choose_mapping(m, shape, MappingMode::kSearch, {}, machine.access_energy());
    if (!choice.plan) {
      std::cout << "  convolutions of " << side << "x" << side << " run on the CPU: " << choice.reason << "\n";
    }
  }
}

}  // namespace

Action describe_machines(CLI::App& app) {
  const auto o = std::make_shared<MachinesOptions>();
  app.require_subcommand(1);
  CLI::App* list = app.add_subcommand("list", "List shipped machines");
  list->add_flag("--json", o->prints_json, "Print one JSON document");
  list->add_flag("--names", o->prints_names, "Print the names only, a line each");
  CLI::App* show = app.add_subcommand("show", "Estimate its memories, gates and energy per access");
  show->add_option("machine", o->machine, "A machine that ships, or a machine file")
      ->type_name("NAME|FILE")
      ->required();
  show->add_flag("--json", o->prints_json, "Print one JSON document");
  CLI::App* check = app.add_subcommand("check", "Check a machine file; exit 1 if it is unusable");
  check->add_option("machine", o->machine, "A machine file")->type_name("FILE")->required();
  return [o, list, show] {
    if (list->parsed()) {
      print_list(*o);
    } else if (show->parsed()) {
      settle_machine(o->machine);
      report_machine(o->machine, o->prints_json, std::cout);
    } else {
      settle_machine(o->machine);
      print_check(read_machine(o->machine));
    }
    return 0;
  };
}

}  // namespace fovea
