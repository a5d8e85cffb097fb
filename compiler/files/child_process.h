// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs other programs.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace fovea {

/// Runs a program and waits for it, no longer than `limit` where there is one; then it is ended. Where we are ended, it
/// is asked to end too.
/// \param words  The program, a path or a name that PATH knows, and its arguments.
/// \param log    Where what it prints goes; empty: where what we print goes.
/// \param while_running  Called ten times a second until it has ended; may be empty.
/// \return its exit status, 127 where it can't be started, or -1 where a signal ended it; nothing where it took too
/// long.
std::optional<int> run_child(std::vector<std::string> words, const std::filesystem::path& log,
                             std::optional<std::chrono::seconds> limit = std::nullopt,
                             const std::function<void()>& while_running = {});

/// The program that PATH knows by this name; empty where there is none.
std::filesystem::path find_program(const std::string& name);

/// The last line of a log that says something; "" where none does.
std::string last_line(const std::filesystem::path& log);

}  // namespace fovea
