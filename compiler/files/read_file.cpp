// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads in pieces, and looks around.
#include "read_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include "file_tree.h"
#include "spec/near_name.h"
#include "tensor/error.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& path, const std::string& why) {
  throw UserError(shown_text(path.string() + ": " + why));
}

/// The network whose extension was left out, else what is near; "" where nothing is.
std::string find_meant(const std::string& typed, const fs::path& folder, std::string_view extension) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator file(folder, error), end; !error && file != end; file.increment(error)) {
    if (extension.empty() || file->path().extension() == extension) {
      names.push_back(file->path().filename().string());
    }
  }
  if (std::find(names.begin(), names.end(), typed + ".onnx") != names.end()) {
    return typed + ".onnx";
  }
  std::sort(names.begin(), names.end());
  const std::string* near = near_name(typed, names);
  return near == nullptr ? "" : *near;
}

/// As a path that is short to type.
fs::path shortened(const fs::path& path) {
  const fs::path relative = path.lexically_relative(fs::current_path());
  return relative.empty() || *relative.begin() == ".." ? path : relative;
}

}  // namespace

std::string read_file(const fs::path& path, std::string_view expected, std::size_t most) {
  constexpr std::size_t kPiece = 1 << 20;
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    refuse(path, errno == ENOENT ? "no such file" + did_you_mean_file(path)
                                 : std::string("can't be opened: ") + std::strerror(errno));
  }
  if (fs::is_directory(path)) {
    refuse(path, "is a folder; give " + std::string(expected));
  }
  std::string bytes;
  for (std::size_t size = 0; file; bytes.resize(size)) {
    bytes.resize(size + kPiece);
    size += static_cast<std::size_t>(file.read(bytes.data() + size, kPiece).gcount());
    if (size > most) {
      refuse(path, "has more than " + std::to_string(most) + " bytes; give " + std::string(expected));
    }
  }
  return bytes;
}

std::string did_you_mean_file(const fs::path& path) {
  const fs::path beside = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const std::pair<fs::path, const char*> folders[] = {{beside, ""}, {file_tree().models, ".onnx"}};
  for (const auto& [folder, extension] : folders) {
    if (const std::string meant = find_meant(path.filename().string(), folder, extension); !meant.empty()) {
      return "; did you mean " + shortened((folder / meant).lexically_normal()).string() + "?";
    }
  }
  return "";
}

void check_exists(const fs::path& path) {
  if (!fs::exists(path)) {
    refuse(path, "no such file or folder" + did_you_mean_file(path));
  }
}

}  // namespace fovea
