// SPDX-License-Identifier: Apache-2.0
/// \file
/// Starts Debian's Python.
#include "report_scripts.h"

#include <chrono>
#include <stdexcept>

#include "files/child_process.h"
#include "files/file_tree.h"
#include "files/scratch_folder.h"
#include "spec/join_names.h"
#include "tensor/error.h"

namespace fovea {
namespace {

constexpr std::chrono::minutes kLongestDrawing{10};

/// A word as bash takes it.
std::string quoted(const std::string& word) {
  if (!word.empty() &&
      word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=,:%+-") ==
          std::string::npos) {
    return word;
  }
  std::string text = "'";
  for (const char c : word) {
    text += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return text + "'";
}

}  // namespace

std::vector<std::string> script_words(const std::string& name, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {kPython, "-B", (file_tree().report / name).string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

void run_script(const std::string& name, const std::vector<std::string>& arguments) {
  const ScratchFolder scratch;
  const auto status = run_child(script_words(name, arguments), scratch / "log", kLongestDrawing);
  if (status == 0) {
    return;
  }
  const std::string said = status ? last_line(scratch / "log") : "has not ended in 10 minutes";
  if (status == 127 || said.starts_with("ModuleNotFoundError")) {
    user_error(
        "a report is drawn by Debian's Python; as root: apt-get install --no-install-recommends python3 "
        "python3-jinja2");
  }
  if (status == 2) {
    user_error(said);
  }
  throw std::runtime_error(name + ": " + said);
}

std::string command_of(const std::string& subcommand, const CLI::App& app) {
  std::string text = "fovea " + subcommand;
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() == 0 || option->results().front() == option->get_default_str()) {
      continue;
    }
    const std::string name = option->get_name();
    text += name.starts_with("-") ? " " + name : "";
    const bool has_many = option->get_expected_max() > 1;
    text += option->get_items_expected_max() == 0 ? ""
            : has_many                            ? " " + quoted(join_names(option->results(), ","))
                                                  : " " + quoted(option->results().front());
  }
  return text;
}

}  // namespace fovea
