// SPDX-License-Identifier: Apache-2.0
/// \file
/// Chooses passes by level and name.
#include "pass_context.h"

#include <algorithm>

namespace fovea {

bool PassContext::runs(const PassInfo& pass) const {
  const auto has = [&](const std::vector<std::string>& names) { return std::ranges::count(names, pass.name) != 0; };
  return !has(disabled) && (pass.level <= level || has(required));
}

std::string PassContext::choice() const {
  std::string text = level == kMostLevel ? "" : "level " + std::to_string(level);
  for (const std::string& name : required) {
    text += " with " + name;
  }
  for (const std::string& name : disabled) {
    text += " without " + name;
  }
  return text;
}

}  // namespace fovea
