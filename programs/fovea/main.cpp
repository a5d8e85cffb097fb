// SPDX-License-Identifier: Apache-2.0
/// \file
/// fovea: one program with subcommands, a row each; under the name foveac it is the compiler.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <sstream>
#include <vector>

#include "commands/foveac.h"
#include "commands/options.h"
#include "files/partial_file.h"
#include "spec/near_name.h"
#include "subcommand.h"
#include "tensor/error.h"

namespace fovea {
namespace {

/// A subcommand.
struct Row {
  CommandRow command;
  const char* group;
  const char* example;
};

constexpr const char* kRun = "Run a network";
constexpr const char* kCompile = "Compile a network";
constexpr const char* kMachine = "Machines and cache";

constexpr Row kRows[] = {
    {{"run", "Compile and simulate a network; print its answer and its layers", describe_run},
     kRun,
     "fovea run net.onnx picture.png --backend systemc"},
    {{"trace", "Run, and write a timeline of all units for ui.perfetto.dev", describe_trace},
     kRun,
     "fovea trace net.onnx --backend systemc -o trace.json"},
    {{"waves", "Run, and write waves for GTKWave", describe_waves},
     kRun,
     "fovea waves net.onnx --backend systemc --vcd-layer conv1 -o waves.vcd"},
    {{"lockstep", "Run on the RTL and on the model; print the first event that differs", describe_lockstep},
     kRun,
     "fovea lockstep net.onnx --layer conv1"},
    {{"report", "Run, and write a page of all cycles and bytes by cause", describe_report},
     kRun,
     "fovea report net.onnx picture.png --backend systemc -o report"},
    {{"sensitivity", "Write a page of the errors of quantizing a float network, by form and layer",
      describe_sensitivity},
     kRun,
     "fovea sensitivity float.onnx --calibrate photos --data pictures -o sensitivity"},
    {{"accuracy", "Measure a network's accuracy on labelled pictures", describe_accuracy},
     kRun,
     "fovea accuracy net.onnx --data pictures"},
    {{"compare", "Compare two runs of a network, layer by layer", describe_compare},
     kRun,
     "fovea compare net.onnx layers/ --input x.f32"},
    {{"build", "Compile a network into the cache, and print its folder", describe_build},
     kCompile,
     "fovea build net.onnx --machine eyeriss_12x14"},
    {{"compile", "Write a network as C, with its weights and a summary", describe_compile},
     kCompile,
     "fovea compile net.onnx -o build/net"},
    {{"check", "List a network's layers, their targets, and what is refused", describe_check},
     kCompile,
     "fovea check net.onnx"},
    {{"map", "Compare the mappings of a network's layers, or of one layer", describe_map},
     kCompile,
     "fovea map net.onnx --layer conv2"},
    {{"visu", "Draw a network's graph before and after fusion, as SVG", describe_visu},
     kCompile,
     "fovea visu net.onnx -o pictures"},
    {{"export", "Write a network as ONNX again, or a layer for Timeloop or ZigZag", describe_export},
     kCompile,
     "fovea export --qoperator net.onnx -o q.onnx"},
    {{"quantize", "Quantize a float network with calibration inputs", describe_quantize},
     kCompile,
     "fovea quantize float.onnx --calibrate photos -o net.onnx"},
    {{"dataset", "Pack pictures into one file, for --input", describe_dataset},
     kCompile,
     "fovea dataset photos -o input.bin"},
    {{"machines", "List, show or check machines: those that ship, or your own file", describe_machines},
     kMachine,
     "fovea machines check my.json"},
    {{"explore", "Find the machines of a space that suit networks best", describe_explore},
     kMachine,
     "fovea explore space.json --networks a.onnx b.onnx --minimize cycles,area_gates -o explored"},
    {{"machine", "Estimate a machine's memories, gates and energy per access", describe_machine},
     kMachine,
     "fovea machine my.json"},
    {{"doctor", "List what Fovea needs, and print the line that installs what is missing", describe_doctor},
     kMachine,
     "fovea doctor"},
    {{"completion", "Print the completion script for bash, zsh or fish", describe_completion},
     kMachine,
     "source <(fovea completion)"},
    {{"help", "Print this text, or a subcommand's options", describe_help}, kMachine, "fovea help run"},
    {{"man", "Write the man pages", describe_man}, "", "fovea man share/man/man1"},
    {{"clean", "Remove compiled networks and libraries out of use", describe_clean}, kMachine, "fovea clean --all"},
};

/// foveac's, in the order of its help.
constexpr const char* kOfCompiler[] = {"visu",     "check",   "map",      "machine", "export",
                                       "quantize", "compare", "accuracy", "dataset"};

const char* const kDescription =
    "Fovea compiles quantized networks for row-stationary accelerators and simulates them, cycle by cycle.\n"
    "\n"
    "  fovea run net.onnx picture.png     the picture's class, and the cause of every cycle of every layer";

/// \throws UsageError where an app has no subcommand of that name.
CLI::App& check_subcommand(CLI::App& app, const std::string& name) {
  std::vector<std::string> names;
  for (CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(sub->get_name());
    if (names.back() == name) {
      return *sub;
    }
  }
  throw UsageError(name + ": no such subcommand" + did_you_mean(name, names) + "; fovea --help lists them");
}

/// The whole program, described to CLI11.
class Program {
 public:
  Program() : app_(kDescription, "fovea") {
    app_.set_version_flag("--version", "fovea " FOVEA_VERSION);
    app_.get_formatter()->column_width(34);
    app_.require_subcommand(0, 1);
    for (const Row& row : kRows) {
      CLI::App* sub = app_.add_subcommand(row.command.name, row.command.summary);
      actions_.emplace_back(sub, row.command.describe(*sub));
      sub->group(row.group);
      sub->footer(std::string("Example:\n  ") + row.example);
    }
  }

