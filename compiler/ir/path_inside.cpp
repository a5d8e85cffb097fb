// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compares where the folder and the file really are.
#include "path_inside.h"

namespace fovea {

namespace fs = std::filesystem;

std::optional<fs::path> path_inside(const fs::path& folder, const std::string& name) {
  std::error_code no_folder, no_file;
  const fs::path inside = fs::canonical(folder / ".", no_folder);
  const fs::path path = fs::weakly_canonical(inside / name, no_file);
  const fs::path way = path.lexically_relative(inside);
  const bool leads_out = name.empty() || fs::path(name).is_absolute() || way.empty() || *way.begin() == "..";
  return no_folder || no_file || leads_out ? std::nullopt : std::optional(path);
}

}  // namespace fovea
