// SPDX-License-Identifier: Apache-2.0
/// \file
/// Chooses by mode, and finds the words for a shape that no mapping fits.
#include "mapping.h"

#include "candidates.h"
#include "lab_mapping.h"
#include "search_mapping.h"

namespace fovea {
namespace {

std::optional<PlannedMapping> search_best(const dla_machine& machine, const dla_shape& shape, const Goal& goal,
                                          const EnergyCosts& costs, std::uint64_t most_cycles) {
  const SearchResult found = search_mappings(machine, costs, shape, goal, 1, most_cycles);
  return found.best.empty() ? std::nullopt : std::optional(found.best.front());
}

/// The limit that the least demanding mapping breaks, with the bytes where it is the GLB's.
std::string describe_limit(const dla_machine& machine, const dla_shape& shape) {
  const dla_mapping least = smallest_mapping(shape);
  const enum dla_error mapping_error = dla_check_mapping(&machine, &shape, &least);
  if (mapping_error != kDlaErrorNone) {
    return dla_error_text(mapping_error);
  }
  const dla_passes passes = dla_derive_passes(&machine, &shape, &least);
  const std::string glb = " of the GLB's " + std::to_string(machine.glb_bytes) + " bytes";
  dla_glb_plan plan;
  switch (dla_plan_glb(&machine, &shape, &least, &plan)) {
    case kDlaErrorGlbIfmapSmall:
      return "the ifmap rows of one pass need " + std::to_string(std::uint64_t{4} * passes.ifmap_quarter_bytes) + glb;
    case kDlaErrorGlbFilterSmall:
      return "two filter chunks need " + std::to_string(2 * passes.filter_chunk_bytes) + glb + ", beside the ifmap";
    case kDlaErrorGlbPsumSmall:
      return "the psums of one filter need " + std::to_string(passes.psum_bytes) + glb + ", beside ifmap and filters";
    case kDlaErrorGlbOutSmall:
      return "two output tiles need " + std::to_string(2 * passes.out_lane_bytes * dla_psum_net_words(&machine)) + glb +
             ", beside ifmap, filters and psums";
    default:
      return "the requested mapping does not fit; --mapping search finds another";
  }
}

}  // namespace

MappingChoice choose_mapping(const dla_machine& machine, const dla_shape& shape, MappingMode mode, const Goal& goal,
                             const EnergyCosts& costs, std::uint64_t most_cycles) {
  const dla_mapping least = smallest_mapping(shape);
  MappingChoice choice;
  if (dla_check_mapping(&machine, &shape, &least) == kDlaErrorNone) {
    choice.plan =
        mode == MappingMode::kLab ? lab_mapping(machine, shape) : search_best(machine, shape, goal, costs, most_cycles);
  }
  if (!choice.plan) {
    choice.reason = describe_limit(machine, shape);
  }
  return choice;
}

}  // namespace fovea
