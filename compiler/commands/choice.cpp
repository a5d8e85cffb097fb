// SPDX-License-Identifier: Apache-2.0
/// \file
/// What is said of a value that no choice has, and choices that are their own names.
#include "choice.h"

#include "spec/join_names.h"
#include "spec/near_name.h"
#include "tensor/error.h"

namespace fovea {

void refuse_choice(const std::string& option, const std::string& typed, const std::vector<std::string>& names) {
  throw UsageError(option + " " + typed + ": unknown; " + join_names(names, "|") + " work" +
                   did_you_mean(typed, names));
}

CLI::Option* add_name_choice(CLI::App& app, const std::string& name, std::string& value,
                             const std::vector<std::string>& names, const std::string& description) {
  std::map<std::string, std::string> choices;
  for (const std::string& each : names) {
    choices.emplace(each, each);
  }
  return add_choice<std::string>(app, name, value, choices, description);
}

}  // namespace fovea
