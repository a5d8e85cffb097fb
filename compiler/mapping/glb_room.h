// SPDX-License-Identifier: Apache-2.0
/// \file
/// How much of a layer the GLB has room for.
#ifndef FOVEA_COMPILER_MAPPING_GLB_ROOM_H_
#define FOVEA_COMPILER_MAPPING_GLB_ROOM_H_

#include <cstdint>

#include "spec/dla_layer.h"

namespace fovea {

/// Filter chunks beyond this many hide no more latency: the bus has a few requests in flight.
inline constexpr std::uint32_t kMostFilterBuffers = 16;

/// The largest m up to M that dla_plan_glb() accepts with two filter buffers, whatever the mapping says of both; 0
/// where not even m = 1 fits, and then *error, if given, says which region.
std::uint32_t most_filters(const dla_machine& machine, const dla_shape& shape, dla_mapping mapping,
                           dla_error* error = nullptr);

/// The most filter buffers up to kMostFilterBuffers that fit. \pre two do.
std::uint32_t most_filter_buffers(const dla_machine& machine, const dla_shape& shape, dla_mapping mapping);

}  // namespace fovea

#endif  // FOVEA_COMPILER_MAPPING_GLB_ROOM_H_
