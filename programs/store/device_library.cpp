// SPDX-License-Identifier: Apache-2.0
/// \file
/// Two ways to a machine's library: the build folder's CMake, or the small project that is installed.
#include "device_library.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "common/backend_library.h"
#include "files/digest.h"
#include "files/file_tree.h"
#include "files/scratch_folder.h"
#include "machine_library/build_step.h"
#include "machine_library/machine_library.h"
#include "tensor/error.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream words(text);
  for (std::string part; std::getline(words, part, separator);) {
    parts.push_back(part);
  }
  return parts;
}

/// A line of CMakeCache.txt: "NAME:TYPE=value"; "" where there is none.
std::string cached(const fs::path& build, const std::string& name) {
  std::ifstream file(build / "CMakeCache.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(name + ":")) {
      return line.substr(line.find('=') + 1);
    }
  }
  return "";
}

bool are_equal(const fs::path& a, const fs::path& b) {
  if (!fs::exists(a) || !fs::exists(b)) {
    return false;
  }
  Digest first, second;
  first.add_file(a);
  second.add_file(b);
  return first.text() == second.text();
}

/// A machine file's name for itself; "" where it can't be read.
std::string name_in(const fs::path& machine) {
  std::ifstream file(machine);
  const nlohmann::json json = nlohmann::json::parse(file, nullptr, false);
  const auto name = json.find("name");
  return name != json.end() && name->is_string() ? name->get<std::string>() : "";
}

/// The machines that a build folder makes libraries for, with this one. (CMake drops those whose files are gone.)
/// \throws UserError where its name is another's: libraries are found by name.
std::string machines_with(const fs::path& build, const fs::path& machine) {
  std::string list = cached(build, "FOVEA_MACHINES");
  std::vector<fs::path> files;
  for (const std::string& name : split(list, ';')) {
    files.push_back(name.ends_with(".json") ? fs::path(name) : file_tree().machines / (name + ".json"));
  }
  const std::string name = name_in(machine);
  for (const fs::path& file : files) {
    std::error_code error;
    if (fs::equivalent(file, machine, error) || are_equal(file, machine)) {
      return list;
    }
    if (name_in(file) == name) {
      user_error(machine.string() + ": its name, " + name + ", is that of " + fs::weakly_canonical(file).string() +
                 "; give it another");
    }
  }
  return list + ";" + fs::canonical(machine).string();
}

/// Builds a target of the build folder that the program is in.
void build_in_checkout(const std::string& target, const fs::path& machine, const Say& say) {
  const fs::path& build = file_tree().root;
  const fs::path log = build / (target + ".log");
  run_alone(build / ".devices.lock", "builds in " + build.filename().string(), say, [&] {
    const std::string machines = machines_with(build, machine);
    if (machines != cached(build, "FOVEA_MACHINES")) {
      run_build_step({"cmake", "-DFOVEA_MACHINES=" + machines, build.string()}, log, target, kLongestBuild);
    }
    if (!fs::exists(file_tree().libraries / ("lib" + target + ".so")) && say) {
      say("building " + target + ", which takes minutes");
    }
    run_build_step({"ninja", "-C", build.string(), target}, log, target, kLongestBuild);
  });
}

/// Refuses a file that says another machine than it did when it was read. \param name  What the message calls it.
void check_machine_is(const fs::path& file, const MachineFile& machine, const fs::path& name) {
  const MachineFile now = read_machine(file);
  if (now.name != machine.name || std::string(now.dram.name) != machine.dram.name ||
      timing_fields(now) != timing_fields(machine)) {
    user_error(name.string() + ": has changed since it was read; run it again");
  }
}

bool has_own_library(const std::string& backend) {
  constexpr std::pair<const char*, const char*> kLibraries[] = {
#define FOVEA_BACKEND(name, libraries, waves, title, choice) {#name, #libraries},
#include "common/backends.def"
#undef FOVEA_BACKEND
  };
  for (const auto& [name, libraries] : kLibraries) {
    if (backend == name) {
      return std::string(libraries) == "machine_library";
    }
  }
  return false;
}

}  // namespace

fs::path device_library_folder(const std::string& backend, const fs::path& machine, const BackendOptions& options,
                               const Say& say) {
  const FileTree& tree = file_tree();
  std::string target = "fovea_" + backend, variant;
  if (has_own_library(backend)) {
    variant = library_variant(options);
    target += "_" + options.machine.name + variant;
  } else if (fs::exists(tree.libraries / ("lib" + target + ".so"))) {
    return tree.libraries;
  }
  if (!tree.checkout.empty()) {
    build_in_checkout(target, machine, say);
    check_machine_is(machine, options.machine, machine);
    return tree.libraries;
  }
  const bool ships = are_equal(machine, tree.machines / (options.machine.name + ".json"));
  if (!has_own_library(backend) || (ships && fs::exists(tree.libraries / ("lib" + target + ".so")))) {
    return tree.libraries;
  }
  const ScratchFolder copies;
  const fs::path copy = copies / machine.filename();
  if (std::error_code error; !fs::copy_file(machine, copy, error)) {
    user_error(machine.string() + ": can't be read (" + error.message() + ")");
  }
  check_machine_is(copy, options.machine, machine);
  Digest digest;
  digest.add_this_program();
  digest.add_file(copy);
  digest.add_program("verilator");
  digest.add_program("c++");
  const std::string name = target + "-" + digest.text();
  return find_or_make(
      "devices", name,
      [&](const fs::path& scratch) {
        const fs::path devices = cache_folder() / "devices";
        build_machine_library({copy, options.machine.name, variant}, scratch, devices / ("." + name + ".build"),
                              devices / (name + ".log"), say);
      },
      say);
}

}  // namespace fovea