  int run(int argc, const char* const* argv) {
    if (argc > 1 && argv[1][0] != '-') {
      check_subcommand(app_, argv[1]);
    }
    try {
      app_.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      if (error.get_exit_code() == 0) {
        return app_.exit(error);
      }
      throw UsageError(refusal_text(app_, error) + "; " + chosen_name() + " --help shows what works");
    }
    for (const auto& [sub, action] : actions_) {
      if (sub->parsed()) {
        return action();
      }
    }
    std::cout << app_.help();
    return kDone;
  }

 private:
  std::string chosen_name() const {
    const auto chosen = app_.get_subcommands();
    return chosen.empty() ? "fovea" : "fovea " + chosen.front()->get_name();
  }

  CLI::App app_;
  std::vector<std::pair<CLI::App*, Action>> actions_;
};

/// A line a reason.
int fail(const std::string& text, int status) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::cerr << "fovea: " << line << "\n";
  }
  return status;
}

int run_fovea(int argc, const char* const* argv) {
  try {
    const int status = Program().run(argc, argv);
    std::cout.flush();
    return std::cout ? status : fail("standard output: cannot be written", kFailed);
  } catch (const std::exception& error) {
    return fail(failure_text(error), status_of(error));
  }
}

int run_compiler(int argc, const char* const* argv) {
  std::vector<CommandRow> rows;
  for (const char* name : kOfCompiler) {
    rows.push_back(
        std::ranges::find(kRows, std::string_view(name), [](const Row& row) { return row.command.name; })->command);
  }
  return run_foveac(argc, argv, rows);
}

}  // namespace

Action describe_help(CLI::App& app) {
  const auto names = std::make_shared<std::vector<std::string>>();
  app.add_option("subcommand", *names, "A subcommand, and one of its own")->type_name("NAME");
  return [names, &app] {
    CLI::App* asked = app.get_parent();
    for (const std::string& name : *names) {
      asked = &check_subcommand(*asked, name);
    }
    std::cout << asked->get_formatter()->make_help(asked, typed_name(*asked), CLI::AppFormatMode::Normal);
    return kDone;
  };
}

void say_line(const std::string& line) { std::cerr << line << std::endl; }

}  // namespace fovea

int main(int argc, char** argv) {
  const bool is_compiler = argc > 0 && std::filesystem::path(argv[0]).filename() == "foveac";
  fovea::say_when_interrupted(is_compiler ? "\nfoveac: interrupted\n" : "\nfovea: interrupted\n");
  return is_compiler ? fovea::run_compiler(argc, argv) : fovea::run_fovea(argc, argv);
}
