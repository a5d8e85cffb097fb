// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs CMake and Ninja, and counts what the compiler has made.
#include "machine_library.h"

#include <sys/stat.h>

#include <string_view>
#include <system_error>
#include <vector>

#include "build_step.h"
#include "files/child_process.h"
#include "files/file_tree.h"
#include "tensor/error.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

void check_tools(const std::string& what) {
  std::string programs, packages;
  for (const auto& [program, package] : kBuildTools) {
    if (find_program(program).empty()) {
      programs += (programs.empty() ? "" : ", ") + std::string(program);
      packages += std::string(" ") + package;
    }
  }
  if (!programs.empty()) {
    user_error(what + ": to build it, " + programs + " would have to be here; apt-get install" + packages +
               ", or take --backend systemc, which needs no building");
  }
}

/// How many files of a folder have this extension.
std::size_t count_files(const fs::path& folder, std::string_view extension) {
  std::size_t count = 0;
  std::error_code error;
  for (fs::directory_iterator file(folder, error), end; !error && file != end; file.increment(error)) {
    count += file->path().extension() == extension ? 1 : 0;
  }
  return count;
}

/// Verilator writes its makefile last, behind the sources.
std::string step_in(const fs::path& verilated, const std::string& what) {
  if (!fs::exists(verilated / "Vdla.mk")) {
    return what + ": Verilator reads the RTL";
  }
  return what + ": " + std::to_string(count_files(verilated, ".o")) + " of " +
         std::to_string(count_files(verilated, ".cpp")) + " files of it are compiled";
}

/// Makes a folder that is ours alone, and in it a copy, whose path and time are the same when the build goes on.
fs::path copy_machine(const fs::path& machine, const fs::path& build) {
  fs::path copy = build / "machine.json";
  mkdir(build.c_str(), 0700);
  if (!fs::exists(copy)) {
    fs::copy_file(machine, build / "machine.part", fs::copy_options::overwrite_existing);
    fs::rename(build / "machine.part", copy);
  }
  return copy;
}

}  // namespace

void build_machine_library(const MachineLibrary& library, const fs::path& folder, const fs::path& build,
                           const fs::path& log, const OnBuild& on_build, std::chrono::seconds limit) {
  const std::string target = "fovea_rtl_" + library.name + library.variant;
  const std::string what = "the RTL of " + library.name;
  check_tools(what);
  const bool has_ninja = !find_program("ninja").empty();
  if (!has_ninja) {
    fs::remove_all(build);  // Make takes the half of a file for the whole.
  }
  std::string said;
  const auto say = [&] {
    const std::string step = step_in(build / (library.name + library.variant), what);
    if (on_build && step != said) {
      on_build(step);
      said = step;
    }
  };
  const auto run_steps = [&] {
    const fs::path machine = copy_machine(library.machine, build);
    run_build_step({"cmake", "-S", file_tree().device.string(), "-B", build.string(), "-DMACHINE=" + machine.string(),
                    "-DVARIANT=" + library.variant, "-G", has_ninja ? "Ninja" : "Unix Makefiles"},
                   log, what, limit, say);
    // Not by cmake --build, which would not tell them where it is asked to end.
    run_build_step({has_ninja ? "ninja" : "make", "-C", build.string()}, log, what, limit, say);
  };
  for (bool was_begun = fs::exists(build), is_built = false; !is_built; was_begun = false) {
    try {
      run_steps();
      is_built = true;
    } catch (const BuildInterrupted&) {
      throw;
    } catch (const UserError&) {
      fs::remove_all(build);
      if (!was_begun) {  // Else it may have been what was left there.
        throw;
      }
    }
  }
  const std::string file = "lib" + target + ".so";
  fs::rename(build / "lib" / "fovea" / file, folder / file);
  fs::remove_all(build);
  fs::remove(log);
}

}  // namespace fovea
