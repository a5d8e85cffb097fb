// SPDX-License-Identifier: Apache-2.0
/// \file
/// All fusions, in the order of their priority.
#ifndef FOVEA_COMPILER_PATTERNS_TABLE_H_
#define FOVEA_COMPILER_PATTERNS_TABLE_H_

#include <string_view>
#include <vector>

#include "fusion.h"

namespace fovea {

/// The table. Where two rows match at a value, the earlier one is taken.
const std::vector<Fusion>& fusions();

/// The row of that composite, or null.
const Fusion* find_fusion(std::string_view composite);

}  // namespace fovea

#endif  // FOVEA_COMPILER_PATTERNS_TABLE_H_
