// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where the files are that a network's own names.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace fovea {

/// The path of `name` in a folder, all links followed; the file need not be there. Nothing where the name is empty or
/// absolute, or leads out of the folder: a network says which files are read, but only of those that came with it.
std::optional<std::filesystem::path> path_inside(const std::filesystem::path& folder, const std::string& name);

}  // namespace fovea
