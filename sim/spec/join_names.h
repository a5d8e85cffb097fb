// SPDX-License-Identifier: Apache-2.0
/// \file
/// Names in a row, for a message.
#pragma once

#include <string>
#include <vector>

namespace fovea {

/// "rtl or systemc", with " or " between them.
inline std::string join_names(const std::vector<std::string>& names, const std::string& between) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : between) + name;
  }
  return text;
}

}  // namespace fovea
