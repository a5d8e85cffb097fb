// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs CMake twice, and counts what the compiler has made.
#include "machine_library.h"

#include <string_view>
#include <system_error>
#include <vector>

#include "build_step.h"
#include "files/child_process.h"
#include "files/file_tree.h"
#include "ir/error.h"

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

}  // namespace

void build_machine_library(const MachineLibrary& library, const fs::path& folder, const fs::path& log,
                           const OnBuild& on_build, std::chrono::seconds limit) {
  const std::string target = "fovea_rtl_" + library.name + library.variant;
  const std::string what = "the RTL of " + library.name;
  check_tools(what);
  const fs::path build = folder / "build";
  std::vector<std::string> configure = {"cmake",
                                        "-S",
                                        file_tree().device.string(),
                                        "-B",
                                        build.string(),
                                        "-DMACHINE=" + fs::canonical(library.machine).string(),
                                        "-DVARIANT=" + library.variant,
                                        "-G",
                                        find_program("ninja").empty() ? "Unix Makefiles" : "Ninja"};
  std::string said;
  const auto say = [&] {
    const std::string step = step_in(build / (library.name + library.variant), what);
    if (on_build && step != said) {
      on_build(step);
      said = step;
    }
  };
  run_build_step(configure, log, what, limit, say);
  run_build_step({"cmake", "--build", build.string()}, log, what, limit, say);
  const std::string file = "lib" + target + ".so";
  fs::rename(build / "lib" / "fovea" / file, folder / file);
  fs::remove_all(build);
  fs::remove(log);
}

}  // namespace fovea
