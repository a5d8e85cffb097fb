// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compiles twice: a network to C, and that to a shared object.
#include "build_network.h"

#include "compile.h"
#include "extern_files.h"
#include "files/child_process.h"
#include "files/file_tree.h"
#include "files/made_files.h"
#include "files/output_folder.h"
#include "files/read_file.h"
#include "files/scratch_folder.h"
#include "progress_line.h"
#include "tensor/error.h"

namespace fovea {
namespace fs = std::filesystem;

void compile_code(const fs::path& model, const fs::path& folder) {
  std::vector<std::string> words = {
      "cc", "-std=c11", "-O2", "-fPIC", "-shared", "-Werror=implicit-function-declaration", FOVEA_HARDENED_FLAGS};
  for (const std::string& option : include_options()) {
    words.push_back(option);
  }
  OutputFolder files(folder);
  for (const fs::path& word : {folder / "model.c", fs::path("-o"), files.reserve("model.so")}) {
    words.push_back(word.string());
  }
  const std::vector<fs::path> externs = find_extern_files(folder);
  for (const fs::path& file : externs) {
    words.push_back(file.string());
  }
  if (!externs.empty()) {  // Whose functions may call it.
    words.emplace_back("-lm");
  }
  const ScratchFolder scratch;
  std::vector<std::string> threaded = words;
  // Threads wait in the code between runs, so that it is never unloaded.
  threaded.insert(threaded.end(), {"-fopenmp", "-Wl,-z,nodelete"});
  const bool has_threads = read_file(folder / "model.c", "its code").find("#pragma omp") != std::string::npos;
  const bool is_threaded = has_threads && run_child(threaded, scratch / "log") == 0;
  const auto status = is_threaded ? 0 : run_child(words, scratch / "log");  // Perhaps it has no OpenMP.
  if (status == 127) {
    user_error(model.string() + ": no C compiler (cc) to compile its code with; install one");
  }
  if (status != 0) {
    user_error(model.string() + ": cc does not compile its code: " + first_error(scratch / "log"));
  }
  files.commit();
}

namespace {

/// Files of a compiled network, all of them or none.
void copy_files(const fs::path& from, const fs::path& to) {
  OutputFolder files(to);
  for (const fs::directory_entry& file : fs::directory_iterator(from)) {
    if (const std::string name = file.path().filename().string(); name != kMadeFiles) {
      files.add(name, read_file(file.path(), "a file of a compiled network"));
    }
  }
  files.commit();
}

}  // namespace

fs::path build_network(const NetworkRequest& network, const fs::path& folder) {
  const fs::path& model = network.model;
  check_exists(model);
  if (fs::is_directory(model)) {
    return model;
  }
  show_progress("compiling " + model.string());
  CompileRequest request;
  request.network = network;
  const ScratchFolder scratch;
  const bool has_own_code = !network.targets.empty();  // That C refuses perhaps: nothing is left of it then.
  request.output = has_own_code ? scratch / "net" : folder;
  compile(request);
  show_progress("compiling " + model.string());
  compile_code(model, request.output);
  show_progress("");
  if (has_own_code) {
    copy_files(request.output, folder);
  }
  return folder;
}

}  // namespace fovea
