// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds the package and starts it.
#include "python_package.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "files/file_tree.h"
#include "tensor/error.h"

namespace fovea {
namespace {

std::vector<std::string> words_of(const std::string& command, const CLI::App& app) {
  std::vector<std::string> words = {kPython, "-B", "-m", "fovea", command};
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() > 0) {
      const std::string name = option->get_name();
      words.insert(words.end(), name.starts_with("-") ? 1 : 0, name);
      const std::vector<std::string> values = option->results();
      words.insert(words.end(), values.begin(), option->get_items_expected_max() == 0 ? values.begin() : values.end());
    }
  }
  return words;
}

}  // namespace

void become_python(const std::string& command, const CLI::App& app) {
  const std::filesystem::path packages = file_tree().python;
  if (!std::filesystem::exists(kPython) || !std::filesystem::exists(packages / "fovea" / "__init__.py")) {
    user_error(
        command +
        ": Fovea was built without its Python package; make packages_python before the build brings what it needs");
  }
  const char* others = std::getenv("PYTHONPATH");
  setenv("PYTHONPATH", (packages.string() + (others == nullptr ? "" : ":" + std::string(others))).c_str(), 1);
  become(words_of(command, app));
}

void become(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
  throw std::runtime_error(words[0] + ": can't be started");
}

}  // namespace fovea
