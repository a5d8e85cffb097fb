// SPDX-License-Identifier: Apache-2.0
/// \file
/// The only place that prints fovea's errors and chooses its exit status.
#include "subcommand.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <sstream>
#include <utility>
#include <vector>

#include "commands/options.h"
#include "spec/near_name.h"
#include "tensor/error.h"

namespace fovea {
namespace {

const char* const kDescription =
    "Fovea compiles quantized networks for row-stationary accelerators and simulates them, cycle by cycle.\n"
    "\n"
    "  fovea run net.onnx picture.png     the picture's class, and the cause of every cycle of every layer";

/// \throws UsageError where an app has no subcommand of that name.
CLI::App& check_subcommand(CLI::App& app, const std::string& name) {
  std::vector<std::string> names;
  for (CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(sub->get_name());
    if (names.back() == name) {
      return *sub;
    }
  }
  throw UsageError(name + ": no such subcommand" + did_you_mean(name, names) + "; fovea --help lists them");
}

/// The whole program, described to CLI11.
class Program {
 public:
  explicit Program(std::span<const Subcommand> rows) : app_(kDescription, "fovea") {
    app_.set_version_flag("--version", "fovea " FOVEA_VERSION);
    app_.get_formatter()->column_width(34);
    app_.require_subcommand(0, 1);
    for (const Subcommand& row : rows) {
      CLI::App* sub = app_.add_subcommand(row.command.name, row.command.summary);
      actions_.emplace_back(sub, row.command.describe(*sub));
      sub->group(row.group);
      sub->footer(std::string("Example:\n  ") + row.example);
    }
  }

  int run(int argc, const char* const* argv) {
    if (argc > 1 && argv[1][0] != '-') {
      check_subcommand(app_, argv[1]);
    }
    try {
      app_.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      if (error.get_exit_code() == 0) {
        return app_.exit(error);
      }
      throw UsageError(refusal_text(app_, error) + "; " + chosen_name() + " --help shows what works");
    }
    for (const auto& [sub, action] : actions_) {
      if (sub->parsed()) {
        return action();
      }
    }
    std::cout << app_.help();
    return kDone;
  }

 private:
  std::string chosen_name() const {
    const auto chosen = app_.get_subcommands();
    return chosen.empty() ? "fovea" : "fovea " + chosen.front()->get_name();
  }

  CLI::App app_;
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

}  // namespace

int run_fovea(int argc, const char* const* argv, std::span<const Subcommand> rows) {
  try {
    const int status = Program(rows).run(argc, argv);
    std::cout.flush();
    return std::cout ? status : fail("standard output: cannot be written", kFailed);
  } catch (const std::exception& error) {
    return fail(failure_text(error), status_of(error));
  }
}

Action describe_help(CLI::App& app) {
  const auto names = std::make_shared<std::vector<std::string>>();
  app.add_option("subcommand", *names, "A subcommand, and one of its own")->type_name("NAME");
  return [names, &app] {
    CLI::App* asked = app.get_parent();
    for (const std::string& name : *names) {
      asked = &check_subcommand(*asked, name);
    }
    std::cout << asked->get_formatter()->make_help(asked, typed_name(*asked), CLI::AppFormatMode::Normal);
    return kDone;
  };
}

void say_line(const std::string& line) { std::cerr << line << std::endl; }

}  // namespace fovea
