// SPDX-License-Identifier: Apache-2.0
/// \file
/// fovea: one program with subcommands, a row each; under the name foveac it is the compiler.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <vector>

#include "compiler/command_line.h"
#include "compiler/foveac.h"
#include "ir/error.h"
#include "running_commands.h"
#include "subcommand.h"

namespace fovea {
namespace {

/// A subcommand: those that have no function here are the compiler's, which describes them itself.
struct Row {
  const char* name;
  const char* group;
  const char* summary;
  const char* example;
  Describe* describe;
};

constexpr const char* kRun = "Run a network";
constexpr const char* kCompile = "Compile a network";
constexpr const char* kMachine = "Machines, and what is kept";

constexpr Row kRows[] = {
    {"run", kRun, "Compile and simulate a network; print its answer and its layers",
     "fovea run net.onnx picture.png --backend systemc", describe_run},
    {"accuracy", kRun, "", "fovea accuracy net.onnx --data pictures", nullptr},
    {"compare", kRun, "", "fovea compare net.onnx layers/ --input x.f32", nullptr},
    {"build", kCompile, "Compile a network into the cache, and print its folder there",
     "fovea build net.onnx --machine eyeriss_12x14", describe_build},
    {"compile", kCompile, "Write a network as C, with its weights and a summary", "fovea compile net.onnx -o build/net",
     nullptr},
    {"check", kCompile, "", "fovea check net.onnx", nullptr},
    {"map", kCompile, "", "fovea map net.onnx --layer conv2", nullptr},
    {"visu", kCompile, "", "fovea visu net.onnx -o pictures", nullptr},
    {"export", kCompile, "", "fovea export --qoperator net.onnx -o q.onnx", nullptr},
    {"quantize", kCompile, "", "fovea quantize float.onnx --calibrate photos -o net.onnx", nullptr},
    {"dataset", kCompile, "", "fovea dataset photos -o input.bin", nullptr},
    {"trace", kRun, "The same, and a timeline of all units for ui.perfetto.dev",
     "fovea trace net.onnx --backend systemc -o trace.json", describe_trace},
    {"waves", kRun, "The same, and waves for GTKWave",
     "fovea waves net.onnx --backend systemc --vcd-layer conv1 -o waves.vcd", describe_waves},
    {"lockstep", kRun, "The same on the RTL and on its model; print the first event that differs",
     "fovea lockstep net.onnx --layer conv1", describe_lockstep},
    {"report", kRun, "The same, and a page of where every cycle and byte went",
     "fovea report net.onnx picture.png --backend systemc -o report", describe_report},
    {"sensitivity", kRun, "What quantizing a float network costs, form by form and layer by layer, as a page",
     "fovea sensitivity float.onnx --calibrate photos --data pictures -o sensitivity", describe_sensitivity},
    {"machines", kMachine, "The machines that ship, one of them, or a file of your own: list, show, check",
     "fovea machines check my.json", describe_machines},
    {"machine", "", "", "fovea machine my.json", nullptr},
    {"doctor", kMachine, "What is here of what Fovea uses, and the one line that installs the rest", "fovea doctor",
     describe_doctor},
    {"completion", kMachine, "Print bash's completion of fovea", "source <(fovea completion)", describe_completion},
    {"man", "", "Write the man pages", "fovea man share/man/man1", describe_man},
    {"clean", kMachine, "Remove what was compiled and built, and is not used any more", "fovea clean --all",
     describe_clean},
};

const char* const kDescription =
    "Fovea compiles quantized networks for row-stationary accelerators and simulates them, cycle by cycle.\n"
    "\n"
    "  fovea run net.onnx picture.png     what is in the picture, and where every cycle of every layer went";

/// The whole program, described to CLI11.
class Program {
 public:
  Program() : app_(kDescription, "fovea"), compiler_("fovea") {
    app_.set_version_flag("--version", "fovea " FOVEA_VERSION);
    app_.get_formatter()->column_width(34);
    app_.require_subcommand(1);
    // Help has subcommands, and their groups, in the order that they come in here.
    for (const Row& row : kRows) {
      if (row.describe != nullptr) {
        CLI::App* sub = app_.add_subcommand(row.name, row.summary);
        actions_.emplace_back(sub, row.describe(*sub));
      }
    }
    compiler_.add_others(app_);
    for (const Row& row : kRows) {
      CLI::App* sub = find(row.name);
      if (sub == nullptr) {
        sub = app_.add_subcommand(row.name, row.summary);
        compiler_.add_compile(*sub);
      }
      sub->group(row.group);
      sub->footer(std::string("Example:\n  ") + row.example);
    }
  }

  int run(int argc, const char* const* argv) {
    if (argc > 1 && argv[1][0] != '-' && find(argv[1]) == nullptr) {
      throw UsageError(std::string(argv[1]) + ": no such subcommand; fovea --help lists them");
    }
    try {
      app_.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      if (error.get_exit_code() == 0) {
        return app_.exit(error);
      }
      throw UsageError(std::string(error.what()) + "; " + chosen_name() + " --help shows what works");
    }
    if (const std::optional<CommandLine> line = compiler_.parsed()) {
      return run_command(*line, kRunning);
    }
    for (const auto& [sub, action] : actions_) {
      if (sub->parsed()) {
        return action();
      }
    }
    return kDone;
  }

 private:
  CLI::App* find(const std::string& name) {
    const auto all = app_.get_subcommands([](const CLI::App*) { return true; });
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const CLI::App* sub) { return sub->get_name() == name; });
    return found == all.end() ? nullptr : *found;
  }

  std::string chosen_name() const {
    const auto chosen = app_.get_subcommands();
    return chosen.empty() ? "fovea" : "fovea " + chosen.front()->get_name();
  }

  CLI::App app_;
  CommandParser compiler_;
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

}  // namespace

void say_line(const std::string& line) { std::cerr << line << std::endl; }

}  // namespace fovea

int main(int argc, char** argv) {
  const bool is_compiler = argc > 0 && std::filesystem::path(argv[0]).filename() == "foveac";
  return is_compiler ? fovea::run_foveac(argc, argv, fovea::kRunning) : fovea::run_fovea(argc, argv);
}
