// SPDX-License-Identifier: Apache-2.0
/// \file
/// Goes up from the running program.
#include "file_tree.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <stdexcept>

namespace fovea {
namespace {

namespace fs = std::filesystem;

const char in_this_file = 0;

/// The program, or the library that has been loaded into another one, such as Python.
fs::path this_file() {
  Dl_info info;
  link_map* loaded = nullptr;
  const bool is_known = dladdr1(&in_this_file, &info, reinterpret_cast<void**>(&loaded), RTLD_DL_LINKMAP) != 0;
  // The program itself has no name there.
  const bool is_library = is_known && loaded != nullptr && loaded->l_name[0] != '\0';
  return is_library ? fs::canonical(loaded->l_name) : fs::read_symlink("/proc/self/exe");
}

}  // namespace

FileTree file_tree_of(const fs::path& program) {
  for (fs::path folder = program.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
    const fs::path share = folder / "share" / "fovea";
    if (!fs::exists(share)) {
      continue;
    }
    const fs::path sources = share / "checkout";
    return {folder,
            share / "machines",
            share / "models",
            folder / "include" / "fovea",
            folder / "lib" / "fovea",
            share / "device",
            share / "report",
            folder / "lib" / "python3" / "dist-packages",
            fs::exists(sources) ? fs::canonical(sources) : fs::path()};
  }
  throw std::runtime_error(program.string() + ": no share/fovea in a folder above it; install Fovea again");
}

const FileTree& file_tree() {
  static const FileTree found = file_tree_of(this_file());
  return found;
}

std::vector<std::string> include_options() {
  return {"-I" + file_tree().headers.string(), "-I" + (file_tree().headers / "runtime").string()};
}

std::vector<std::string> machine_names() {
  std::vector<std::string> names;
  for (const fs::directory_entry& file : fs::directory_iterator(file_tree().machines)) {
    if (file.path().extension() == ".json") {
      names.push_back(file.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

fs::path machine_file(const std::string& machine) {
  const fs::path shipped = file_tree().machines / (machine + ".json");
  return fs::exists(shipped) ? shipped : fs::path(machine);
}

}  // namespace fovea
