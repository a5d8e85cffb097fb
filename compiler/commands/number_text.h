// SPDX-License-Identifier: Apache-2.0
/// \file
/// Numbers and tables as a person reads them.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

/// 1234567 as "1,234,567".
std::string with_commas(std::uint64_t number);

/// With this many digits behind the point.
std::string with_digits(double number, int digits);

/// Prints rows of equally many cells in columns as wide as their widest cell.
/// \param left  Of each column in turn, 'l' where it is left-aligned; right where it is not.
void print_columns(const std::vector<std::vector<std::string>>& rows, std::ostream& out, std::string_view left = "");

}  // namespace fovea
