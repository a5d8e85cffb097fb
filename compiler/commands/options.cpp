// SPDX-License-Identifier: Apache-2.0
/// \file
/// Each option once, with its words.
#include "options.h"

#include <algorithm>
#include <cstring>
#include <iomanip>
#include <new>
#include <optional>
#include <ostream>
#include <sstream>

#include "files/file_tree.h"
#include "ir/text_number.h"
#include "passes/pipeline.h"
#include "spec/join_names.h"
#include "spec/machine_json.h"
#include "spec/near_name.h"
#include "targets/target.h"

namespace fovea {
namespace {

void add_mapping_option(CLI::App& app, MappingMode& mapping) {
  add_choice<MappingMode>(app, "--mapping", mapping, {{"search", MappingMode::kSearch}, {"lab", MappingMode::kLab}},
                          "The best mapping by the cost model, or the lab's fixed one (default: search)");
}

}  // namespace

CLI::Option* add_model_option(CLI::App& app, std::filesystem::path& model) {
  return app.add_option("model", model, "The network: ONNX, or an IR (.txt, .fovea, .json)")->type_name("FILE");
}

void add_shape(const std::string& text, ImportOptions& import) {
  const std::size_t equals = text.rfind('=');
  Shape shape;
  std::istringstream sizes(equals == std::string::npos ? "" : text.substr(equals + 1));
  for (std::string size; std::getline(sizes, size, 'x');) {
    const std::optional<int64_t> number = parse_number<int64_t>(size);
    shape.push_back(number && *number > 0 ? *number : 0);
  }
  if (equals == 0 || shape.empty() || text.back() == 'x' || std::ranges::count(shape, 0) != 0) {
    throw UsageError("--shape " + text + ": no input and its sizes; --shape x=1x3x224x224 works");
  }
  if (!import.shapes.emplace(text.substr(0, equals), shape).second) {
    throw UsageError("--shape " + text + ": the input has a shape already; give it once");
  }
}

void add_exactness_option(CLI::App& app, const std::string& name, Exactness& exact_to) {
  add_choice<Exactness>(app, name, exact_to, {{"integers", Exactness::kIntegers}, {"ort", Exactness::kOnnxRuntime}},
                        "Quantized operators that ONNX Runtime computes in float32: on their integers, or as it does, "
                        "on the CPU (default: integers)");
}

std::string shape_text(const std::string& input, const Shape& shape) {
  std::string text = input;
  for (const int64_t size : shape) {
    text += (text.size() == input.size() ? "=" : "x") + std::to_string(size);
  }
  return text;
}

void add_shape_option(CLI::App& app, ImportOptions& import) {
  app.add_option_function<std::vector<std::string>>(
         "--shape",
         [&import](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) {
             add_shape(text, import);
           }
         },
         "Shape of an input with open dimensions, such as x=1x3x224x224; once for each input")
      ->type_name("NAME=SIZES")
      ->delimiter(',')
      ->allow_extra_args(false);
}

void add_batch_option(CLI::App& app, ImportOptions& import) {
  app.add_option("--batch", import.batch, "Inputs in a batch, where the file's is open or 1 (default: the file's)")
      ->type_name("N")
      ->check(CLI::Range(1, 65536).description(""));
}

void add_extern_option(CLI::App& app, ImportOptions& import) {
  app.add_option_function<std::vector<std::string>>(
         "--extern",
         [&import](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) {
             const std::size_t equals = text.find('=');
             if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
               throw UsageError("--extern " + text + ": no operator and its C file; --extern TopK2=my_topk.c works");
             }
             if (find_extern(import.externs, text.substr(0, equals)) != nullptr) {
               throw UsageError("--extern " + text + ": the operator is bound already; give it once");
             }
             import.externs.push_back(read_extern(text.substr(0, equals), text.substr(equals + 1)));
           }
         },
         "An operator that is not built in, and the C file whose function computes it; once for each")
      ->type_name("OP=FILE")
      ->delimiter(',')
      ->allow_extra_args(false);
}

void add_import_options(CLI::App& app, ImportOptions& import) {
  add_shape_option(app, import);
  add_batch_option(app, import);
  add_extern_option(app, import);
  add_exactness_option(app, "--exact-to", import.exact_to);
}

CLI::Option* add_json_option(CLI::App& app, bool& prints_json) {
  return app.add_flag("--json", prints_json, "Print one JSON document");
}

void add_optimize_option(CLI::App& app, Goal& goal) {
  std::map<std::string, Objective> objectives;
  for (const Objective objective : kObjectives) {
    objectives.emplace(to_text(objective), objective);
  }
  add_choice<Objective>(app, "--optimize", goal.objective, objectives,
                        "What the mapping search minimizes; edp is energy times cycles (default: cycles)");
  app.add_option("--slack", goal.slack_percent,
                 "Percent of cycles that --optimize cycles trades for fewer DRAM bytes (default: 2)")
      ->type_name("PERCENT")
      ->check(CLI::Range(0, 1000));
}

void add_residency_option(CLI::App& app, bool& keeps_tensors) {
  add_choice<bool>(app, "--residency", keeps_tensors, {{"none", false}, {"chip", true}},
                   "Where activations are between layers: all in DRAM, or in the GLB where that pays (default: none)");
}

void add_rounding_option(CLI::App& app, dla_rounding& rounding) {
  add_choice<dla_rounding>(app, "--rounding", rounding, {{"nearest_even", kDlaNearestEven}, {"floor", kDlaFloor}},
                           "How integers are rescaled: as ONNX does, or rounded down (default: nearest_even)");
}

