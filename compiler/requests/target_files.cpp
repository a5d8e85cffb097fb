// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compiles a user's C files.
#include "target_files.h"

#include <algorithm>
#include <map>

#include "extern_files.h"
#include "files/child_process.h"
#include "files/file_tree.h"
#include "files/output_folder.h"
#include "files/scratch_folder.h"
#include "tensor/error.h"

namespace fovea {
namespace {

void check_target(const NamedTarget& target, const std::string& compiler) {
  const std::map<std::string, std::string> files = target.target->files();
  const ScratchFolder scratch;
  for (const auto& [name, text] : files) {
    write_file(scratch / name, text);
  }
  for (const auto& [name, text] : files) {
    if (!name.ends_with(".c")) {
      continue;
    }
    std::vector<std::string> words = {compiler, "-std=c11", "-fsyntax-only"};
    for (const std::string& option : include_options()) {
      words.push_back(option);
    }
    words.push_back((scratch / name).string());
    if (run_child(words, scratch / "log") != 0) {
      user_error("target " + target.name + ": " + first_error(scratch / "log"));
    }
  }
}

}  // namespace

void check_files(const std::vector<NamedTarget>& targets, const std::string& compiler) {
  if (compiler.empty() || find_program(compiler).empty()) {
    return;
  }
  std::ranges::for_each(targets, [&](const NamedTarget& target) { check_target(target, compiler); });
}

}  // namespace fovea
