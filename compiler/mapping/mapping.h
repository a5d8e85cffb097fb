// SPDX-License-Identifier: Apache-2.0
/// \file
/// Chooses how a convolution is cut for a machine, or says why the machine can't run it.
#ifndef FOVEA_COMPILER_MAPPING_MAPPING_H_
#define FOVEA_COMPILER_MAPPING_MAPPING_H_

#include <optional>
#include <string>

#include "command/command_text.h"
#include "objective.h"
#include "planned_mapping.h"

namespace fovea {

/// Where mappings come from.
enum class MappingMode {
  kSearch,  ///< The best of the legal ones by a goal.
  kLab,     ///< The lab's: e=8, p=4, q=4, r=1, t=2, and the largest m whose psums fit (docs: DESIGN, section 6).
};

/// Either a plan, or the limit that no mapping keeps.
struct MappingChoice {
  std::optional<PlannedMapping> plan;
  std::string reason;        ///< One line; "" where there is a plan.
  bool is_recorded = false;  ///< The plan is a tuning record's.
};

/// Chooses a mapping. The result passes dla_check_layer() at any aligned addresses.
/// \param most_cycles  As search_mappings() has it.
/// With kLab, a setting that is not legal for the shape is lowered until it is; the goal means nothing then.
MappingChoice choose_mapping(const dla_machine& machine, const dla_shape& shape, MappingMode mode,
                             const Goal& goal = {}, const EnergyCosts& costs = {},
                             std::uint64_t most_cycles = UINT64_MAX);

}  // namespace fovea

#endif  // FOVEA_COMPILER_MAPPING_MAPPING_H_
