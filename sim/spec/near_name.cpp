// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compares the typed name with each by the restricted edit distance (Damerau and Levenshtein).
#include "near_name.h"

#include <algorithm>
#include <cstddef>

namespace fovea {
namespace {

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    now[j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(now);
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        now[j] = std::min(now[j], before[j - 2] + 1);
      }
    }
  }
  return now[b.size()];
}

}  // namespace

const std::string* near_name(std::string_view typed, const std::vector<std::string>& names) {
  const std::string* nearest = nullptr;
  std::size_t least = typed.size() < 2 ? 0 : std::max<std::size_t>(1, typed.size() / 3) + 1;
  for (const std::string& name : names) {
    if (const std::size_t far = distance(typed, name); far < least) {
      least = far;
      nearest = &name;
    }
  }
  const auto begins = [&](const std::string& name) { return std::string_view(name).substr(0, typed.size()) == typed; };
  if (nearest == nullptr && typed.size() >= 3 && std::count_if(names.begin(), names.end(), begins) == 1) {
    nearest = &*std::find_if(names.begin(), names.end(), begins);
  }
  return nearest;
}

std::string did_you_mean(std::string_view typed, const std::vector<std::string>& names) {
  const std::string* near = near_name(typed, names);
  return near == nullptr ? "" : "; did you mean " + *near + "?";
}

}  // namespace fovea
