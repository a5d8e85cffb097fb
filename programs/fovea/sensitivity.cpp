// SPDX-License-Identifier: Apache-2.0
/// \file
/// fovea sensitivity: what quantizing a float network costs, measured by scripts/report, which asks fovea.
#include <filesystem>
#include <memory>
#include <vector>

#include "commands/options.h"
#include "files/file_tree.h"
#include "files/read_file.h"
#include "report_scripts.h"
#include "run_options.h"
#include "subcommand.h"
#include "tensor/error.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

struct SensitivityOptions {
  fs::path model, output, calibrate, data, pictures, classes;
  ImportOptions import;
  std::string scales = "power2", machine = "eyeriss_6x8";
  bool is_per_channel = false;
  unsigned inputs = 0;
};

/// Refuses what would end it after the first measurements.
void check_options(const SensitivityOptions& o) {
  if (o.data.empty() && o.pictures.empty()) {
    throw UsageError("sensitivity: no pictures to measure on; give --data, or --pictures and --classes");
  }
  for (const fs::path& path : {o.model, o.calibrate, o.data, o.pictures, o.classes}) {
    if (!path.empty()) {
      check_exists(path);
    }
  }
}

std::vector<std::string> words_of(const SensitivityOptions& o, const CLI::App& app) {
  const fs::path folder =
      o.output.empty() ? fs::path("reports") / (o.model.stem().string() + "_sensitivity") : o.output;
  std::vector<std::string> words = {o.model.string(), folder.string()};
  const auto add = [&](const std::string& option, const std::string& value) {
    if (!value.empty()) {
      words.insert(words.end(), {option, value});
    }
  };
  for (const auto& [input, shape] : o.import.shapes) {
    add("--shape", shape_text(input, shape));
  }
  add("--calibrate", o.calibrate.string());
  add("--inputs", o.inputs == 0 ? "" : std::to_string(o.inputs));
  add("--data", o.data.string());
  add("--pictures", o.pictures.string());
  add("--classes", o.classes.string());
  add("--form",
      std::string(o.scales == "any" ? "any scales" : "power of two") + (o.is_per_channel ? ", per channel" : ""));
  add("--machine", o.machine);
  add("--fovea", fs::read_symlink("/proc/self/exe").string());
  add("--command", command_of("sensitivity", app));
  return words;
}

}  // namespace

Action describe_sensitivity(CLI::App& app) {
  const auto o = std::make_shared<SensitivityOptions>();
  app.add_option("model", o->model, "The float network, ONNX")->type_name("FILE")->required();
  add_shape_option(app, o->import);
  app.add_option("--calibrate", o->calibrate, "Calibration inputs: a folder of pictures, an input.bin, or raw float32")
      ->type_name("FOLDER|FILE")
      ->required();
  app.add_option("--inputs", o->inputs, "Calibrate on the first N inputs (default: all)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000).description(""));
  auto* data = app.add_option("--data", o->data, "Test pictures: a folder, or an input.bin")->type_name("FOLDER|FILE");
  auto* pictures = app.add_option("--pictures", o->pictures, "uint8 [N, C, H, W] instead")->type_name("FILE");
  pictures->needs(app.add_option("--classes", o->classes, "uint8 [N], of --pictures")->type_name("FILE"))
      ->excludes(data);
  add_name_choice(app, "--scales", o->scales, {"any", "power2"},
                  "Of single layers: any scales, or powers of two (default: power2)");
  app.add_flag("--per-channel", o->is_per_channel, "Of single layers: a scale a filter");
  app.add_option("--machine", o->machine, "Where cycles and DRAM bytes are counted (default: eyeriss_6x8)")
      ->type_name("NAME|FILE");
  app.add_option("-o,--output", o->output,
                 "Folder for index.html and sensitivity.json (default: reports/<network>_sensitivity)")
      ->type_name("FOLDER");
  return [o, &app]() -> int {
    check_options(*o);
    const std::vector<std::string> words = words_of(*o, app);
    std::vector<std::string> only_check = words;
    only_check.push_back("--check");
    run_script("measure_sensitivity.py", only_check);
    become(script_words("measure_sensitivity.py", words));
  };
}

}  // namespace fovea
