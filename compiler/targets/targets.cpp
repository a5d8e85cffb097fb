// SPDX-License-Identifier: Apache-2.0
/// \file
/// The table of targets.
#include <algorithm>

#include "target.h"
#include "tensor/error.h"

namespace fovea {

const std::vector<TargetRow>& targets() {
  static const std::vector<TargetRow> table{
      {"dla", make_dla_target},
      {"cpu", make_cpu_target},
  };
  return table;
}

std::uint64_t alignment_of(const std::vector<NamedTarget>& targets) {
  std::uint64_t alignment = 16;
  for (const NamedTarget& target : targets) {
    alignment = std::max(alignment, target.target->alignment());
  }
  return alignment;
}

std::vector<NamedTarget> make_targets(std::string_view name, const TargetOptions& options) {
  const auto& table = targets();
  const auto row = std::find_if(table.begin(), table.end(), [&](const TargetRow& r) { return r.name == name; });
  internal_check(row != table.end(), "there is a target " + std::string(name));
  std::vector<NamedTarget> made{{std::string(row->name), row->make(options)}};
  if (&*row != &table.back()) {
    made.push_back({std::string(table.back().name), table.back().make(options)});
  }
  return made;
}

}  // namespace fovea
