// SPDX-License-Identifier: Apache-2.0
/// \file
/// Numbers and tables as a person reads them.
#include "number_text.h"

#include <algorithm>
#include <iomanip>
#include <ostream>
#include <sstream>

namespace fovea {

std::string with_commas(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t place = text.size(); place > 3; place -= 3) {
    text.insert(place - 3, ",");
  }
  return text;
}

std::string with_digits(double number, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << number;
  return text.str();
}

void print_columns(const std::vector<std::vector<std::string>>& rows, std::ostream& out, std::string_view left) {
  std::vector<std::size_t> widths(rows.empty() ? 0 : rows[0].size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths.at(i) = std::max(widths[i], row[i].size());
    }
  }
  for (const auto& row : rows) {
    std::ostringstream line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool is_left = i < left.size() && left[i] == 'l';
      line << (i == 0 ? "" : "  ") << (is_left ? std::left : std::right) << std::setw(static_cast<int>(widths[i]))
           << row[i];
    }
    const std::string text = line.str();
    out << text.substr(0, text.find_last_not_of(' ') + 1) << "\n";
  }
}

}  // namespace fovea
