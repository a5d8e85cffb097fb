// SPDX-License-Identifier: Apache-2.0
/// \file
/// Files that are read whole, and what is said of one that is not there.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace fovea {

/// As long as what protobuf reads.
inline constexpr std::size_t kMostFileBytes = 0x7fffffff;

/// All bytes of a file, or of a pipe. \param expected  "an ONNX file". \throws UserError where it is not there, is a
/// folder, can't be read, or goes on behind `most` bytes, as a device may for ever.
std::string read_file(const std::filesystem::path& path, std::string_view expected, std::size_t most = kMostFileBytes);

/// "; did you mean net.onnx?" for a path that leads to nothing, where a name beside it or a network that ships is near;
/// else "".
std::string did_you_mean_file(const std::filesystem::path& path);

/// \throws UserError where neither a file nor a folder is there.
void check_exists(const std::filesystem::path& path);

}  // namespace fovea
