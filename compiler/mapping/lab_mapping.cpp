// SPDX-License-Identifier: Apache-2.0
/// \file
/// Clips the lab's mapping to what is legal, then finds its m.
#include "lab_mapping.h"

#include <algorithm>
#include <bit>

namespace fovea {
namespace {

/// Lowers the letter that an error blames. \return false where nothing is left to lower.
bool lower_blamed(enum dla_error error, dla_mapping& mapping) {
  const auto lower = [](std::uint32_t& letter) { return letter > 1 && letter-- > 1; };
  switch (error) {
    case kDlaErrorIfmapSpadFull:
      return lower(mapping.q);
    case kDlaErrorFilterSpadFull:
    case kDlaErrorTooManyPeFilters:
      return lower(mapping.p) || lower(mapping.q);
    case kDlaErrorTooManyFilterSets:
    case kDlaErrorTooManyPassFilters:
    case kDlaErrorPoolingRowFull:
      return lower(mapping.t) || lower(mapping.p);
    default:
      return false;
  }
}

/// Bytes that one pass reads: q*r channels of the rows under e outputs, and p*t filters of them with their biases.
std::uint64_t pass_bytes(const dla_shape& shape, const dla_mapping& mapping) {
  const std::uint64_t rows = std::min((mapping.e - 1) * shape.U + shape.R, shape.H);
  const std::uint64_t channels = std::uint64_t{mapping.q} * mapping.r;
  const std::uint64_t filters = std::uint64_t{mapping.p} * mapping.t;
  return channels * rows * shape.W + filters * channels * shape.R * shape.S + filters * 4;
}

bool psums_fit(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping) {
  const std::uint64_t F = dla_derive_passes(&machine, &shape, &mapping).F;
  return std::uint64_t{mapping.m} * mapping.e * F * 4 + pass_bytes(shape, mapping) <= machine.glb_bytes;
}

/// Lowers p, q and t until the array takes the mapping. \return false where it never does.
bool clip_to_array(const dla_machine& machine, const dla_shape& shape, dla_mapping& mapping) {
  enum dla_error error = kDlaErrorNone;
  while ((error = dla_check_mapping(&machine, &shape, &mapping)) != kDlaErrorNone) {
    if (!lower_blamed(error, mapping)) {
      return false;
    }
  }
  return true;
}

/// The mapping with the largest m that fits; nothing where none does.
std::optional<PlannedMapping> fit_filters(const dla_machine& machine, const dla_shape& shape, dla_mapping mapping) {
  dla_glb_plan glb;
  for (; mapping.m > 0; mapping.m /= 2) {
    if (psums_fit(machine, shape, mapping) && dla_plan_glb(&machine, &shape, &mapping, &glb) == kDlaErrorNone) {
      return plan_mapping(machine, shape, mapping);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<PlannedMapping> lab_mapping(const dla_machine& machine, const dla_shape& shape) {
  const std::uint32_t rows = std::min({8u, dla_unpooled_rows(&shape), machine.cols});
  const std::uint32_t windows = rows < dla_pool_size(&shape) ? 0 : dla_pooled(&shape, rows);
  for (std::uint32_t strip = windows; strip > 0; --strip) {
    const std::uint32_t e = dla_pool_rows(&shape, strip);
    dla_mapping mapping = {std::bit_floor(shape.M),
                           1,
                           e,
                           std::min(4u, shape.M),
                           std::min(4u, shape.C),
                           1,
                           2,
                           e,
                           false,
                           2,
                           kDlaLoopOrderRowsFiltersChannels,
                           0,
                           0,
                           0};
    for (const bool resident : {false, true}) {
      mapping.ifmap_resident = resident;
      if (clip_to_array(machine, shape, mapping)) {
        if (const auto planned = fit_filters(machine, shape, mapping)) {
          return planned;
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace fovea
