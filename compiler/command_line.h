// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a user types after `foveac`.
#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "dataset/dataset.h"
#include "mapping/mapper.h"
#include "quantize/calibration_data.h"
#include "quantize/options.h"
#include "spec/dla_layer.h"
#include "targets/cpu/cpu.h"

namespace CLI {
class App;
}

namespace fovea {

enum class Command {
  kCompile,
  kVisu,
  kMap,
  kCheck,
  kMachine,
  kExport,
  kQuantize,
  kDataset,
  kCompare,
  kAccuracy,
  kListPasses,
  kListOperators
};

/// Of kCompile: whose functions the C calls.
enum class OutputStyle { kDriver, kLab };

/// Of kMap.
struct MapOptions {
  std::string layer;     ///< Its name; "" for all.
  std::string shape;     ///< "C=64 H=16 ..." instead of a network; or "".
  std::size_t best = 5;  ///< Mappings to show.
  bool prints_nest = false;
};

/// Of kCompile.
struct TuneOptions {
  std::size_t count = 0;               ///< Mappings of a layer to measure; 0: none.
  std::filesystem::path records;       ///< File of tuning records; "" for none.
  std::filesystem::path measure_with;  ///< Program; "" for measure_layers beside foveac.
  std::string backend = "systemc";     ///< What the program measures on.
};

/// One of the two of kCompare.
struct CompareSide {
  std::filesystem::path path;   ///< A network, or a folder: a compiled network's or one of layers.
  std::string backend = "cpu";  ///< Where a network runs.
};

/// Of kCompare.
struct CompareOptions {
  CompareSide a, b;
  std::string input;           ///< For networks: a file, or name=file,name2=file2.
  double tolerance = 0;        ///< Of the largest of A's tensor.
  bool expects_equal = false;  ///< Exit status 1 where they are not.
  bool runs_code = false;      ///< Of folders that are not in the cache.
};

/// Of kAccuracy, whose network is `model`.
struct AccuracyOptions {
  std::filesystem::path data;              ///< A folder of pictures or an input.bin, or "".
  std::filesystem::path pictures, labels;  ///< Instead: bare bytes.
  std::filesystem::path beside;            ///< Another network, or "".
  std::filesystem::path keep;              ///< File of what was found, or "".
  std::string backend = "cpu";             ///< Where the network runs.
  unsigned jobs = 0;                       ///< Processes; 0: one a core.
  std::size_t misses = 10;                 ///< To list.
};

struct CommandLine {
  Command command = Command::kCompile;
  std::filesystem::path model;  ///< Not of kDataset: ONNX, or the text of an IR (.txt, .fovea).
  std::filesystem::path
      output;  ///< kCompile, kVisu: a folder; kExport, kQuantize: a file; "" where nothing is to be written.
  std::string target = "dla";     ///< A row of targets().
  std::filesystem::path machine;  ///< A machine file.
  Cpu cpu;                        ///< kCompile: what the C is built for.
  OutputStyle style = OutputStyle::kDriver;
  dla_rounding rounding = kDlaNearestEven;
  MappingMode mapping = MappingMode::kSearch;
  Goal goal;
  std::string print_ir_after;        ///< A pass, "all", or "".
  std::string stop_after;            ///< A pass or "".
  bool prints_loops = false;         ///< Of layers that are nests.
  bool prints_all_elements = false;  ///< Of constants in a printed IR, so that it can be parsed again.
  bool is_verbose = false;
  bool prints_json = false;  ///< Of commands that print a table.
  TuneOptions tune;
  CompareOptions compare;
  AccuracyOptions accuracy;
  MapOptions map;
  bool exports_qdq = false;       ///< kExport: float operators between conversions, not operators on 8-bit values.
  QuantizeOptions quantize;       ///< kQuantize.
  CalibrationSource calibration;  ///< kQuantize.
  DatasetOptions dataset;         ///< kDataset.
};

/// A text that was asked for with --help or --version.
struct HelpText {
  std::string text;
};

/// Describes the compiler's commands to CLI11, and says what of them was typed. Outlives the apps that it describes to.
class CommandParser {
 public:
  /// \param program  What messages call it: "foveac", "fovea".
  explicit CommandParser(std::string program);
  CommandParser(const CommandParser&) = delete;
  CommandParser& operator=(const CommandParser&) = delete;

  /// The options of compiling.
  void add_compile(CLI::App& app);

  /// A subcommand for each of the other commands.
  void add_others(CLI::App& app);

  /// Of the options of compiling those that choose what comes out: for commands that compile first.
  void add_building(CLI::App& app);

  /// After app.parse(): the command, if it is one of these. \throws UsageError.
  std::optional<CommandLine> parsed();

  /// After app.parse(): what add_building() described; without a model. \throws UsageError.
  CommandLine building();

 private:
  std::string program_;
  CommandLine line_;
  std::string machine_ = "eyeriss_6x8", size_;
  bool lists_passes_ = false, lists_operators_ = false, is_qoperator_ = false;
  CLI::App* compile_ = nullptr;
  std::vector<std::pair<Command, CLI::App*>> others_;
};

/// Reads foveac's command line. \throws UsageError, or HelpText where that was asked for.
CommandLine parse_command_line(int argc, const char* const* argv);

}  // namespace fovea
