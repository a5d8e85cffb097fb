// SPDX-License-Identifier: Apache-2.0
/// \file
/// fovea trace and fovea waves: fovea run, with the file that is wanted of it in front.
#include <algorithm>
#include <iostream>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>

#include "files/output_folder.h"
#include "run_options.h"
#include "subcommand.h"
#include "tensor/error.h"

namespace fovea {
namespace {

/// The ending of a backend's waves: its own choice, the smaller one.
std::string wave_format(const std::string& backend) {
  constexpr std::pair<const char*, std::string_view> kFormats[] = {
#define FOVEA_BACKEND(name, libraries, waves, title, choice) {#name, waves},
#include "common/backends.def"
#undef FOVEA_BACKEND
  };
  const auto* row =
      std::find_if(std::begin(kFormats), std::end(kFormats), [&](const auto& each) { return backend == each.first; });
  return std::string(row->second.substr(row->second.rfind(' ') + 1));
}

/// As make names it.
std::filesystem::path default_file(const std::string& stem, const DeviceOptions& device) {
  make_folder("output");
  return "output/" + stem + "." + (stem == "trace" ? "json" : wave_format(device.backend));
}

/// \param file  The member of DeviceOptions that is written. \param stem  Of its name, where none is given.
Action describe_run_for(CLI::App& app, std::filesystem::path DeviceOptions::*file, const std::string& stem,
                        const std::string& what) {
  const auto o = std::make_shared<RunOptions>();
  add_run_options(app, *o);
  app.add_option("-o,--output", o->device.*file, what)->type_name("FILE");
  return [o, file, stem, &app] {
    if (o->device.backend == "cpu") {
      throw UsageError("--backend cpu: only the accelerator is traced; take systemc or rtl");
    }
    std::filesystem::path& written = o->device.*file;
    written = written.empty() ? default_file(stem, o->device) : written;
    prepare_run(app, *o);
    run_on_device(o->program, o->device);
    if (!o->program.quiet && !o->program.json) {
      beside({written, o->program.output_raw, o->device.info}, std::cout) << "written to " << written.string() << "\n";
    }
    return 0;
  };
}

}  // namespace

Action describe_trace(CLI::App& app) {
  return describe_run_for(app, &DeviceOptions::trace, "trace",
                          "The JSON file, for ui.perfetto.dev (default: output/trace.json)");
}

Action describe_waves(CLI::App& app) {
  Action action =
      describe_run_for(app, &DeviceOptions::vcd, "waves",
                       "The file: .vcd, or with the RTL .fst; with a GTKWave save file (default: output/waves.*)");
  for (const char* window : {"--vcd-layer", "--vcd-from", "--vcd-cycles", "--vcd-trigger"}) {
    app.get_option(window)->remove_needs(app.get_option("--vcd"));  // --output is the file.
  }
  return action;
}

}  // namespace fovea
