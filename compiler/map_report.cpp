// SPDX-License-Identifier: Apache-2.0
/// \file
/// Three parts: the table, the roofline, the census.
#include "map_report.h"

#include <algorithm>
#include <ostream>

#include "command/command_text.h"
#include "mapping/mapper.h"
#include "number_text.h"

namespace fovea {
namespace {

/// Multiplications that the layer needs.
std::uint64_t count_macs(const dla_shape& s) {
  return std::uint64_t{dla_groups(&s)} * s.M * s.C * s.R * s.S * dla_needed_outputs(&s);
}

std::uint64_t glb_bytes(const dla_glb_plan& glb) {
  return std::uint64_t{glb.ifmap.size_bytes} + glb.filter.size_bytes + glb.psum.size_bytes + glb.out.size_bytes;
}

std::uint64_t dram_bytes(const PlannedMapping& plan) {
  return plan.cost.dram_bytes.read() + plan.cost.dram_bytes.ofmap;
}

/// Filter rows a pass.
std::uint32_t rows_a_pass(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping) {
  return dla_fold_rows(&machine, &shape, mapping.fold_rows);
}

std::vector<std::string> describe_plan(const MachineFile& machine, const dla_shape& shape, const PlannedMapping& plan) {
  const dla_machine& geometry = machine.geometry;
  const dla_mapping& m = plan.mapping;
  const double macs = static_cast<double>(count_macs(shape));
  const double slots = static_cast<double>(plan.cost.cycles) * geometry.rows * geometry.cols;
  std::vector<std::string> cells;
  for (const std::uint32_t letter : {m.m, m.e, m.p, m.q, m.r, m.t, rows_a_pass(geometry, shape, m), m.e_glb}) {
    cells.push_back(std::to_string(letter));
  }
  const AccessCounts& counts = plan.accesses;
  const double energy = price_energy(machine.access_energy(), counts).total();
  for (const std::string& cell :
       {std::string(m.ifmap_resident ? "resident" : "streamed"), std::to_string(m.filter_buffers),
        std::to_string(m.stay), with_commas(plan.cost.cycles), with_digits(100 * macs / slots, 1) + " %",
        with_commas(dram_bytes(plan)), with_commas(glb_bytes(plan.glb)),
        with_commas(counts.glb_reads.total() + counts.glb_writes.total()),
        with_commas(static_cast<std::uint64_t>(energy))}) {
    cells.push_back(cell);
  }
  return cells;
}

void print_best(const MachineFile& machine, const LayerToMap& layer, const SearchResult& found, std::ostream& out) {
  std::vector<std::vector<std::string>> rows = {{"m", "e", "p", "q", "r", "t", "rows", "e_glb", "ifmap", "buffers",
                                                 "stay", "cycles", "of all PEs", "DRAM bytes", "GLB bytes",
                                                 "GLB accesses", "energy"}};
  for (const PlannedMapping& plan : found.best) {
    rows.push_back(describe_plan(machine, layer.shape, plan));
  }
  print_columns(rows, out);
}

/// A roof: what it lets through, in MACs a cycle.
struct Roof {
  double macs_a_cycle;
  const char* binds;
};

void print_roofline(const dla_machine& machine, const dla_shape& shape, const PlannedMapping& plan, std::ostream& out) {
  const double macs = static_cast<double>(count_macs(shape));
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
  out << "roofline: " << with_digits(macs / (read + written), 1) << " MACs a DRAM byte; "
      << with_digits(lowest.macs_a_cycle, 1) << " MACs a cycle attainable, as " << lowest.binds << "; "
      << with_digits(macs / static_cast<double>(plan.cost.cycles), 1) << " predicted\n";
}

void print_count(std::uint64_t count, const std::string& what, std::ostream& out) {
  if (count != 0) {
    const std::string number = with_commas(count);
    out << "  " << std::string(14 - std::min<std::size_t>(14, number.size()), ' ') << number << "  " << what << "\n";
  }
}

constexpr char kBound[] = "worse by a bound";

/// What is wrong, without what would work.
std::string fault(dla_error error) {
  const std::string text = dla_error_text(error);
  return text.substr(0, text.find(';'));
}

/// \param why  They lost.
void print_limits(const std::array<std::uint64_t, kLimits>& counts, const std::string& why, std::ostream& out) {
  for (std::size_t i = 0; i < kLimits; ++i) {
    print_count(counts[i], why + ", most of their cycles: " + std::string(to_text(static_cast<Limit>(i))), out);
  }
}

void print_census(const dla_machine& machine, const dla_shape& shape, const SearchCensus& census, std::ostream& out) {
  const ArrayCensus arrays = count_arrays(machine, shape);
  out << "ways to fill the array (e, p, q, r, t, fold_rows):\n";
  for (const auto& [error, count] : arrays.illegal) {
    print_count(count, "illegal: " + fault(error), out);
  }
  print_limits(census.pruned_arrays, kBound, out);
  out << "ways to share the GLB (e_glb, ifmap) for the others:\n";
  for (const auto& [error, count] : census.illegal_tilings) {
    print_count(count, "illegal: " + fault(error), out);
  }
  print_limits(census.pruned_tilings, kBound, out);
  out << "filter tiles (m) for the others:\n";
  print_limits(census.pruned_filter_tiles, kBound, out);
  print_limits(census.priced, "priced", out);
}

}  // namespace

void print_mappings(const MachineFile& machine, const LayerToMap& layer, const SearchResult& found, std::ostream& out) {
  out << (layer.name.empty() ? "" : layer.name + ": ") << to_text(layer.shape) << "\n";
  print_best(machine, layer, found, out);
  print_roofline(machine.geometry, layer.shape, found.best.front(), out);
  print_census(machine.geometry, layer.shape, found.census, out);
}

}  // namespace fovea
