// SPDX-License-Identifier: Apache-2.0
/// \file
/// Describes the options to CLI11.
#include "command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <sstream>

#include "files/file_tree.h"
#include "ir/error.h"
#include "targets/target.h"

namespace fovea {
namespace {

const char* const kDescription =
    "foveac compiles a quantized ONNX network to C for a row-stationary accelerator.\n"
    "\n"
    "Examples:\n"
    "  foveac net.onnx -o build/net                     C, weights and a summary in build/net\n"
    "  foveac net.onnx -o build/net --target cpu        all layers on the CPU\n"
    "  foveac net.onnx -o build/net --machine my.json   for a machine of your own\n"
    "  foveac net.onnx -o build/net --style lab         for the AI-on-Chip lab's runtime\n"
    "  foveac net.onnx --stop-after merge-composites    show what was fused\n"
    "  foveac check net.onnx                            what would run where, what is refused, and why\n"
    "  foveac visu net.onnx -o build/pictures           draw the graph before and after fusion\n"
    "  foveac map net.onnx --layer conv2                the best mappings of a layer, compared\n"
    "  foveac machine my.json                           what a machine takes on a chip: memories, gates, energies\n"
    "  foveac quantize net.onnx --calibrate photos/ ... a float network as one on 8-bit integers\n"
    "  foveac export --qoperator net.onnx -o q.onnx     as ONNX again, of QLinear operators\n"
    "  foveac accuracy net.onnx --data pictures         what it knows of pictures whose class is known\n"
    "  foveac compare net.onnx layers/ --input x.f32    where two runs of a network first differ, layer by layer\n"
    "  foveac dataset photos/ -o build/input.bin        pictures, a sub-folder a class, for the programs\n";

template <typename T>
void add_choice(CLI::App& app, const std::string& name, T& value, const std::map<std::string, T>& choices,
                const std::string& description) {
  std::string names;
  for (const auto& choice : choices) {
    names += (names.empty() ? "" : "|") + choice.first;
  }
  app.add_option_function<std::string>(
         name,
         [&value, choices, name, names](const std::string& text) {
           const auto found = choices.find(text);
           if (found == choices.end()) {
             throw UsageError(name + " " + text + ": unknown; " + names + " work");
           }
           value = found->second;
         },
         description)
      ->type_name(names);
}

void add_optimize_option(CLI::App& app, CommandLine& line) {
  std::map<std::string, Objective> objectives;
  for (const Objective objective : kObjectives) {
    objectives.emplace(to_text(objective), objective);
  }
  add_choice<Objective>(app, "--optimize", line.goal.objective, objectives,
                        "What the mapping search makes small; edp is energy times cycles (default: cycles)");
  app.add_option("--slack", line.goal.slack_percent,
                 "Percent more cycles that --optimize cycles gives for fewer DRAM bytes (default: 2)")
      ->type_name("PERCENT")
      ->check(CLI::Range(0, 1000));
}

void add_machine_option(CLI::App& app, std::string& machine) {
  app.add_option("--machine", machine, "A machine that ships, or a machine file (default: eyeriss_6x8)")
      ->type_name("NAME|FILE");
}

void add_mapping_option(CLI::App& app, CommandLine& line) {
  add_choice<MappingMode>(app, "--mapping", line.mapping,
                          {{"search", MappingMode::kSearch}, {"lab", MappingMode::kLab}},
                          "The best mapping by the cost model, or the lab's fixed one (default: search)");
}

void add_records_options(CLI::App& app, CommandLine& line) {
  app.add_option("--records", line.tune.records, "Use the tuning records of this file")->type_name("FILE");
  app.add_option("--tune", line.tune.count,
                 "Measure the N best mappings of each layer without a record; record the fastest")
      ->type_name("N")
      ->check(CLI::Range(0, 1000).description(""));
}

void add_network_options(CLI::App& app, CommandLine& line, std::string& machine) {
  std::map<std::string, std::string> names;
  for (const TargetRow& row : targets()) {
    names.emplace(row.name, row.name);
  }
  add_choice<std::string>(app, "--target", line.target, names,
                          "Where layers run; what the accelerator can't take runs on the CPU (default: dla)");
  add_machine_option(app, machine);
  add_mapping_option(app, line);
  add_optimize_option(app, line);
}

void add_rounding_option(CLI::App& app, CommandLine& line) {
  add_choice<dla_rounding>(app, "--rounding", line.rounding, {{"nearest_even", kDlaNearestEven}, {"floor", kDlaFloor}},
                           "How integers are rescaled: as ONNX does, or rounded down (default: nearest_even)");
}

void add_cpu_option(CLI::App& app, CommandLine& line) {
  std::map<std::string, Cpu> choices;
  for (const Cpu& cpu : cpus()) {
    choices.emplace(cpu.name, cpu);
  }
  line.cpu = cpus().front();
  add_choice<Cpu>(app, "--cpu", line.cpu, choices,
                  "The CPU that the C is built for: its compiler, vectors and tiles (default: host)");
}

CLI::Option* add_json_option(CLI::App& app, CommandLine& line) {
  return app.add_flag("--json", line.prints_json, "Print one JSON document");
}

void describe_compile(CLI::App& app, CommandLine& line, std::string& machine, bool& lists_passes,
                      bool& lists_operators) {
  app.add_option("model", line.model, "The network: ONNX, or the text of an IR (.txt, .fovea)")->type_name("FILE");
  app.add_option("-o,--output", line.output, "Folder for model.c, weight.bin, <network>.json and the IR")
      ->type_name("FOLDER");
  add_network_options(app, line, machine);
  add_rounding_option(app, line);
  add_cpu_option(app, line);
  add_choice<OutputStyle>(
      app, "--style", line.style, {{"driver", OutputStyle::kDriver}, {"lab", OutputStyle::kLab}},
      "Whose functions the C calls: the driver's, or the AI-on-Chip lab's, as its own generator writes it "
      "(default: driver)");
  add_records_options(app, line);
  app.add_option("--measure-with", line.tune.measure_with,
                 "The program that measures (default: measure_layers beside foveac)")
      ->type_name("FILE");
  app.add_option("--backend", line.tune.backend, "What it measures on (default: systemc)")->type_name("NAME");
  app.add_option("--print-ir-after", line.print_ir_after, "Print the IR after this pass, or after \"all\"")
      ->type_name("PASS");
  app.add_option("--stop-after", line.stop_after, "Print the IR after this pass and stop; nothing is written")
      ->type_name("PASS");
  app.add_flag("--print-loops", line.prints_loops,
               "Print the loops of each layer that is computed by loops of its own");
  app.add_flag("--all-elements", line.prints_all_elements,
               "Print constants of more than 16 elements too, so that the IR can be compiled again");
  add_json_option(app, line);
  app.add_flag("--list-passes", lists_passes, "Print the passes in their order");
  app.add_flag("--list-operators", lists_operators, "Print the ONNX operators that it takes, as Markdown");
  app.add_flag("-v,--verbose", line.is_verbose, "Say what each pass changed");
}

void describe_visu(CLI::App& app, CommandLine& line, std::string& machine) {
  app.add_option("model", line.model, "The network: ONNX, or the text of an IR (.txt, .fovea)")
      ->type_name("FILE")
      ->required();
  app.add_option("-o,--output", line.output, "Folder for the drawings")->type_name("FOLDER")->required();
  add_network_options(app, line, machine);
}

void describe_check(CLI::App& app, CommandLine& line, std::string& machine) {
  app.add_option("model", line.model, "The network: ONNX, or the text of an IR (.txt, .fovea)")
      ->type_name("FILE")
      ->required();
  add_network_options(app, line, machine);
  add_rounding_option(app, line);
  add_json_option(app, line);
}

void describe_map(CLI::App& app, CommandLine& line, std::string& machine) {
  app.add_option("model", line.model, "The network: ONNX, or the text of an IR (.txt, .fovea)")->type_name("FILE");
  app.add_option("--layer", line.map.layer, "Only the layer of this name")->type_name("NAME");
  app.add_option("--shape", line.map.shape,
                 "A layer instead of a network: \"C=64 H=16 W=16 M=192 R=3 S=3 U=1 PAD=1 pool\"")
      ->type_name("SHAPE");
  app.add_option("--best", line.map.best, "How many mappings to show (default: 5)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000).description(""));
  auto* nest = app.add_flag("--print-nest", line.map.prints_nest, "Print the best mapping as a loop nest instead");
  add_json_option(app, line)->excludes(nest);
  add_machine_option(app, machine);
  add_optimize_option(app, line);
}

void describe_machine(CLI::App& app, CommandLine& line, std::string& machine) {
  app.add_option("machine", machine, "A machine that ships, or a machine file (default: eyeriss_6x8)")
      ->type_name("NAME|FILE");
  add_json_option(app, line);
}

void describe_export(CLI::App& app, CommandLine& line, bool& is_qoperator) {
  app.add_option("model", line.model, "The network: ONNX, or the text of an IR (.txt, .fovea)")
      ->type_name("FILE")
      ->required();
  app.add_option("-o,--output", line.output, "The ONNX file to write")->type_name("FILE")->required();
  app.add_flag("--qoperator", is_qoperator, "As operators on 8-bit values: QLinearConv, QLinearAdd, ...");
  app.add_flag("--qdq", line.exports_qdq, "As float operators between DequantizeLinear and QuantizeLinear");
}

/// "0.5,0.5,0.5", a number a channel. \param is_positive  Whether each must be above 0.
std::array<float, 3> parse_channels(const std::string& name, const std::string& text, bool is_positive) {
  std::array<float, 3> numbers{};
  std::istringstream words(text);
  bool is_good = true;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    char comma = ',';
    is_good = is_good && (i == 0 || words >> comma) && comma == ',' && words >> numbers[i];
    is_good = is_good && std::isfinite(numbers[i]) && (!is_positive || numbers[i] > 0);
  }
  if (!is_good || !(words >> std::ws).eof()) {
    throw UsageError(name + " " + text + ": not three " + (is_positive ? "positive numbers" : "numbers") +
                     " with commas between, such as 0.5,0.5,0.5");
  }
  return numbers;
}

void add_channels_option(CLI::App& app, const std::string& name, std::optional<std::array<float, 3>>& value,
                         bool is_positive, const std::string& description) {
  app.add_option_function<std::string>(
         name,
         [&value, name, is_positive](const std::string& text) { value = parse_channels(name, text, is_positive); },
         description)
      ->type_name("R,G,B");
}

void describe_quantize(CLI::App& app, CommandLine& line) {
  QuantizeOptions& options = line.quantize;
  app.add_option("model", line.model, "The float network: ONNX, or the text of an IR (.txt, .fovea)")
      ->type_name("FILE")
      ->required();
  app.add_option("-o,--output", line.output, "The ONNX file to write")->type_name("FILE")->required();
  app.add_option("--calibrate", line.calibration.path,
                 "What it is calibrated on: a folder of pictures, an input.bin, or raw float32 inputs")
      ->type_name("FOLDER|FILE")
      ->required();
  app.add_option("--inputs", line.calibration.most, "Take the first N inputs (default: all)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000).description(""));
  add_channels_option(app, "--mean", line.calibration.mean, false,
                      "What is subtracted from pixel/255 of pictures (default: <model>.json's, or CIFAR-10's)");
  add_channels_option(app, "--std", line.calibration.deviation, true, "What that is divided by (default: likewise)");
  add_choice<ScaleForm>(app, "--scales", options.scales, {{"any", ScaleForm::kAny}, {"power2", ScaleForm::kPowerOfTwo}},
                        "Any scales, or powers of two (default: any)");
  app.add_flag("--per-channel", options.is_per_channel, "Weights have a scale a filter, not one for all");
  add_choice<ElementType>(app, "--activations", options.activations,
                          {{"uint8", ElementType::kUint8}, {"int8", ElementType::kInt8}},
                          "The type of activations (default: uint8)");
  add_choice<Calibration>(app, "--method", options.calibration,
                          {{"minmax", Calibration::kMinMax},
                           {"percentile", Calibration::kPercentile},
                           {"mse", Calibration::kMse},
                           {"best", Calibration::kBest}},
                          "How ranges are chosen; best tries the others for each scale (default: mse)");
  app.add_option("--percentile", options.percentile, "How many of the values are in range (default: 99.99)")
      ->type_name("PERCENT")
      ->check(CLI::Range(50.0, 100.0).description(""));
  app.add_flag("--equalize", options.equalizes, "Even out channels between layers first, for one scale a layer");
  app.add_flag_callback(
      "--no-bias-correction", [&options] { options.corrects_bias = false; }, "Leave biases as they are");
  app.add_flag("--quantize-softmax", options.quantizes_softmax, "Quantize softmax too, which else stays float");
  app.add_option("--keep-float", options.kept, "ONNX names of nodes that stay float")->type_name("NODE");
  app.add_option("--only", options.only, "ONNX names of the nodes to quantize; all else stays float")
      ->type_name("NODE");
  add_json_option(app, line);
}

void describe_dataset(CLI::App& app, CommandLine& line, std::string& size) {
  app.add_option("sources", line.dataset.sources, "A folder of pictures, or CIFAR-10 binary batches")
      ->type_name("PATH")
      ->required();
  app.add_option("-o,--output", line.dataset.output, "The file to write")->type_name("FILE")->required();
  app.add_option("--per-class", line.dataset.per_class, "Pictures a class (default: as many as the smallest class has)")
      ->type_name("N");
  app.add_option("--size", size, "Stretch the pictures to this height and width")->type_name("HxW");
}

void describe_accuracy(CLI::App& app, CommandLine& line, std::string& machine) {
  AccuracyOptions& o = line.accuracy;
  app.add_option("model", line.model, "The network: ONNX, the text of an IR, or its compiled folder")
      ->type_name("FILE|FOLDER")
      ->required();
  auto* data =
      app.add_option("--data", o.data, "Pictures whose class is known: a folder, a sub-folder a class, or an input.bin")
          ->type_name("FOLDER|FILE");
  auto* pictures = app.add_option("--pictures", o.pictures, "uint8 [N, C, H, W] instead")->type_name("FILE");
  auto* labels = app.add_option("--labels", o.labels, "uint8 [N], for --pictures")->type_name("FILE");
  pictures->needs(labels)->excludes(data);
  app.add_option("--beside", o.beside, "Another network, which runs on the CPU on the same pictures")
      ->type_name("FILE|FOLDER");
  app.add_option("--keep", o.keep, "What was found; a run that was ended goes on from there")->type_name("FILE");
  app.add_option("--backend", o.backend, "Where it runs: cpu, or what carries the accelerator (default: cpu)")
      ->type_name("NAME");
  add_machine_option(app, machine);
  add_rounding_option(app, line);
  app.add_option("--jobs", o.jobs, "Processes (default: one a core)")
      ->type_name("NUMBER")
      ->check(CLI::Range(1, 1024).description(""));
  app.add_option("--misses", o.misses, "Missed pictures to list (default: 10)")->type_name("NUMBER");
  add_json_option(app, line);
}

void describe_compare(CLI::App& app, CommandLine& line, std::string& machine) {
  CompareOptions& o = line.compare;
  const std::string side = "a network (ONNX, or the text of an IR), its compiled folder, or a folder of layers";
  app.add_option("a", o.a.path, "One side: " + side)->type_name("FILE|FOLDER")->required();
  app.add_option("b", o.b.path, "The other side")->type_name("FILE|FOLDER")->required();
  app.add_option("--input", o.input, "What networks run on: float32, raw or .npy; of several name=FILE,name2=FILE")
      ->type_name("FILE");
  app.add_option("--backend-a", o.a.backend, "Where A runs: cpu, or what carries the accelerator (default: cpu)")
      ->type_name("NAME");
  app.add_option("--backend-b", o.b.backend, "Where B runs (default: cpu)")->type_name("NAME");
  add_machine_option(app, machine);
  add_rounding_option(app, line);
  app.add_option("--tolerance", o.tolerance,
                 "Elements are equal too where they are no further apart than this times the largest of A's tensor")
      ->type_name("NUMBER")
      ->check(CLI::NonNegativeNumber.description(""));
  app.add_flag(
      "--run-code", o.runs_code,
      "Run compiled folders too that fovea does not keep: only what you trust, as their model.so may do anything");
  app.add_flag("--expect-equal", o.expects_equal, "Exit with 1 where a layer differs");
  add_json_option(app, line);
}

/// The lab's code rounds down, has the lab's mapping, and chooses by CPU_ONLY where it runs.
void settle_lab_style(const CLI::App& app, CommandLine& line) {
  if (line.style != OutputStyle::kLab) {
    return;
  }
  if (line.prints_json) {
    throw UsageError("--json: --style lab writes no summary; leave one out");
  }
  const bool rounds_else = app.count("--rounding") != 0 && line.rounding != kDlaFloor;
  const bool maps_else = app.count("--mapping") != 0 && line.mapping != MappingMode::kLab;
  for (const std::string option :
       {"--rounding", "--mapping", "--target", "--optimize", "--slack", "--records", "--tune", "--cpu"}) {
    const bool is_lab = (option == "--rounding" && !rounds_else) || (option == "--mapping" && !maps_else);
    if (app.count(option) != 0 && !is_lab) {
      throw UsageError(option + ": --style lab has the lab's, which can't be chosen; leave " + option + " out");
    }
  }
  line.rounding = kDlaFloor;
  line.mapping = MappingMode::kLab;
}

/// The checks that CLI11 does not make.
void check(CommandLine& line, const std::string& size, const std::string& program) {
  if (!size.empty()) {
    line.dataset.size = parse_picture_size(size);
    if (!line.dataset.size) {
      throw UsageError("--size " + size + ": not a height and width, such as 32x32, of 1 to 4096");
    }
  }
  if (line.command == Command::kMap && line.model.empty() == line.map.shape.empty()) {
    throw UsageError(program + " map takes a network, or a layer with --shape; " + program + " map --help shows more");
  }
  if (line.command != Command::kCompile) {
    return;
  }
  if (line.model.empty()) {
    throw UsageError("no network given; " + program + (program == "foveac" ? "" : " compile") +
                     " net.onnx -o build/net works, and --help shows more");
  }
  if (line.tune.count != 0 && line.tune.records.empty()) {
    throw UsageError("--tune: nowhere to keep what is measured; add --records tuning.json");
  }
  if (line.output.empty() && line.stop_after.empty() && line.print_ir_after.empty() && !line.prints_loops) {
    throw UsageError("no folder to write to; add -o build/net");
  }
}

}  // namespace

CommandParser::CommandParser(std::string program) : program_(std::move(program)) {}

void CommandParser::add_compile(CLI::App& app) {
  compile_ = &app;
  describe_compile(app, line_, machine_, lists_passes_, lists_operators_);
}

void CommandParser::add_others(CLI::App& app) {
  const auto add = [&](Command command, const char* name, const char* summary) {
    CLI::App* added = app.add_subcommand(name, summary);
    others_.emplace_back(command, added);
    return added;
  };
  describe_visu(*add(Command::kVisu, "visu", "Draw a network's graph before and after fusion, as SVG"), line_,
                machine_);
  describe_check(*add(Command::kCheck, "check", "Say what of a network would run where, and what is refused"), line_,
                 machine_);
  describe_map(*add(Command::kMap, "map", "Compare the mappings of a network's layers, or of one layer"), line_,
               machine_);
  describe_machine(*add(Command::kMachine, "machine", "Say what a machine takes on a chip, and what accesses cost"),
                   line_, machine_);
  describe_export(*add(Command::kExport, "export", "Write a network as ONNX again, as it is after import"), line_,
                  is_qoperator_);
  describe_quantize(*add(Command::kQuantize, "quantize", "Quantize a float network, calibrated on inputs of yours"),
                    line_);
  describe_compare(*add(Command::kCompare, "compare", "Lay two runs of a network beside each other, layer by layer"),
                   line_, machine_);
  describe_accuracy(*add(Command::kAccuracy, "accuracy", "Say what a network knows of pictures whose class is known"),
                    line_, machine_);
  describe_dataset(*add(Command::kDataset, "dataset", "Write input.bin, the programs' pictures"), line_, size_);
}

void CommandParser::add_building(CLI::App& app) {
  add_machine_option(app, machine_);
  add_mapping_option(app, line_);
  add_optimize_option(app, line_);
  add_rounding_option(app, line_);
  add_records_options(app, line_);
}

std::optional<CommandLine> CommandParser::parsed() {
  const auto chosen =
      std::find_if(others_.begin(), others_.end(), [](const auto& row) { return row.second->parsed(); });
  if (chosen == others_.end() && !(compile_ != nullptr && compile_->parsed())) {
    return std::nullopt;
  }
  line_.command = chosen != others_.end() ? chosen->first
                  : lists_passes_         ? Command::kListPasses
                  : lists_operators_      ? Command::kListOperators
                                          : Command::kCompile;
  line_.machine = machine_file(machine_);
  if (line_.command == Command::kExport && is_qoperator_ == line_.exports_qdq) {
    throw UsageError(program_ + " export writes one form: give --qoperator or --qdq");
  }
  if (compile_ != nullptr) {
    settle_lab_style(*compile_, line_);
  }
  check(line_, size_, program_);
  return line_;
}

CommandLine CommandParser::building() {
  CommandLine line = line_;
  line.machine = machine_file(machine_);
  if (line.tune.count != 0 && line.tune.records.empty()) {
    throw UsageError("--tune: nowhere to keep what is measured; add --records tuning.json");
  }
  return line;
}

CommandLine parse_command_line(int argc, const char* const* argv) {
  CLI::App app(kDescription, "foveac");
  app.set_version_flag("--version", "foveac " FOVEA_VERSION);
  app.get_formatter()->column_width(34);
  CommandParser parser("foveac");
  parser.add_compile(app);
  parser.add_others(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app.get_subcommands();
    throw HelpText{chosen.empty() ? app.help() : chosen[0]->help("foveac")};
  } catch (const CLI::CallForVersion& version) {
    throw HelpText{std::string(version.what()) + "\n"};
  } catch (const CLI::ParseError& error) {
    throw UsageError(std::string(error.what()) + "; foveac --help shows what works");
  }
  return *parser.parsed();
}

}  // namespace fovea
