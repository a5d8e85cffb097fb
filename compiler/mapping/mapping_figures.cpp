// SPDX-License-Identifier: Apache-2.0
/// \file
/// Derives the figures from a plan and a census.
#include "mapping_figures.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "command/command_text.h"
#include "spec/dla_macs.h"

namespace fovea {
namespace {

/// A roof: what it lets through, in MACs a cycle.
struct Roof {
  double macs_a_cycle;
  const char* binds;
};

void add_fate(std::uint64_t count, const std::string& what, SearchStep& step) {
  if (count != 0) {
    step.fates.push_back({count, what});
  }
}

/// What is wrong, without what would work.
std::string fault(dla_error error) {
  const std::string text = dla_error_text(error);
  return text.substr(0, text.find(';'));
}

constexpr char kBound[] = "worse by a bound";

/// \param why  They lost.
void add_limits(const std::array<std::uint64_t, kLimits>& counts, const std::string& why, SearchStep& step) {
  for (std::size_t i = 0; i < kLimits; ++i) {
    add_fate(counts[i], why + ", most of their cycles: " + std::string(to_text(static_cast<Limit>(i))), step);
  }
}

}  // namespace

MappingFigures figures_of(const MachineFile& machine, const dla_shape& shape, const PlannedMapping& plan) {
  const dla_machine& geometry = machine.geometry;
  const double slots = static_cast<double>(plan.cost.cycles) * geometry.rows * geometry.cols;
  const AccessCounts& counts = plan.accesses;
  MappingFigures figures;
  figures.rows = dla_fold_rows(&geometry, &shape, plan.mapping.fold_rows);
  figures.cycles = plan.cost.cycles;
  figures.pe_share = static_cast<double>(dla_count_macs(&shape)) / slots;
  figures.dram_bytes = plan.cost.dram_bytes.total();
  figures.glb_bytes = std::uint64_t{plan.glb.ifmap.size_bytes} + plan.glb.filter.size_bytes + plan.glb.psum.size_bytes +
                      plan.glb.out.size_bytes;
  figures.glb_accesses = counts.glb_reads.total() + counts.glb_writes.total();
  figures.energy = price_energy(machine.access_energy(), counts).total();
  return figures;
}

Roofline roofline_of(const dla_machine& machine, const dla_shape& shape, const PlannedMapping& plan) {
  const double macs = static_cast<double>(dla_count_macs(&shape));
  const double read = static_cast<double>(plan.cost.dram_bytes.read());
  const double written = static_cast<double>(plan.cost.dram_bytes.ofmap);
  const dla_passes passes = dla_derive_passes(&machine, &shape, &plan.mapping);
  const double psums = static_cast<double>(std::uint64_t{shape.M} * passes.E * passes.F);
  const Roof roofs[] = {{static_cast<double>(machine.rows * machine.cols), "the PEs bind"},
                        {macs / read * machine.bus_bytes, "DRAM reads bind"},
                        {macs / written * machine.bus_bytes, "DRAM writes bind"},
                        {macs / psums * machine.psum_lanes, "the psum network binds"}};
  const Roof& lowest = *std::min_element(std::begin(roofs), std::end(roofs),
                                         [](const Roof& a, const Roof& b) { return a.macs_a_cycle < b.macs_a_cycle; });
  return {macs / (read + written), lowest.macs_a_cycle, lowest.binds, macs / static_cast<double>(plan.cost.cycles)};
}

std::vector<SearchStep> fates_of(const dla_machine& machine, const dla_shape& shape, const SearchCensus& census) {
  SearchStep arrays{"ways to fill the array (e, p, q, r, t, fold_rows)", {}};
  for (const auto& [error, count] : count_arrays(machine, shape).illegal) {
    add_fate(count, "illegal: " + fault(error), arrays);
  }
  add_limits(census.pruned_arrays, kBound, arrays);
  SearchStep tilings{"ways to share the GLB (e_glb, ifmap) for the others", {}};
  for (const auto& [error, count] : census.illegal_tilings) {
    add_fate(count, "illegal: " + fault(error), tilings);
  }
  add_limits(census.pruned_tilings, kBound, tilings);
  SearchStep filters{"filter tiles (m) for the others", {}};
  add_limits(census.pruned_filter_tiles, kBound, filters);
  add_limits(census.priced, "priced", filters);
  return {arrays, tilings, filters};
}

}  // namespace fovea
