// SPDX-License-Identifier: Apache-2.0
/// \file
/// Enumerates mappings by tile counts rather than tile sizes, so that few are left and none of the good ones is lost.
#include "candidates.h"

#include <algorithm>

namespace fovea {
namespace {

/// Filter chunks that hide the DRAM's latency behind one another; fewer where the GLB has no room.
constexpr std::uint32_t kFilterBuffers[] = {4, 2};

std::uint32_t ceil_div(std::uint32_t a, std::uint32_t b) { return (a + b - 1) / b; }

std::uint32_t output_rows(const dla_shape& shape) {
  const std::uint32_t rows = (shape.H + 2 * shape.PAD - shape.R) / shape.U + 1;
  return shape.pool ? rows & ~1u : rows;
}

bool plans(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping) {
  dla_glb_plan plan;
  return dla_plan_glb(&machine, &shape, &mapping, &plan) == kDlaErrorNone;
}

/// Most groups of p*t filters whose psums fit; 0 where not even one does.
std::uint32_t most_groups(const dla_machine& machine, const dla_shape& shape, dla_mapping mapping) {
  const std::uint32_t group = mapping.p * mapping.t;
  std::uint32_t fits = 0, fails = ceil_div(shape.M, group) + 1;
  while (fails - fits > 1) {
    const std::uint32_t middle = (fits + fails) / 2;
    mapping.m = std::min(middle * group, shape.M);
    (plans(machine, shape, mapping) ? fits : fails) = middle;
  }
  return fits;
}

/// Sets m to the fewest tiles that fit, all but the last of one size. \return false where none fits.
bool set_filter_tile(const dla_machine& machine, const dla_shape& shape, dla_mapping& mapping) {
  const std::uint32_t most = most_groups(machine, shape, mapping);
  if (most == 0) {
    return false;
  }
  const std::uint32_t groups = ceil_div(shape.M, mapping.p * mapping.t);
  const std::uint32_t even = ceil_div(groups, ceil_div(groups, most));
  mapping.m = std::min(even * mapping.p * mapping.t, shape.M);
  return true;
}

}  // namespace

std::vector<std::uint32_t> tile_sizes(std::uint32_t total, std::uint32_t limit) {
  std::vector<std::uint32_t> sizes;
  for (std::uint32_t size = 1; size <= std::min(total, limit); ++size) {
    if (size == 1 || ceil_div(total, size) < ceil_div(total, size - 1)) {
      sizes.push_back(size);
    }
  }
  return sizes;
}

std::vector<dla_mapping> array_mappings(const dla_machine& machine, const dla_shape& shape) {
  const std::uint32_t rows = output_rows(shape);
  const std::uint32_t step = shape.pool ? 2 : 1;  // Pooling takes rows in pairs.
  std::vector<dla_mapping> found;
  for (const std::uint32_t pairs : tile_sizes(rows / step, std::min(machine.cols, 31u) / step)) {
    for (const std::uint32_t q : tile_sizes(shape.C, std::min(machine.ifmap_spad_bytes / shape.S, 31u))) {
      for (const std::uint32_t p : tile_sizes(shape.M, std::min(machine.psum_spad_words, 63u))) {
        for (const std::uint32_t r : tile_sizes(ceil_div(shape.C, q), machine.rows)) {
          for (const std::uint32_t t : tile_sizes(ceil_div(shape.M, p), 255)) {
            const dla_mapping mapping = {
                shape.M, 1, pairs * step, p, q, r, t, rows, true, 2, kDlaLoopOrderRowsFiltersChannels};
            if (dla_check_mapping(&machine, &shape, &mapping) != kDlaErrorNone) {
              break;  // A larger t does not fit either.
            }
            found.push_back(mapping);
          }
        }
      }
    }
  }
  return found;
}

std::vector<dla_mapping> glb_mappings(const dla_machine& machine, const dla_shape& shape, const dla_mapping& array) {
  const std::uint32_t rows = output_rows(shape);
  const std::uint32_t chunks = ceil_div(shape.C, array.q * array.r);
  std::vector<dla_mapping> found;
  for (const std::uint32_t row_tiles : tile_sizes(ceil_div(rows, array.e), rows)) {
    for (const bool resident : {true, false}) {
      if (!resident && chunks <= 2) {
        continue;  // Two chunks are what streaming needs anyway.
      }
      for (const std::uint32_t buffers : kFilterBuffers) {
        dla_mapping mapping = array;
        mapping.e_glb = std::min(row_tiles * array.e, rows);
        mapping.ifmap_resident = resident;
        mapping.filter_buffers = buffers;
        if (set_filter_tile(machine, shape, mapping)) {
          found.push_back(mapping);
          break;
        }
      }
    }
  }
  return found;
}

dla_mapping smallest_mapping(const dla_shape& shape) {
  const std::uint32_t e = shape.pool ? 2 : 1;
  return {1, 1, e, 1, 1, 1, 1, e, shape.C == 1, 2, kDlaLoopOrderRowsFiltersChannels};
}

}  // namespace fovea