void add_machine_option(CLI::App& app, std::filesystem::path& machine) {
  machine = "eyeriss_6x8";
  app.add_option("--machine", machine, "A machine that ships, or a machine file (default: eyeriss_6x8)")
      ->type_name("NAME|FILE");
}

void add_tuning_option(CLI::App& app, Placement& placement) {
  app.add_option("--tuning", placement.tuning,
                 "Keep searched mappings in this database, and search for none that it has; fovea explore's is one")
      ->type_name("FILE");
}

void add_records_options(CLI::App& app, NetworkRequest& network) {
  app.add_option("--records", network.placement.records, "Use the tuning records of this file")->type_name("FILE");
  app.add_option("--tune", network.tune,
                 "Rank the N best mappings of each layer without a record for the memory; record the best")
      ->type_name("N")
      ->check(CLI::Range(0, 1000).description(""));
  add_tuning_option(app, network.placement);
}

void add_records_dram_option(CLI::App& app, Placement& placement) {
  add_name_choice(app, "--dram", placement.dram, dram_preset_names(),
                  "The memory of --tune, --records and --tuning (default: the machine's; pipelined where it has none)");
}

void add_pass_options(CLI::App& app, PassContext& passes, bool& times, CLI::Option* json) {
  app.add_option("--disable-pass", passes.disabled, "Leave this pass out; once for each")
      ->type_name("PASS")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--pass-level", passes.level,
                 "Leave out the passes of higher levels: 0 keeps those that every network needs (default: 2)")
      ->check(CLI::Range(int{kRequired}, int{kMostLevel}));
  auto* const flag = app.add_flag("--time-passes", times, "Print the time of each pass, and the number of nodes");
  if (json != nullptr) {
    flag->excludes(json);
  }
}

void print_pass_time(const PassReport& report, std::ostream& out) {
  const auto& [pass, graph, changed, nodes_before, milliseconds] = report;
  out << std::left << std::setw(kPassWidth) << pass.name << std::right << std::fixed << std::setprecision(2)
      << std::setw(10) << milliseconds << " ms" << std::setw(8) << nodes_before << std::setw(8) << graph.size()
      << " nodes" << (changed ? "" : " (unchanged)") << "\n";
}

void settle_passes(PassContext& passes, bool times, std::ostream& out) {
  list_passes(passes);
  if (times) {
    passes.on_pass = [&out](const PassReport& report) { print_pass_time(report, out); };
  }
}

void add_placement_options(CLI::App& app, Placement& placement) {
  std::vector<std::string> names;
  for (const TargetRow& row : targets()) {
    names.emplace_back(row.name);
  }
  add_name_choice(app, "--target", placement.target, names,
                  "Where layers run; layers that dla refuses run on the CPU (default: dla)");
  add_machine_option(app, placement.machine);
  add_mapping_option(app, placement.mapping);
  add_optimize_option(app, placement.goal);
}

void add_building_options(CLI::App& app, NetworkRequest& network) {
  add_import_options(app, network.import);
  add_machine_option(app, network.placement.machine);
  add_mapping_option(app, network.placement.mapping);
  add_optimize_option(app, network.placement.goal);
  add_residency_option(app, network.placement.keeps_tensors);
  add_rounding_option(app, network.placement.rounding);
  add_records_options(app, network);
}

namespace {

/// Libraries of a machine are found by its name. \throws UserError where it has that of one that ships, and another
/// geometry.
void check_name(const std::filesystem::path& file) {
  const MachineFile machine = read_machine(file);
  const std::filesystem::path shipped = file_tree().machines / (machine.name + ".json");
  if (!std::filesystem::exists(shipped)) {
    return;
  }
  const dla_machine theirs = read_machine(shipped).geometry;
  if (std::memcmp(&theirs, &machine.geometry, sizeof theirs) != 0) {
    user_error(file.string() + ": its name, " + machine.name + ", is that of " +
               std::filesystem::weakly_canonical(shipped).string() + "; give it another");
  }
}

}  // namespace

void settle_machine(std::filesystem::path& machine) {
  const std::filesystem::path file = machine_file(machine.string());
  if (!std::filesystem::exists(file)) {
    const std::vector<std::string> names = machine_names();
    user_error(machine.string() + ": no such machine; choose " + join_names(names, ", ") + ", or give a JSON file" +
               did_you_mean(machine.string(), names));
  }
  machine = file;
  if (std::filesystem::is_regular_file(machine)) {
    check_name(machine);
  }
}

NetworkRequest settled(NetworkRequest network) {
  settle_machine(network.placement.machine);
  if (network.tune != 0 && network.placement.records.empty()) {
    throw UsageError("--tune: nowhere to keep what is found; add --records tuning.json");
  }
  return network;
}

namespace {

/// The long options of what was chosen, as they are typed.
void add_options_of(const CLI::App& app, std::vector<std::string>& names) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  for (const CLI::App* sub : app.get_subcommands()) {
    add_options_of(*sub, names);
  }
}

}  // namespace

std::string refusal_text(const CLI::App& app, const CLI::ParseError& error) {
  std::string text = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    std::vector<std::string> names;
    add_options_of(app, names);
    for (const std::string& word : app.remaining(true)) {
      text += word.starts_with("--") ? did_you_mean(word.substr(0, word.find('=')), names) : "";
    }
  }
  return text;
}

std::string typed_name(const CLI::App& app) {
  return (app.get_parent() == nullptr ? "" : typed_name(*app.get_parent()) + " ") + app.get_name();
}

int within_memory(const std::filesystem::path& model, const std::function<int()>& work) try {
  return work();
} catch (const std::bad_alloc&) {
  user_error(model.string() + ": needs more memory than there is");
}

}  // namespace fovea
