// SPDX-License-Identifier: Apache-2.0
/// \file
/// The table of backends.
#include "backend.h"

#include <fstream>

#include "backend_library.h"
#include "dram_timing.h"
#include "spec/join_names.h"
#include "spec/near_name.h"

namespace fovea {

namespace {

struct BackendRow {
  const char* name;
  std::unique_ptr<Backend> (*open)(const std::string& name, const BackendOptions& options);
  const char* waves;
  const char* title;
};

constexpr BackendRow kBackends[] = {
#define FOVEA_BACKEND(name, libraries, waves, title, choice) {#name, open_##libraries, waves, title},
#include "backends.def"
#undef FOVEA_BACKEND
};

/// Whether a row's waves can be of this format: ".vcd".
bool writes_waves(const BackendRow& row, const std::string& extension) {
  return !extension.empty() &&
         (" " + std::string(row.waves) + " ").find(" " + extension.substr(1) + " ") != std::string::npos;
}

/// \throws BackendError for waves of a format that the row has not.
void check_wave_format(const BackendRow& row, const std::filesystem::path& path) {
  const std::string formats = row.waves;
  if (path.empty() || writes_waves(row, path.extension().string())) {
    return;
  }
  if (formats.find(' ') != std::string::npos) {
    throw BackendError(path.string() + ": the extension chooses the format of waves: .vcd or .fst");
  }
  throw BackendError(path.string() + ": " + row.title +
                     (formats.empty() ? " writes no waves" : " writes ." + formats + " only") +
                     (formats == "vcd" ? "; vcd2fst makes .fst of it" : ""));
}

/// \throws BackendError for a device that takes nothing, such as a link to /dev/full: the writers of waves don't
/// notice.
void check_wave_device(const std::filesystem::path& path) {
  std::error_code none;
  if (std::filesystem::is_character_file(path, none) && !(std::ofstream(path) << "\n" << std::flush)) {
    throw BackendError(path.string() + ": cannot be written; name a file on a disk with room");
  }
}

}  // namespace

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for (const BackendRow& row : kBackends) {
    names.push_back(row.name);
  }
  return names;
}

std::vector<std::string> backends_with_waves(const std::string& extension) {
  std::vector<std::string> names;
  for (const BackendRow& row : kBackends) {
    if (writes_waves(row, extension)) {
      names.push_back(row.name);
    }
  }
  return names;
}

std::unique_ptr<Backend> open_backend(const std::string& name, const BackendOptions& options) {
  for (const BackendRow& row : kBackends) {
    if (name != row.name) {
      continue;
    }
    try {
      memory_of(options.machine, options.dram);
    } catch (const std::invalid_argument& error) {
      throw BackendError(error.what());
    }
    check_wave_format(row, options.waves.path);
    check_wave_device(options.waves.path);
    return row.open(name, options);
  }
  throw BackendError("no backend '" + name + "'; known: " + join_names(backend_names(), ", ") +
                     did_you_mean(name, backend_names()));
}

}  // namespace fovea
