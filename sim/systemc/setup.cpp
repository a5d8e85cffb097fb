// SPDX-License-Identifier: Apache-2.0
/// \file
/// Checks a layer command, and says how many cycles the checks take.
#include "setup.h"

#include "spec/dla_timing.h"

namespace fovea {

namespace {

/// The steps of dla_setup, in their order.
enum Step {
  kShape,
  kDivE,
  kDivF,
  kMapping,
  kIfmapSpad,
  kFilterSpad,
  kDivFolds,
  kDivFoldRows,
  kDivSetsHigh,
  kDivSetsWide,
  kDivFiltersHigh,
  kFilterSets,
  kPassFilters,
  kIfmapPlane,
  kChunkChannels,
  kDivChunks,
  kChunkRows,
  kPlaneWords,
  kBufferWords,
  kIfmapRegion,
  kSetsRt,
  kSetsRtRows,
  kFilterWords,
  kFilterRegion,
  kSlotPsums,
  kBlockRows,
  kBlockWords,
  kDivGroups,
  kDivStrips,
  kBlocks,
  kPsumRegion,
  kPoolRows,
  kOutTile,
  kOutRegion,
  kPlacement,
  kOfmapPlane,
  kOfmapEnd,
  kIfmapEnd,
  kDone
};

constexpr bool is_division(int step) {
  switch (step) {
    case kDivE:
    case kDivF:
    case kDivFolds:
    case kDivFoldRows:
    case kDivSetsHigh:
    case kDivSetsWide:
    case kDivFiltersHigh:
    case kDivChunks:
    case kDivGroups:
    case kDivStrips:
      return true;
    default:
      return false;
  }
}

/// Of the steps up to `last`.
constexpr Cycle cycles_to(Step last) {
  Cycle cycles = 0;
  for (int step = kShape; step <= last; ++step) {
    cycles += is_division(step) ? kDlaDivisionCycles : 1;
  }
  return cycles;
}
static_assert(cycles_to(kDone) + 1 == kDlaSetupCycles, "the answer comes the cycle after the last step");

bool wraps(uint32_t addr, uint64_t bytes) { return bytes > (uint64_t{1} << 32) - addr; }

Step bad_shape_step(const dla_shape& s) {
  const bool in_range = dla_shape_in_range(&s) && s.R <= s.H + 2 * s.PAD && s.S <= s.W + 2 * s.PAD;
  return in_range ? kMapping : kShape;  // Only pooling needs more, which is seen once E and F are known.
}

Step bad_address_step(const dla_machine& machine, const dla_layer& layer) {
  const LayerPlan plan(machine, layer);
  if (layer.filter_addr % machine.bus_bytes != 0) {
    return kPlacement;
  }
  if (wraps(layer.ofmap_addr, uint64_t{layer.shape.M} * plan.ofmap_plane)) {
    return kOfmapEnd;
  }
  return kIfmapEnd;
}

/// The step that finds a cause.
Step step_of(dla_error cause, const dla_machine& machine, const dla_layer& layer) {
  switch (cause) {
    case kDlaErrorReservedBits:
      return kShape;
    case kDlaErrorBadShape:
      return bad_shape_step(layer.shape);
    case kDlaErrorBadMapping:
    case kDlaErrorBadLoopOrder:
    case kDlaErrorOddPoolRows:
      return kMapping;
    case kDlaErrorIfmapSpadFull:
      return kIfmapSpad;
    case kDlaErrorFilterSpadFull:
    case kDlaErrorPsumSpadFull:
    case kDlaErrorArrayTooNarrow:
      return kFilterSpad;
    case kDlaErrorTooManyChannelSets:
      return kDivFiltersHigh;
    case kDlaErrorTooManyFilterSets:
      return kFilterSets;
    case kDlaErrorTooManyPassFilters:
      return kPassFilters;
    case kDlaErrorGlbIfmapSmall:
      return kIfmapRegion;
    case kDlaErrorGlbFilterSmall:
      return kFilterRegion;
    case kDlaErrorGlbPsumSmall:
      return kPsumRegion;
    case kDlaErrorGlbOutSmall:
      return kOutRegion;
    case kDlaErrorGlbRegionMisplaced:
      return kPlacement;
    case kDlaErrorBadAddress:
      return bad_address_step(machine, layer);
    default:
      return kDone;
  }
}

}  // namespace

SetupOutcome check_command(const dla_machine& machine, const LayerWords& words) {
  const dla_layer layer = dla_unpack_layer(&machine, words.data());
  const dla_error cause =
      dla_has_reserved_bits(words.data()) ? kDlaErrorReservedBits : dla_check_layer(&machine, &layer);
  return {cause, cycles_to(step_of(cause, machine, layer))};
}

}  // namespace fovea
