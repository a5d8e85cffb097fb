// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compiles a user's C files.
#include "target_files.h"

#include <algorithm>
#include <map>

#include "extern_files.h"
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
    if (const std::string error = compile_error(scratch / name, compiler); !error.empty()) {
      user_error("target " + target.name + ": " + error);
    }
  }
}

}  // namespace

void check_files(const std::vector<NamedTarget>& targets, const std::string& compiler) {
  std::ranges::for_each(targets, [&](const NamedTarget& target) { check_target(target, compiler); });
}

}  // namespace fovea
