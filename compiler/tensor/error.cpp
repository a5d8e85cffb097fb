// SPDX-License-Identifier: Apache-2.0
/// \file
/// Throws the two kinds of errors.
#include "error.h"

#include <filesystem>
#include <new>
#include <set>

namespace fovea {

void user_error(const std::string& message) { throw UserError(shown_text(message)); }

void refuse_all(const std::vector<std::string>& messages) {
  std::set<std::string> seen;
  std::string text;
  for (const std::string& message : messages) {
    if (seen.insert(message).second) {
      text += (text.empty() ? "" : "\n") + shown_text(message);
    }
  }
  if (!text.empty()) {
    throw UserError(text);
  }
}

ExitStatus status_of(const std::exception& error) {
  return dynamic_cast<const UsageError*>(&error) != nullptr ? kUsage : kFailed;
}

std::string failure_text(const std::exception& error) {
  if (dynamic_cast<const UserError*>(&error) != nullptr) {
    return error.what();
  }
  if (const auto* problem = dynamic_cast<const std::filesystem::filesystem_error*>(&error)) {
    return shown_text(problem->path1().string() + ": " + problem->code().message());
  }
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    return "not enough memory";
  }
  return shown_text(error.what());
}

void internal_check(bool condition, const std::string& what) {
  if (!condition) {
    throw InternalError("internal error: " + what);
  }
}

}  // namespace fovea
