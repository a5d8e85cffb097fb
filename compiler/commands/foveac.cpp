// SPDX-License-Identifier: Apache-2.0
/// \file
/// foveac: the only place that prints the compiler's errors and chooses its exit status.
#include "foveac.h"

#include <algorithm>
#include <iostream>
#include <sstream>
#include <utility>

#include "options.h"
#include "tensor/error.h"

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
    "  foveac net.onnx --stop-after merge-composites    the IR after fusion\n"
    "  foveac check net.onnx                            the target of each layer, and every refusal\n"
    "  foveac visu net.onnx -o build/pictures           draw the graph before and after fusion\n"
    "  foveac map net.onnx --layer conv2                the best mappings of a layer, compared\n"
    "  foveac machine my.json                           a machine on a chip: memories, gates, energies\n"
    "  foveac quantize net.onnx --calibrate photos/ ... a float network on 8-bit integers\n"
    "  foveac export --qoperator net.onnx -o q.onnx     as ONNX again, of QLinear operators\n"
    "  foveac accuracy net.onnx --data pictures         its accuracy on labelled pictures\n"
    "  foveac compare net.onnx layers/ --input x.f32    two runs, compared layer by layer\n"
    "  foveac dataset photos/ -o build/input.bin        pictures, a sub-folder a class, in one file\n";

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

int run(int argc, const char* const* argv, const std::vector<CommandRow>& rows) {
  CLI::App app(kDescription, "foveac");
  app.set_version_flag("--version", "foveac " FOVEA_VERSION);
  app.get_formatter()->column_width(34);
  const Action compile = describe_compile(app);
  std::vector<std::pair<CLI::App*, Action>> actions;
  for (const CommandRow& row : rows) {
    CLI::App* added = app.add_subcommand(row.name, row.summary);
    actions.emplace_back(added, row.describe(*added));
  }
  const auto chosen = [&] {
    return std::ranges::find_if(actions, [](const auto& row) { return row.first->parsed(); });
  };
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::cout << (chosen() == actions.end() ? app.help() : chosen()->first->help("foveac"));
    return kDone;
  } catch (const CLI::CallForVersion& version) {
    std::cout << version.what() << "\n";
    return kDone;
  } catch (const CLI::ParseError& error) {
    throw UsageError(refusal_text(app, error) + "; foveac --help shows what works");
  }
  return chosen() == actions.end() ? compile() : chosen()->second();
}

}  // namespace

int run_foveac(int argc, const char* const* argv, const std::vector<CommandRow>& rows) {
  try {
    const int status = run(argc, argv, rows);
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
