// SPDX-License-Identifier: Apache-2.0
/// \file
/// The ways to fail: what was read is at fault (UserError), the call (UsageError), or the compiler (InternalError).
#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "spec/shown_text.h"

namespace fovea {

/// The input can't be compiled. what() is a line for each thing in the way: the thing, the place, what would work.
class UserError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The call makes no sense, whatever the files hold. what() names the argument and what would work.
class UsageError : public std::runtime_error {
 public:
  explicit UsageError(const std::string& text) : std::runtime_error(shown_text(text)) {}
};

/// A promise of the compiler to itself is broken; never the user's fault.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Throws UserError. `message` names node, problem and what would work: "Conv_3: auto_pad=VALID is not supported; ...".
/// It is said as shown_text().
[[noreturn]] void user_error(const std::string& message);

/// Throws UserError with a line for each of the messages that differ; does nothing where there is none.
void refuse_all(const std::vector<std::string>& messages);

/// How programs end. kFailed: the answer is no, what was read can't be used, or it could not be done.
enum ExitStatus { kDone = 0, kFailed = 1, kUsage = 2 };

/// kUsage for UsageError, kFailed for all else.
ExitStatus status_of(const std::exception& error);

/// The lines that a program ends with, whatever was thrown: those of the error, or what an exception of a library
/// means.
std::string failure_text(const std::exception& error);

/// Throws InternalError with `what` where `condition` does not hold.
void internal_check(bool condition, const std::string& what);

}  // namespace fovea
