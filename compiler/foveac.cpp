// SPDX-License-Identifier: Apache-2.0
/// \file
/// The compiler's command: the only place that prints errors and chooses the exit status.
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <exception>
#include <iostream>
#include <sstream>

#include "accuracy.h"
#include "check.h"
#include "command_line.h"
#include "compare.h"
#include "compile.h"
#include "dataset/dataset.h"
#include "ir/error.h"
#include "machine_report.h"
#include "map.h"
#include "operator_list.h"
#include "quantize_command.h"

namespace {

/// 0: done. 1: the input can't be used, or a bug. 2: the command line makes no sense.
enum ExitStatus { kDone = 0, kFailed = 1, kUsage = 2 };

void write_pictures(const fovea::CommandLine& line) {
  const fovea::DatasetReport report = fovea::write_dataset(line.dataset);
  std::cout << line.dataset.output.string() << ": " << report.classes << " classes, " << report.per_class
            << " pictures each, " << report.size.height << "x" << report.size.width << "\n";
}

int run(const fovea::CommandLine& line) {
  spdlog::set_default_logger(spdlog::stderr_color_mt("foveac"));
  spdlog::set_pattern("%v");
  spdlog::set_level(line.is_verbose ? spdlog::level::debug : spdlog::level::warn);
  switch (line.command) {
    case fovea::Command::kCompile:
      fovea::compile(line, std::cout);
      break;
    case fovea::Command::kVisu:
      fovea::draw(line);
      break;
    case fovea::Command::kMap:
      fovea::map_layers(line, std::cout);
      break;
    case fovea::Command::kCheck:
      return fovea::check_network(line, std::cout) ? kDone : kFailed;
    case fovea::Command::kMachine:
      fovea::report_machine(line, std::cout);
      break;
    case fovea::Command::kExport:
      fovea::export_network(line);
      break;
    case fovea::Command::kQuantize:
      fovea::quantize(line, std::cout);
      break;
    case fovea::Command::kAccuracy:
      return fovea::measure_accuracy(line);
    case fovea::Command::kCompare:
      return fovea::compare_networks(line);
    case fovea::Command::kListPasses:
      fovea::print_passes(std::cout);
      break;
    case fovea::Command::kListOperators:
      fovea::print_operators(std::cout);
      break;
    case fovea::Command::kDataset:
      write_pictures(line);
      break;
  }
  return kDone;
}

/// Prints each line of an error; nothing was written before it.
void print_error(const std::string& text) {
  std::istringstream lines(text);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    std::cerr << "foveac: " << line << "\n";
  }
  if (count > 1) {
    std::cerr << "foveac: refused for these " << count << " reasons; nothing was written\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(fovea::parse_command_line(argc, argv));
  } catch (const fovea::HelpText& help) {
    std::cout << help.text;
    return kDone;
  } catch (const fovea::UsageError& error) {
    std::cerr << "foveac: " << error.what() << "\n";
    return kUsage;
  } catch (const fovea::UserError& error) {
    print_error(error.what());
    return kFailed;
  } catch (const std::exception& error) {
    std::cerr << "foveac: " << error.what() << "\n";
    return kFailed;
  }
}
