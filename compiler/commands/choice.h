// SPDX-License-Identifier: Apache-2.0
/// \file
/// Options whose values have names.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

#include "spec/join_names.h"

namespace fovea {

/// \throws UsageError: "--rounding flor: unknown; floor|nearest_even work; did you mean floor?".
[[noreturn]] void refuse_choice(const std::string& option, const std::string& typed,
                                const std::vector<std::string>& names);

/// An option of named values. UsageError names them where another is typed.
template <typename T>
CLI::Option* add_choice(CLI::App& app, const std::string& name, T& value, const std::map<std::string, T>& choices,
                        const std::string& description) {
  std::vector<std::string> names;
  for (const auto& choice : choices) {
    names.push_back(choice.first);
  }
  return app
      .add_option_function<std::string>(
          name,
          [&value, choices, name, names](const std::string& text) {
            const auto found = choices.find(text);
            if (found == choices.end()) {
              refuse_choice(name, text, names);
            }
            value = found->second;
          },
          description)
      ->type_name(join_names(names, "|"));
}

/// An option of one of some names.
CLI::Option* add_name_choice(CLI::App& app, const std::string& name, std::string& value,
                             const std::vector<std::string>& names, const std::string& description);

}  // namespace fovea
