// SPDX-License-Identifier: Apache-2.0
/// \file
/// fovea report: fovea run, and a page that scripts/report draws of its counters.
#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>
#include <vector>

#include "commands/machine.h"
#include "commands/options.h"
#include "files/file_tree.h"
#include "files/output_folder.h"
#include "files/scratch_folder.h"
#include "report_scripts.h"
#include "requests/compile.h"
#include "requests/what_helps.h"
#include "run_options.h"
#include "store/compiled_network.h"
#include "subcommand.h"
#include "tensor/error.h"
#include "test_dla/device_json.h"
#include "test_dla/host_runs.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

struct ReportOptions {
  RunOptions run;
  fs::path output;
  std::string compare;
  fs::path sensitivity;
};

std::string input_words(const ProgramOptions& o, const nlohmann::json& answer) {
  if (answer.contains("random_seed")) {
    return "random numbers, seed " + answer["random_seed"].dump();
  }
  if (!o.input_raw.empty() || !o.image.empty()) {
    return o.input_raw + o.image.string();
  }
  const std::size_t more = answer.contains("pictures") ? answer["pictures"].size() - 1 : 0;
  return "class " + std::to_string(o.picture_class) + ", picture " + std::to_string(o.index) +
         (more == 0 ? "" : " and the " + std::to_string(more) + " behind it") +
         (o.input.empty() ? "" : " of " + o.input.string());
}

/// Where the mappings come from, and what the search made small.
std::string mapping_words(const Placement& placement) {
  if (placement.mapping == MappingMode::kLab) {
    return "lab";
  }
  const unsigned slack = placement.goal.slack_percent;
  return "search for " + std::string(to_text(placement.goal.objective)) +
         (slack == Goal().slack_percent ? "" : ", slack " + std::to_string(slack) + " %") +
         (placement.records.empty() ? "" : ", records " + placement.records.string());
}

/// Refuses what is not one run of one picture on the accelerator.
void check_options(const RunOptions& o) {
  if (o.device.backend == "cpu") {
    throw UsageError("--backend cpu: a report is of the accelerator; take systemc or rtl");
  }
  const std::pair<const char*, bool> several[] = {
      {"--full", o.program.full}, {"--pictures", !o.program.pictures.empty()}, {"--jobs", o.program.jobs > 1}};
  for (const auto& [name, is_given] : several) {
    if (is_given) {
      throw UsageError(std::string(name) + ": a report is of one picture; leave it out");
    }
  }
}

std::string run_for_json(RunOptions& o, const CLI::App& app) {
  prepare_run(app, o);
  std::ostringstream answer;
  o.program.json = true;
  run_on_device(o.program, o.device, answer);
  return answer.str();
}

/// Of the same run again, what a START a layer takes, to say what lists save and their splits cost.
std::string run_without_lists(RunOptions& o, const CLI::App& app) {
  o.device.lists = o.device.debug = o.device.host_times = false;
  o.device.info = o.device.vcd = o.device.trace = o.device.transactions.path = "";
  o.program.output_raw = "";
  return run_for_json(o, app);
}

/// What the layers take on this computer's CPU, to say what one costs that falls back: by the names of the
/// accelerator's.
std::string times_on_cpu(NetworkRequest network, bool is_quiet) {
  network.placement.target = "cpu";
  return add_host("{}", time_on_host(compiled_network(network, is_quiet ? Say() : Say(say_line))));
}

constexpr std::size_t kHelpedLayers = 5;

/// What a larger machine would save the layers that lose most.
std::string helps_json(const NetworkRequest& network) {
  nlohmann::json layers = nlohmann::json::array();
  for (const LayerHelp& one : what_helps(network, kHelpedLayers)) {
    nlohmann::json helps = nlohmann::json::array();
    for (const Help& help : one.helps) {
      nlohmann::json sizes = nlohmann::json::array();
      for (const LargerSize& size : help.sizes) {
        sizes.push_back({{"field", size.field}, {"from", size.from}, {"to", size.to}});
      }
      helps.push_back({{"sizes", sizes}, {"cycles", help.cycles}, {"gates", help.gates}});
    }
    layers.push_back({{"layer", one.layer}, {"cycles", one.cycles}, {"lost", one.lost}, {"helps", helps}});
  }
  return nlohmann::json{{"layers", layers}}.dump();
}

