// SPDX-License-Identifier: Apache-2.0
/// \file
/// Rates by the machine's clock, energies by its accesses, areas by the area model.
#include "run_figures.h"

#include <cstdio>

#include "mapping/access_counts.h"

namespace fovea {
namespace {

/// The device counts words of the GLB and bytes of DRAM; the compiler what is inside the array.
AccessCounts accesses_of(const LayerInfo& layer, const ArrayAccesses& inside) {
  const dla_counters& counters = layer.counters;
  AccessCounts counts;
  counts.macs = inside.macs;
  counts.spad.ifmap = inside.ifmap_spad;
  counts.pe.ifmap = inside.pe_ifmap;
  counts.pe.filter = inside.pe_filter;
  counts.pe.psum = inside.pe_psum;
  counts.glb_reads.ifmap = counters.glb_read_words;
  counts.glb_writes.ofmap = counters.glb_write_words;
  counts.dram_bytes.ifmap = dram_read_bytes(counters);
  counts.dram_bytes.ofmap = counters.write_bytes;
  return counts;
}

/// In 16-bit MACs; nothing where the compiler's counts of a layer lack.
std::optional<double> energy_of(const std::vector<LayerInfo>& layers, const MachineFile& machine,
                                const NetworkSummary& summary) {
  const AccessEnergy energy = machine.access_energy();
  double sum = 0;
  for (const LayerInfo& layer : layers) {
    if (layer.on_cpu) {
      continue;
    }
    const auto inside = summary.in_array.find(layer.name);
    if (inside == summary.in_array.end()) {
      return std::nullopt;
    }
    sum += price_energy(energy, accesses_of(layer, inside->second)).total();
  }
  return sum;
}

std::string line(const char* format, double number, const std::string& more = {}) {
  char text[64];
  std::snprintf(text, sizeof text, format, number);
  return text + more;
}

}  // namespace

RunFigures figures_of(const std::vector<LayerInfo>& layers, const MachineFile& machine, const NetworkSummary& summary,
                      std::size_t frames) {
  double cycles = 0, macs = 0, device_macs = 0;
  for (const LayerInfo& layer : layers) {
    cycles += static_cast<double>(cycles_of(layer, machine));
    macs += static_cast<double>(macs_of(layer));
    device_macs += layer.on_cpu ? 0 : static_cast<double>(macs_of(layer));
  }
  RunFigures figures;
  if (cycles == 0) {
    return figures;
  }
  const double seconds = cycles / machine.clock_mhz / 1e6;
  figures.frames_per_second = static_cast<double>(frames) / seconds;
  figures.gops = 2 * macs / seconds / 1e9;
  if (const auto energy = energy_of(layers, machine, summary); energy && *energy > 0 && machine.mac_pj() != 0) {
    figures.energy_pj = *energy * machine.mac_pj();
    figures.gops_per_watt = 2000 * device_macs / *figures.energy_pj;
  }
  if (machine.density) {
    figures.area_mm2 = machine.area_mm2();
    figures.tops_per_mm2 = figures.gops / 1000 / *figures.area_mm2;
  }
  return figures;
}

std::string figures_text(const RunFigures& figures, const MachineFile& machine) {
  std::string text = line("%.4g frames a second, ", figures.frames_per_second) + line("%.4g GOPS", figures.gops) +
                     line(" at %g MHz\n", machine.clock_mhz);
  if (figures.gops_per_watt) {
    text += line("%.4g GOPS/W with DRAM, by ", *figures.gops_per_watt, machine.pj_source() + "\n");
  }
  if (figures.tops_per_mm2) {
    text += line("%.4g TOPS/mm2 ", *figures.tops_per_mm2) + line("of %.4g mm2, by ", *figures.area_mm2) +
            machine.density->technology + ": " + machine.density->source + "\n";
  }
  return text;
}

}  // namespace fovea
