// SPDX-License-Identifier: Apache-2.0
/// \file
/// Chooses how a layer is cut for a machine, or says why the machine can't run it. Fully connected layers are
/// convolutions: the shapes that the machine may take them for, and the best of them.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

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
/// \param most_cycles  As find_mappings() has it.
/// With kLab, a setting that is not legal for the shape is lowered until it is; the goal means nothing then.
MappingChoice choose_mapping(const dla_machine& machine, const dla_shape& shape, MappingMode mode,
                             const Goal& goal = {}, const AccessEnergy& costs = {},
                             std::uint64_t most_cycles = UINT64_MAX);

/// The shapes that compute the same bytes of the same bytes, the given one first. A convolution by 1x1 filters that
/// sees each pixel alone does not see rows: up to kMostJoinedPixels pixels may also be one row, of which every column
/// of PEs takes all, for filters of its own. Windows under each other, as wide as the ifmap, that share no row may have
/// other rows of their pixels.
std::vector<dla_shape> equal_shapes(const dla_shape& shape);

/// Pixels of one row more need more room for psums and output tiles than most machines have.
inline constexpr std::uint32_t kMostJoinedPixels = 256;

/// A fully connected layer, or several of one size side by side, each with inputs and outputs of its own.
struct LinearLayer {
  std::uint32_t inputs, outputs;
  bool scaled = false, filter_scales = false;  ///< As dla_shape has them.
  std::uint32_t groups = 0;                    ///< How many there are; 0 is one, as of dla_shape's G.
  bool lookup = false;                         ///< As dla_shape has it.
  bool alike = false;                          ///< Groups have the same weights, and an output each.
  auto operator<=>(const LinearLayer&) const = default;
};

/// "linear inputs=512 outputs=10 scaled"; no shape's text is like it.
std::string to_text(const LinearLayer& layer);

/// The convolutions that a fully connected layer is: C * R * S = `inputs`, M = `outputs`, and filters as large as the
/// ifmap, H = R and W = S, so that E = F = 1. All of them multiply the same bytes, as ifmap and filters are dense in
/// the order of C, R, S. C is up to 65535 and R, S up to 11, R side by side up to 15; empty where `inputs` has no
/// such factors. Of layers side by side, a group may also join some, inputs and outputs, with weights of 0 between
/// them: its channels are then longer runs. Of those that are alike, a group may have several in one channel, under
/// each other: a window of U = R rows each, S = W, and E outputs of one filter.
std::vector<dla_shape> linear_shapes(const LinearLayer& layer);

/// A shape and how it is cut, or why none can be.
struct ShapeChoice {
  dla_shape shape{};
  MappingChoice mapping;
};

/// The best of shapes of which each has its mapping: one with a record, or else the first by the goal, as
/// search_mappings() has it. Where none has a mapping, the first.
ShapeChoice choose_shape(const dla_machine& machine, const AccessEnergy& costs, const Goal& goal,
                         const std::vector<ShapeChoice>& choices);

/// Chooses the shape whose mapping by `choose` is a record's, or else costs the fewest predicted cycles, of equal ones
/// the fewest DRAM bytes.
ShapeChoice choose_linear(const LinearLayer& layer, const std::function<MappingChoice(const dla_shape&)>& choose);

}  // namespace fovea
