// SPDX-License-Identifier: Apache-2.0
/// \file
/// Names.
#include "objective.h"

namespace fovea {

std::string_view to_text(Objective objective) {
  constexpr std::string_view kNames[] = {"cycles", "dram", "energy", "edp"};
  return kNames[static_cast<int>(objective)];
}

}  // namespace fovea
