// SPDX-License-Identifier: Apache-2.0
/// \file
/// What mappings a layer has: the ways in which a pass may fill the array, and what the GLB has room for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "spec/dla_layer.h"

namespace fovea {

/// Output rows that are computed: rounded down to even with pooling.
std::uint32_t output_rows(const dla_shape& shape);

/// Filter rows a pass that are worth a look: 0, and those that keep more PE rows busy, or as many where 0 has room for
/// one PE set above the other only.
std::vector<std::uint32_t> fold_choices(const dla_machine& machine, const dla_shape& shape);

/// Ways to fill the array that differ in t alone.
struct ArrayFamily {
  dla_mapping mapping;   ///< With the least t,
  std::uint32_t most_t;  ///< and the largest.
  std::uint32_t count;   ///< How many there are.

  /// With the largest t.
  dla_mapping widest() const;
};

/// The ways of array_mappings(), in their order.
std::vector<ArrayFamily> array_families(const dla_machine& machine, const dla_shape& shape);

/// The mappings of a family, the least t first.
std::vector<dla_mapping> members_of(const dla_machine& machine, const dla_shape& shape, const ArrayFamily& family);

/// All legal e, p, q, r, t and g with each of the fold_choices(), none larger than the layer can make use of. The rest
/// of each mapping is one tile over everything: m = M, e_glb = E, resident, two filter buffers; where PEs hold whole
/// groups, m = p*t and streamed.
std::vector<dla_mapping> array_mappings(const dla_machine& machine, const dla_shape& shape);

/// Whether the GLB may hold some mapping of a shape. Much quicker than a search that finds none, which it rules out
/// almost always.
bool may_fit(const dla_machine& machine, const dla_shape& shape);

/// Least demanding mapping of a shape.
dla_mapping smallest_mapping(const dla_machine& machine, const dla_shape& shape);

/// Filter chunks beyond this many hide no more latency: the bus has a few requests in flight.
inline constexpr std::uint32_t kMostFilterBuffers = 16;

/// The largest m up to M, or p*t where PEs hold whole groups, that dla_plan_glb() accepts with two filter buffers,
/// whatever the mapping says of both; 0 where not even m = 1 fits, and then *error, if given, says which region.
std::uint32_t most_filters(const dla_machine& machine, const dla_shape& shape, dla_mapping mapping,
                           dla_error* error = nullptr);

/// Besides the largest, only multiples of this are worth a look as m: of p*t for one output pixel, and where whole
/// groups make up all filters, as any other m takes the room and the turns of the next multiple; else any m.
std::uint32_t filter_tile_step(const dla_shape& shape, const dla_mapping& mapping);

/// The most filter buffers up to kMostFilterBuffers that fit. \pre two do.
std::uint32_t most_filter_buffers(const dla_machine& machine, const dla_shape& shape, dla_mapping mapping);

/// How many filter buffers a layer command can say and `room` bytes hold.
inline std::uint32_t filter_buffers_in(const dla_passes& passes, std::uint32_t room) {
  return std::min(room / passes.filter_chunk_bytes, std::uint32_t{DLA_MAPPING_FILTER_BUFFERS_MAX});
}

/// Bytes that ifmap, psums and output leave to the filters. \pre two buffers fit.
std::uint32_t filter_room(const dla_machine& machine, const dla_passes& passes);

/// The ways to use the room for filters: all stay in the GLB, if there is more than one row tile and they fit;
/// or else none, in most_filter_buffers() buffers, or as many as leave two, four or eight buffers to the others. Copies
/// of the mapping that differ in filter_buffers and stay. \pre two buffers fit.
std::vector<dla_mapping> filter_places(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping);

}  // namespace fovea
