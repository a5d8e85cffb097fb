// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a mapped layer moves over the DRAM's bus, and how long its loads and stores take.
#include "dram_traffic.h"

#include <algorithm>
#include <bit>

#include "spec/dla_schedule.h"

namespace fovea {
namespace {

constexpr std::uint64_t kRequestsInFlight = 4;
/// From the request of a write to its first beat, and from the last to its response.
constexpr std::uint64_t kWriteCycles = 12;

/// Bus words that hold `bytes` bytes from byte `start` on.
std::uint32_t touched_words(std::uint32_t bus, std::uint32_t start, std::uint32_t bytes) {
  const std::uint32_t log2 = static_cast<std::uint32_t>(std::countr_zero(bus));
  return ((start & (bus - 1)) + bytes + bus - 1) >> log2;
}

/// Words of `bytes` of each of `channels` planes, from byte `start` of the plane on.
std::uint64_t plane_words(std::uint32_t plane, std::uint32_t channels, std::uint32_t bus, std::uint32_t start,
                          std::uint32_t bytes) {
  if (plane % bus == 0) {
    return std::uint64_t{channels} * touched_words(bus, start, bytes);
  }
  // Alignments repeat after `bus` channels.
  std::uint64_t words = 0;
  for (std::uint32_t c = 0; c < std::min(channels, bus); ++c) {
    words += std::uint64_t{touched_words(bus, c * plane + start, bytes)} * ((channels - c + bus - 1) / bus);
  }
  return words;
}

/// Words of the ifmap, each row tile once.
std::uint64_t ifmap_words(const dla_shape& s, const dla_mapping& mapping, std::uint32_t bus, std::uint32_t E) {
  std::uint64_t words = 0;
  const auto shared = static_cast<std::uint32_t>(dla_shared_rows(&s));
  for (std::uint32_t y = 0; y < E - shared; y += dla_row_step(&s, mapping.e_glb)) {
    const dla_rows rows = dla_ifmap_rows(&s, y, std::min(mapping.e_glb, E - y));
    words += plane_words(s.H * s.W, dla_groups(&s) * s.C, bus, rows.first * s.W, rows.count * s.W);
  }
  return words;
}

/// Words of a residual, each output tile once: a run for each filter's rows of a strip, or one for all filters of a
/// group where a strip has all rows.
std::uint64_t residual_words(const dla_shape& s, const dla_mapping& mapping, const dla_passes& passes,
                             std::uint32_t bus) {
  const std::uint32_t cols = passes.ofmap_cols, plane = passes.ofmap_rows * cols, filters = dla_groups(&s) * s.M;
  std::uint64_t words = 0;
  if (mapping.e >= passes.ofmap_rows) {
    const std::uint32_t tiled = dla_tiled_filters(&s, &mapping), group = mapping.p * mapping.t;
    for (std::uint32_t tile = 0; tile < filters;) {
      const std::uint32_t tile_end =
          std::min(tile / tiled * tiled + (tile % tiled / mapping.m + 1) * mapping.m, (tile / tiled + 1) * tiled);
      for (std::uint32_t first = tile; first < tile_end; first += group) {
        words += touched_words(bus, first * plane, std::min(group, tile_end - first) * plane);
      }
      tile = tile_end;
    }
    return words;
  }
  for (std::uint32_t y = 0; y < passes.E; y += mapping.e_glb) {
    const std::uint32_t end = std::min(y + mapping.e_glb, passes.E);
    for (std::uint32_t row = y; row < end; row += mapping.e) {
      words += plane_words(plane, filters, bus, row * cols, std::min(mapping.e, end - row) * cols);
    }
  }
  return words;
}

}  // namespace

DramBytes count_dram_bytes(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping,
                           const dla_passes& passes) {
  const std::uint64_t loads = mapping.ifmap_resident || mapping.g != 0 ? 1 : passes.m_tiles;
  DramBytes bytes;
  bytes.ifmap = loads * ifmap_words(shape, mapping, machine.bus_bytes, passes.E) * machine.bus_bytes;
  const std::uint64_t later_tiles = passes.e_tiles - 1, filters = dla_filter_stream_bytes(&machine, &shape, &mapping);
  const std::uint64_t stays = later_tiles == 0 ? 0 : dla_staying_filter_bytes(&machine, &shape, &mapping);
  bytes.filter = filters + later_tiles * (filters - dla_table_bytes(&shape) - stays);
  bytes.ofmap = std::uint64_t{dla_groups(&shape)} * shape.M * passes.ofmap_plane;
  bytes.residual = shape.residual ? residual_words(shape, mapping, passes, machine.bus_bytes) * machine.bus_bytes : 0;
  return bytes;
}

std::uint64_t residual_tile_cycles(const dla_machine& machine, std::uint64_t runs, std::uint64_t rows,
                                   std::uint64_t cols) {
  return kDlaLoadJobCycles + runs * load_run_cycles(ceil_div(rows * cols, machine.bus_bytes));
}

std::uint64_t load_run_cycles(std::uint64_t beats) {
  const std::uint64_t bursts = ceil_div(beats, kDlaReadBurstBeats);
  const std::uint64_t turnaround = (bursts * (kDramLatencyCycles + 1) + beats) / kRequestsInFlight;
  return std::max({beats, bursts + 1, turnaround});
}

std::uint64_t least_load_cycles(std::uint64_t runs, std::uint64_t words) {
  // At least a burst a run, and less than a cycle lost to each division.
  const std::uint64_t turnarounds = (runs * (kDramLatencyCycles + 1 - kRequestsInFlight) + words) / kRequestsInFlight;
  return std::max(words, turnarounds);
}

std::uint64_t store_tile_cycles(const dla_machine& machine, std::uint64_t runs, std::uint64_t rows,
                                std::uint64_t cols) {
  const std::uint64_t beats = ceil_div(rows * cols, machine.bus_bytes);
  const std::uint64_t bursts = ceil_div(beats, kDlaWriteBurstBeats);
  const std::uint64_t gathered = rows * ceil_div(cols, machine.bus_bytes);
  const std::uint64_t turnaround = (bursts * kWriteCycles + beats) / kRequestsInFlight;
  return runs * std::max({gathered, beats, turnaround}) + 1;
}

std::uint64_t mean_tile_cycles(const dla_machine& machine, std::uint64_t filters, std::uint64_t rows,
                               std::uint64_t cols) {
  return std::max(filters * rows * ceil_div(cols, machine.bus_bytes) + 1, store_tile_cycles(machine, 1, 1, filters));
}

}  // namespace fovea
