// SPDX-License-Identifier: Apache-2.0
/// \file
/// Throws the two kinds of errors.
#include "error.h"

#include <algorithm>

namespace fovea {

void user_error(const std::string& message) {
  std::string line = message;  // Names in a network may hold anything.
  std::replace_if(
      line.begin(), line.end(), [](unsigned char letter) { return letter < ' ' || letter == 0x7f; }, '?');
  throw UserError(line);
}

void internal_check(bool condition, const std::string& what) {
  if (!condition) {
    throw InternalError("internal error: " + what);
  }
}

}  // namespace fovea
