// SPDX-License-Identifier: Apache-2.0
/// \file
/// The option that says what a network runs on.
#include "backend_option.h"

#include <vector>

#include "commands/choice.h"
#include "common/backend.h"

namespace fovea {

void add_backend_option(CLI::App& app, const std::string& name, std::string& backend, const std::string& description) {
  std::vector<std::string> places = backend_names();
  places.emplace_back("cpu");
  add_name_choice(app, name, backend, places, description + " (default: " + backend + ")");
}

}  // namespace fovea
