// SPDX-License-Identifier: Apache-2.0
/// \file
/// Throws the two kinds of errors.
#include "error.h"

#include <algorithm>
#include <set>

namespace fovea {

std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char letter) { return letter < ' ' || letter == 0x7f; }, '?');
  return text;
}

void user_error(const std::string& message) { throw UserError(one_line(message)); }

void refuse_all(const std::vector<std::string>& messages) {
  std::set<std::string> seen;
  std::string text;
  for (const std::string& message : messages) {
    if (seen.insert(message).second) {
      text += (text.empty() ? "" : "\n") + one_line(message);
    }
  }
  if (!text.empty()) {
    throw UserError(text);
  }
}

void internal_check(bool condition, const std::string& what) {
  if (!condition) {
    throw InternalError("internal error: " + what);
  }
}

}  // namespace fovea
