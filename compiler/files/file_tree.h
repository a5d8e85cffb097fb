// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where the files that the programs need when they run lie: machines, headers, models, libraries.
///
/// An installed tree and a build folder have the same form, so there is one rule for both, and no path is compiled in:
/// the root is the nearest folder above the program, or above the library that this is linked to, which has a
/// share/fovea. In a build folder it is made of links to the sources (cmake/FoveaFileTree.cmake).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace fovea {

/// Absolute paths; they need not exist in a tree where something was left out.
struct FileTree {
  std::filesystem::path root;       ///< What was given as PREFIX, or the build folder.
  std::filesystem::path machines;   ///< <name>.json of each machine that ships.
  std::filesystem::path models;     ///< Networks, and samples/ with the drawn pictures.
  std::filesystem::path headers;    ///< include_options() are in it.
  std::filesystem::path libraries;  ///< libfovea_<backend>.so, libfovea_rtl_<machine>.so.
  std::filesystem::path device;     ///< The CMake project that builds a machine's library.
  std::filesystem::path report;     ///< The Python that draws reports.
  std::filesystem::path python;     ///< The folder that Python imports `fovea` from.
  std::filesystem::path checkout;   ///< The sources that the build folder is of; empty where this is installed.
};

/// Those of the running program. \throws std::runtime_error where no folder above it has a share/fovea.
const FileTree& file_tree();

/// Those of a program of this file. \throws as file_tree().
FileTree file_tree_of(const std::filesystem::path& program);

/// What emitted C is compiled with: -I and a folder each.
std::vector<std::string> include_options();

/// Of the machines that ship, in their order.
std::vector<std::string> machine_names();

/// A machine's name among those that ship, or a file: `machine` itself where there is none of that name.
std::filesystem::path machine_file(const std::string& machine);

}  // namespace fovea
