// SPDX-License-Identifier: Apache-2.0
/// \file
/// Plans the least, then divides what is left: regions are whole banks, and so is what they leave.
#include "glb_room.h"

#include <algorithm>

namespace fovea {

std::uint32_t most_filters(const dla_machine& machine, const dla_shape& shape, dla_mapping mapping, dla_error* error) {
  mapping.m = 1;
  mapping.filter_buffers = 2;
  dla_glb_plan plan;
  const dla_error failure = dla_plan_glb(&machine, &shape, &mapping, &plan);
  if (failure != kDlaErrorNone) {
    if (error != nullptr) {
      *error = failure;
    }
    return 0;
  }
  // With m = 1 the psum region holds one group of p*t filters.
  const std::uint64_t group_bytes = dla_derive_passes(&machine, &shape, &mapping).psum_bytes;
  if (group_bytes == 0) {
    return shape.M;
  }
  const std::uint32_t room = machine.glb_bytes - plan.ifmap.size_bytes - plan.filter.size_bytes - plan.out.size_bytes;
  const std::uint64_t filters = room / group_bytes * mapping.p * mapping.t;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(filters, shape.M));
}

std::uint32_t most_filter_buffers(const dla_machine& machine, const dla_shape& shape, dla_mapping mapping) {
  mapping.filter_buffers = 2;
  dla_glb_plan plan;
  dla_plan_glb(&machine, &shape, &mapping, &plan);
  const std::uint32_t room = machine.glb_bytes - plan.ifmap.size_bytes - plan.psum.size_bytes - plan.out.size_bytes;
  return std::min(room / dla_derive_passes(&machine, &shape, &mapping).filter_chunk_bytes, kMostFilterBuffers);
}

}  // namespace fovea
