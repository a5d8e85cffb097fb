// SPDX-License-Identifier: Apache-2.0
/// \file
/// The compiler's command: the only place that prints errors and chooses the exit status.
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <exception>
#include <iostream>

#include "command_line.h"
#include "compile.h"
#include "dataset/dataset.h"
#include "map.h"

namespace {

/// 0: done. 1: the input can't be used, or a bug. 2: the command line makes no sense.
enum ExitStatus { kDone = 0, kFailed = 1, kUsage = 2 };

void run(const fovea::CommandLine& line) {
  spdlog::set_default_logger(spdlog::stderr_color_mt("foveac"));
  spdlog::set_pattern("%v");
  spdlog::set_level(line.is_verbose ? spdlog::level::debug : spdlog::level::warn);
  switch (line.command) {
    case fovea::Command::kCompile:
      return fovea::compile(line, std::cout);
    case fovea::Command::kVisu:
      return fovea::draw(line);
    case fovea::Command::kMap:
      return fovea::map_layers(line, std::cout);
    case fovea::Command::kExport:
      return fovea::export_network(line);
    case fovea::Command::kListPasses:
      return fovea::print_passes(std::cout);
    case fovea::Command::kDataset:
      break;
  }
  const fovea::DatasetReport report = fovea::write_dataset(line.dataset);
  std::cout << line.dataset.output.string() << ": " << report.classes << " classes, " << report.per_class
            << " pictures each, " << report.size.height << "x" << report.size.width << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(fovea::parse_command_line(argc, argv));
    return kDone;
  } catch (const fovea::HelpText& help) {
    std::cout << help.text;
    return kDone;
  } catch (const fovea::UsageError& error) {
    std::cerr << "foveac: " << error.what() << "\n";
    return kUsage;
  } catch (const std::exception& error) {
    std::cerr << "foveac: " << error.what() << "\n";
    return kFailed;
  }
}
