// SPDX-License-Identifier: Apache-2.0
/// \file
/// Numbers and tables as a person reads them.
#ifndef FOVEA_COMPILER_NUMBER_TEXT_H_
#define FOVEA_COMPILER_NUMBER_TEXT_H_

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace fovea {

/// 1234567 as "1,234,567".
std::string with_commas(std::uint64_t number);

/// With this many digits behind the point.
std::string with_digits(double number, int digits);

/// Prints rows of equally many cells, right-aligned, in columns as wide as their widest cell.
void print_columns(const std::vector<std::vector<std::string>>& rows, std::ostream& out);

}  // namespace fovea

#endif  // FOVEA_COMPILER_NUMBER_TEXT_H_
