// SPDX-License-Identifier: Apache-2.0
/// \file
/// Throws the two kinds of errors.
#include "error.h"

namespace fovea {

void user_error(const std::string& message) { throw UserError(message); }

void internal_check(bool condition, const std::string& what) {
  if (!condition) {
    throw InternalError("internal error: " + what);
  }
}

}  // namespace fovea
