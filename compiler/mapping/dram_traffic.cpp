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
std::uint64_t ifmap_words(const dla_shape& s, const dla_mapping& mapping, const dla_passes& passes, std::uint32_t bus,
                          std::uint32_t first_byte) {
  std::uint64_t words = 0;
  const auto shared = static_cast<std::uint32_t>(dla_shared_rows(&s));
  for (std::uint32_t y = 0; y < passes.E - shared; y += dla_row_step(&s, mapping.e_glb)) {
    const dla_rows rows = dla_ifmap_rows(&s, y, std::min(mapping.e_glb, passes.E - y));
    words +=
        plane_words(passes.ifmap_stride, dla_groups(&s) * s.C, bus, first_byte + rows.first * s.W, rows.count * s.W);
  }
  return words;
}

/// Planes of the ofmap or the residual: from one to the next, and the byte of a word that the first begins with.
struct OutputPlanes {
  std::uint32_t stride, start;
};

/// Words of output tiles that are a run for all filters of a group each: a strip has all rows.
std::uint64_t whole_tile_words(const dla_shape& s, const dla_mapping& mapping, const OutputPlanes& planes,
                               std::uint32_t bus) {
  const std::uint32_t filters = dla_groups(&s) * s.M, plane = planes.stride;
  const std::uint32_t tiled = dla_tiled_filters(&s, &mapping), group = mapping.p * mapping.t;
  std::uint64_t words = 0;
  for (std::uint32_t tile = 0; tile < filters;) {
    const std::uint32_t tile_end =
        std::min(tile / tiled * tiled + (tile % tiled / mapping.m + 1) * mapping.m, (tile / tiled + 1) * tiled);
    for (std::uint32_t first = tile; first < tile_end; first += group) {
      words += touched_words(bus, planes.start + first * plane, std::min(group, tile_end - first) * plane);
    }
    tile = tile_end;
  }
  return words;
}

/// Words of output tiles that are a run for each filter's rows.
std::uint64_t tile_words(const dla_shape& s, const dla_mapping& mapping, const dla_passes& passes,
                         const OutputPlanes& planes, std::uint32_t bus) {
  const std::uint32_t cols = passes.ofmap_cols, filters = dla_groups(&s) * s.M;
  const auto shared = static_cast<std::uint32_t>(dla_shared_rows(&s));
  std::uint64_t words = 0;
  for (std::uint32_t y = 0; y < passes.E - shared; y += dla_row_step(&s, mapping.e_glb)) {
    const std::uint32_t rows = std::min(mapping.e_glb, passes.E - y);
    for (std::uint32_t strip = 0; strip < rows - shared; strip += dla_row_step(&s, mapping.e)) {
      const std::uint32_t first = (y + strip) / dla_pool_stride(&s);
      const std::uint32_t count = dla_pooled(&s, std::min(mapping.e, rows - strip));
      words += plane_words(planes.stride, filters, bus, planes.start + first * cols, count * cols);
    }
  }
  return words;
}

/// Words of a residual that is loaded, each output tile once.
std::uint64_t residual_words(const dla_machine& machine, const dla_shape& s, const dla_mapping& mapping,
                             const dla_passes& passes, const FirstBytes& first) {
  const OutputPlanes planes = {passes.residual_stride, output_byte(machine, s, passes, first)};
  return dla_is_one_run(&s, &passes, dla_pooled(&s, mapping.e))
             ? whole_tile_words(s, mapping, planes, machine.bus_bytes)
             : tile_words(s, mapping, passes, planes, machine.bus_bytes);
}

}  // namespace

std::uint32_t output_byte(const dla_machine& machine, const dla_shape& shape, const dla_passes& passes,
                          const FirstBytes& first) {
  const bool is_of_residual = shape.residual && shape.residual_on_chip;
  const std::uint32_t row = shape.ofmap_on_chip ? shape.ofmap_first_row : is_of_residual ? shape.residual_first_row : 0;
  return shape.ofmap_on_chip || is_of_residual ? row * passes.ofmap_cols % machine.bus_bytes : first.outputs;
}

DramBytes count_dram_bytes(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping,
                           const dla_passes& passes, const FirstBytes& first) {
  const std::uint64_t loads = mapping.ifmap_resident || mapping.g != 0 ? 1 : passes.m_tiles;
  const bool loads_residual = shape.residual && !shape.residual_on_chip;
  DramBytes bytes;
  if (!shape.ifmap_on_chip) {
    bytes.ifmap = loads * ifmap_words(shape, mapping, passes, machine.bus_bytes, first.ifmap) * machine.bus_bytes;
  }
  bytes.filter = dla_table_bytes(&shape);
  if (!shape.filters_on_chip) {
    const std::uint64_t chunks = dla_filter_stream_bytes(&machine, &shape, &mapping) - bytes.filter;
    const std::uint64_t later_tiles = passes.e_tiles - 1;
    const std::uint64_t stays = later_tiles == 0 ? 0 : dla_staying_filter_bytes(&machine, &shape, &mapping);
    bytes.filter += chunks + later_tiles * (chunks - stays);
  }
  bytes.ofmap = shape.ofmap_on_chip ? 0 : std::uint64_t{dla_groups(&shape)} * shape.M * passes.ofmap_plane;
  bytes.residual = loads_residual ? residual_words(machine, shape, mapping, passes, first) * machine.bus_bytes : 0;
  return bytes;
}

ChipWords count_chip_words(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping,
                           const dla_passes& passes) {
  const std::uint32_t start = output_byte(machine, shape, passes);
  ChipWords words;
  if (shape.ofmap_on_chip) {
    words.ofmap = shape.mean ? std::uint64_t{dla_groups(&shape)} * shape.M
                             : tile_words(shape, mapping, passes, {passes.ofmap_stride, start}, machine.bus_bytes);
  }
  if (shape.residual && shape.residual_on_chip) {
    words.residual = tile_words(shape, mapping, passes, {passes.residual_stride, start}, machine.bus_bytes);
  }
  return words;
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

std::uint64_t store_tile_cycles(const dla_machine& machine, bool on_chip, std::uint64_t runs, std::uint64_t rows,
                                std::uint64_t cols) {
  const std::uint64_t beats = ceil_div(rows * cols, machine.bus_bytes);
  const std::uint64_t bursts = ceil_div(beats, kDlaWriteBurstBeats);
  const std::uint64_t gathered = rows * ceil_div(cols, machine.bus_bytes);
  const std::uint64_t turnaround = on_chip ? 0 : (bursts * kWriteCycles + beats) / kRequestsInFlight;
  return runs * std::max({gathered, beats, turnaround}) + 1;
}

std::uint64_t mean_tile_cycles(const dla_machine& machine, bool on_chip, std::uint64_t filters, std::uint64_t rows,
                               std::uint64_t cols) {
  const std::uint64_t gathered = filters * rows * ceil_div(cols, machine.bus_bytes) + 1;
  return on_chip ? gathered : std::max(gathered, store_tile_cycles(machine, false, 1, 1, filters));
}

}  // namespace fovea
