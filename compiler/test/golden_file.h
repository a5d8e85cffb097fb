// SPDX-License-Identifier: Apache-2.0
/// \file
/// A golden text: a command, a comment, an input and the output that it must give, in one file.
///
///     // RUN: foveac --stop-after=fold-constants %s
///     // What the file shows.
///     fn (%x: ...) { ... }
///     // ---- expected
///     ...
///
/// %s stands for a file with the input. What the command prints, on both streams, is compared; behind it stands
/// "// exit <status>" where that is not 0.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace fovea {

struct GoldenFile {
  std::filesystem::path path;
  std::string arguments;  ///< Behind "foveac".
  std::string given;      ///< The file up to "// ---- expected", that line included.
  std::string expected;
};

/// Golden texts below a folder, in order of name.
std::vector<std::filesystem::path> list_golden_files(const std::filesystem::path& folder);

/// Reads a golden text. \throws std::runtime_error where RUN or expected is missing.
GoldenFile read_golden_file(const std::filesystem::path& path);

/// Runs the command in a folder of its own and returns what it printed.
std::string run_golden_file(const GoldenFile& file, const std::filesystem::path& foveac,
                            const std::filesystem::path& folder);

/// Replaces the expected part.
void rebase_golden_file(const GoldenFile& file, const std::string& expected);

}  // namespace fovea
