// SPDX-License-Identifier: Apache-2.0
/// \file
/// The compiler's commands, and foveac: the only place that prints its errors and chooses its exit status.
#include "foveac.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <exception>
#include <iostream>
#include <new>
#include <sstream>

#include "check.h"
#include "command_line.h"
#include "compile.h"
#include "dataset/dataset.h"
#include "ir/error.h"
#include "machine_report.h"
#include "map.h"
#include "operator_list.h"
#include "quantize_command.h"

namespace fovea {
namespace {

void write_pictures(const CommandLine& line) {
  const DatasetReport report = write_dataset(line.dataset);
  std::cout << line.dataset.output.string() << ": " << report.classes << " classes, " << report.per_class
            << " pictures each, " << report.size.height << "x" << report.size.width << "\n";
}

int dispatch(const CommandLine& line, const RunningCommands& running) {
  spdlog::set_default_logger(spdlog::stderr_color_mt("foveac"));
  spdlog::set_pattern("%v");
  spdlog::set_level(line.is_verbose ? spdlog::level::debug : spdlog::level::warn);
  switch (line.command) {
    case Command::kCompile:
      compile(line, std::cout);
      break;
    case Command::kVisu:
      draw(line);
      break;
    case Command::kMap:
      map_layers(line, std::cout);
      break;
    case Command::kCheck:
      return check_network(line, std::cout) ? kDone : kFailed;
    case Command::kMachine:
      report_machine(line, std::cout);
      break;
    case Command::kExport:
      export_network(line);
      break;
    case Command::kQuantize:
      quantize(line, std::cout);
      break;
    case Command::kAccuracy:
      return running.measure_accuracy(line);
    case Command::kCompare:
      return running.compare_networks(line);
    case Command::kListPasses:
      print_passes(std::cout);
      break;
    case Command::kListOperators:
      print_operators(std::cout);
      break;
    case Command::kDataset:
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

int run(int argc, const char* const* argv, const RunningCommands& running) {
  try {
    return run_command(parse_command_line(argc, argv), running);
  } catch (const HelpText& help) {
    std::cout << help.text;
    return kDone;
  }
}

}  // namespace

int run_command(const CommandLine& line, const RunningCommands& running) try {
  return dispatch(line, running);
} catch (const std::bad_alloc&) {
  user_error(line.model.string() + ": needs more memory than there is");
}

int run_foveac(int argc, const char* const* argv, const RunningCommands& running) {
  try {
    const int status = run(argc, argv, running);
    std::cout.flush();
    if (!std::cout) {
      user_error("standard output: cannot be written");
    }
    return status;
  } catch (const std::exception& error) {
    print_error(failure_text(error));
    return status_of(error);
  }
}

}  // namespace fovea
