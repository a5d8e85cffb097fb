// SPDX-License-Identifier: Apache-2.0
/// \file
/// Makes folders of networks, for as long as they are compared.
#include "compare.h"

#include <unistd.h>

#include <sstream>

#include "compile.h"
#include "files/child_process.h"
#include "files/scratch_folder.h"
#include "ir/error.h"
#include "progress_line.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

/// As scripts/build_net compiles it.
void compile_code(const fs::path& model, const fs::path& folder) {
  const std::string sources = FOVEA_SOURCE_FOLDER;
  const auto status = run_child(
      {"cc", "-std=c11", "-O2", "-fPIC", "-shared", "-I" + sources + "/sim", "-I" + sources + "/driver",
       "-I" + sources + "/driver/runtime", (folder / "model.c").string(), "-o", (folder / "model.so").string()},
      folder / "cc.log");
  if (status == 127) {
    user_error(model.string() + ": no C compiler (cc) to compile its code with; install one");
  }
  if (status != 0) {
    user_error(model.string() + ": cc does not compile its code: " + last_line(folder / "cc.log"));
  }
}

/// A network's folder, made here where it is a file.
fs::path folder_of(const CommandLine& line, const CompareSide& side, const fs::path& scratch) {
  if (!fs::is_regular_file(side.path)) {
    return side.path;
  }
  show_progress("compiling " + side.path.string());
  CommandLine compiled = line;
  compiled.command = Command::kCompile;
  compiled.model = side.path;
  compiled.output = scratch;
  compiled.target = side.backend == "cpu" ? "cpu" : "dla";
  std::ostringstream nobody;
  compile(compiled, nobody);
  show_progress("compiling " + side.path.string());
  compile_code(side.path, scratch);
  show_progress("");
  return scratch;
}

}  // namespace

int compare_networks(const CommandLine& line) {
  const CompareOptions& options = line.compare;
  const fs::path program = options.compare_with.empty() ? program_beside("compare") : options.compare_with;
  if (access(program.c_str(), X_OK) != 0) {
    user_error(program.string() + ": no such program; build compare, or name it with --compare-with");
  }
  const ScratchFolder scratch;
  std::vector<std::string> words = {program.string(), folder_of(line, options.a, scratch / "a").string(),
                                    folder_of(line, options.b, scratch / "b").string()};
  const auto add = [&](const std::string& option, const std::string& value) {
    if (!value.empty()) {
      words.insert(words.end(), {option, value});
    }
  };
  add("--label-a", options.a.path.string());
  add("--label-b", options.b.path.string());
  add("--backend-a", options.a.backend);
  add("--backend-b", options.b.backend);
  add("--machine", line.machine.string());
  add("--input", options.input);
  add("--tolerance", options.tolerance);
  if (options.expects_equal) {
    words.emplace_back("--expect-equal");
  }
  return *run_child(std::move(words), "");
}

}  // namespace fovea
