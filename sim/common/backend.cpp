// SPDX-License-Identifier: Apache-2.0
/// \file
/// The table of backends.
#include "backend.h"

#include "backend_library.h"
#include "dram_timing.h"

namespace fovea {

namespace {

struct BackendRow {
  const char* name;
  std::unique_ptr<Backend> (*open)(const std::string& name, const BackendOptions& options);
};

constexpr BackendRow kBackends[] = {
    {"rtl", open_backend_library},
    {"systemc", open_common_library},
};

std::string join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

}  // namespace

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for (const BackendRow& row : kBackends) {
    names.push_back(row.name);
  }
  return names;
}

std::unique_ptr<Backend> open_backend(const std::string& name, const BackendOptions& options) {
  for (const BackendRow& row : kBackends) {
    if (name != row.name) {
      continue;
    }
    try {
      dram_preset(options.dram);
    } catch (const std::invalid_argument& error) {
      throw BackendError(error.what());
    }
    return row.open(name, options);
  }
  throw BackendError("no backend '" + name + "'; known: " + join(backend_names()));
}

}  // namespace fovea