void make_report(ReportOptions& o, const CLI::App& app) {
  RunOptions& run = o.run;
  const bool prints_json = run.program.json, measures_host = run.device.host_times;
  const NetworkRequest network = settled(run.network);
  const Placement& placement = network.placement;
  const std::string name = network.name();
  const fs::path folder = o.output.empty() ? fs::path("reports") / name : o.output;
  run_script("make_report.py",
             {folder.string(), "--compare", o.compare, "--sensitivity", o.sensitivity.string(), "--check"});

  const std::string dram = memory_of(read_machine(placement.machine), run.device.dram).name;
  const std::string backend = run.device.backend;
  const ProgramOptions asked = run.program;  // A run without lists changes it.
  const ScratchFolder scratch;
  const fs::path table = run.device.info.empty() ? scratch / "dla_info.csv" : run.device.info;
  run.device.info = table;
  const fs::path trace = run.device.trace.empty() ? scratch / "trace.json" : run.device.trace;
  run.device.trace = trace;
  const std::string answer = run_for_json(run, app);
  if (table != scratch / "dla_info.csv") {
    fs::copy_file(table, scratch / "dla_info.csv");
  }
  write_file(scratch / "answer", answer);
  std::vector<std::string> words = {(scratch / "run.json").string(),
                                    "--summary",
                                    (run.program.net / (name + ".json")).string(),
                                    "--machine",
                                    placement.machine.string(),
                                    "--cost",
                                    (scratch / "cost.json").string(),
                                    "--answer",
                                    (scratch / "answer").string()};
  const auto add = [&](const std::string& option, const std::string& value) {
    words.push_back(option);
    words.push_back(value);
  };
  if (run.device.lists) {
    write_file(scratch / "alone", run_without_lists(run, app));
    add("--alone", (scratch / "alone").string());
    add("--setting", "lists=layers in a row by one START");
  }
  if (measures_host) {
    write_file(scratch / "on_cpu", times_on_cpu(settled(run.network), run.program.quiet));
    add("--on-cpu", (scratch / "on_cpu").string());
  }
  std::ostringstream cost;
  report_machine(placement.machine, true, cost);
  write_file(scratch / "cost.json", cost.str());
  write_file(scratch / "helps.json", helps_json(network));
  add("--helps", (scratch / "helps.json").string());
  if (placement.keeps_tensors) {
    add("--setting", "residency=chip");
  }
  NetworkRequest drawn;
  drawn.model = network.model;
  drawn.import = run.network.import;
  drawn.placement.machine = placement.machine;
  draw(drawn, scratch / "visu", run.net.empty() ? run.net : run.net / "ir_after.txt");
  add("--setting", "backend=" + backend);
  add("--setting", "DRAM=" + dram);
  add("--setting", "mapping=" + mapping_words(placement));
  add("--setting", placement.rounding == kDlaFloor ? "rounding=floor" : "rounding=nearest_even");
  add("--setting", "input=" + input_words(asked, nlohmann::json::parse(answer)));
  add("--command", command_of("report", app));
  add("--foveac", FOVEA_VERSION);
  if (!file_tree().checkout.empty()) {
    add("--checkout", file_tree().checkout.string());
  }
  run_script("describe_run.py", words);
  run_script("make_report.py", {folder.string(), "--compare", o.compare, "--sensitivity", o.sensitivity.string(),
                                "--run", (scratch / "").string(), "--trace", trace.string(), "--graph",
                                (scratch / ("visu/" + name + "_after.svg")).string()});
  if (prints_json) {
    std::cout << answer;
  } else if (!run.program.quiet) {
    std::cout << "written to " << (folder / "index.html").string() << "\n";
  }
}

}  // namespace

Action describe_report(CLI::App& app) {
  const auto o = std::make_shared<ReportOptions>();
  add_run_options(app, o->run);
  app.add_option("-o,--output", o->output,
                 "Folder for index.html, report.md and the table (default: reports/<network>)")
      ->type_name("FOLDER");
  app.add_option("--compare", o->compare, "Up to three reports to compare with, with commas between")
      ->type_name("FOLDER,...");
  app.add_option("--sensitivity", o->sensitivity, "A folder that fovea sensitivity wrote, to include")
      ->type_name("FOLDER");
  return [o, &app] {
    check_options(o->run);
    make_report(*o, app);
    return 0;
  };
}

}  // namespace fovea
