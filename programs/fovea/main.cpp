// SPDX-License-Identifier: Apache-2.0
/// \file
/// fovea: one program with subcommands, a row each; under the name foveac it is the compiler.
#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

#include "commands/foveac.h"
#include "files/partial_file.h"
#include "subcommand.h"

namespace fovea {
namespace {

constexpr const char* kRun = "Run a network";
constexpr const char* kCompile = "Compile a network";
constexpr const char* kMachine = "Machines and cache";

constexpr Subcommand kRows[] = {
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

int run_compiler(int argc, const char* const* argv) {
  std::vector<CommandRow> rows;
  for (const char* name : kOfCompiler) {
    rows.push_back(std::ranges::find(kRows, std::string_view(name), [](const Subcommand& row) {
                     return row.command.name;
                   })->command);
  }
  return run_foveac(argc, argv, rows);
}

}  // namespace
}  // namespace fovea

int main(int argc, char** argv) {
  const bool is_compiler = argc > 0 && std::filesystem::path(argv[0]).filename() == "foveac";
  fovea::say_when_interrupted(is_compiler ? "\nfoveac: interrupted\n" : "\nfovea: interrupted\n");
  return is_compiler ? fovea::run_compiler(argc, argv) : fovea::run_fovea(argc, argv, fovea::kRows);
}
