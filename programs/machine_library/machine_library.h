// SPDX-License-Identifier: Apache-2.0
/// \file
/// Builds a machine's RTL as a library, where Fovea is installed, with the compiler and the Verilator that are there.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

namespace fovea {

/// A program that building needs, and Debian's package of it.
struct BuildTool {
  const char* program;
  const char* package;
};
inline constexpr BuildTool kBuildTools[] = {
    {"verilator", "verilator"}, {"c++", "g++"}, {"cmake", "cmake"}, {"make", "make"}};

/// What to build.
struct MachineLibrary {
  std::filesystem::path machine;  ///< Its file.
  std::string name;               ///< As the file says it.
  std::string variant;            ///< library_variant(): "", "_checked", "_vcd" or "_fst".
};

/// Told how far it is, a line without a newline, each time that it is further; may be empty.
using OnBuild = std::function<void(const std::string& step)>;

/// Builds libfovea_rtl_<name><variant>.so with the project in file_tree().device.
/// \param folder  Where to; there, and empty. Nothing else is left in it.
/// \param build   A folder to build in, which goes once that is done. One that was ended there is gone on with.
/// \param log     A file for all that is said; removed where the build succeeds.
/// \param limit   For each of the two steps.
/// \throws UserError in one line: which programs are missing, what installs them, and what works without; or the cause
/// of a failure and the log's name.
void build_machine_library(const MachineLibrary& library, const std::filesystem::path& folder,
                           const std::filesystem::path& build, const std::filesystem::path& log,
                           const OnBuild& on_build, std::chrono::seconds limit = std::chrono::minutes(30));

}  // namespace fovea
