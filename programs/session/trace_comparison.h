// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where the transactions of two runs part.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

namespace fovea {

/// Texts of transactions (common/transaction_text.h), an event a line.
using Traces = std::array<std::filesystem::path, 2>;

struct TraceComparison {
  bool are_equal = false;
  std::uint64_t events = 0;                      ///< That are equal, from the first on.
  std::uint64_t cycles = 0;                      ///< Of the layers that start and end in these, in sum.
  std::vector<std::string> before;               ///< The last of these, up to 5.
  std::array<std::vector<std::string>, 2> rest;  ///< What follows in each, up to 5; none where it ends there.
};

/// Compares event by event. \throws UserError that names a file which can't be read.
TraceComparison compare_traces(const Traces& traces);

/// For a person: a line that says how long they are, or the first events that are not equal.
void print_traces(std::ostream& out, const Traces& traces, const TraceComparison& comparison);

/// All of it as one JSON document.
void print_traces_json(std::ostream& out, const Traces& traces, const TraceComparison& comparison);

}  // namespace fovea
