// SPDX-License-Identifier: Apache-2.0
/// \file
/// Three parts: the table, the roofline, the census; as a text and as JSON.
#include "map_report.h"

#include <algorithm>
#include <ostream>

#include "command/command_text.h"
#include "mapping/mapper.h"
#include "mapping/mapping_figures.h"
#include "number_text.h"

namespace fovea {
namespace {

std::vector<std::string> describe_plan(const MachineFile& machine, const dla_shape& shape, const PlannedMapping& plan) {
  const dla_mapping& m = plan.mapping;
  const MappingFigures figures = figures_of(machine, shape, plan);
  std::vector<std::string> cells;
  for (const std::uint32_t letter : {m.m, m.e, m.p, m.q, m.r, m.t, figures.rows, m.e_glb}) {
    cells.push_back(std::to_string(letter));
  }
  for (const std::string& cell :
       {std::string(m.ifmap_resident ? "resident" : "streamed"), std::to_string(m.filter_buffers),
        std::to_string(m.stay), with_commas(figures.cycles), with_digits(100 * figures.pe_share, 1) + " %",
        with_commas(figures.dram_bytes), with_commas(figures.glb_bytes), with_commas(figures.glb_accesses),
        with_commas(static_cast<std::uint64_t>(figures.energy))}) {
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

void print_roofline(const Roofline& roofline, std::ostream& out) {
  out << "roofline: " << with_digits(roofline.macs_a_dram_byte, 1) << " MACs a DRAM byte; "
      << with_digits(roofline.attainable, 1) << " MACs a cycle attainable, as " << roofline.binds << "; "
      << with_digits(roofline.predicted, 1) << " predicted\n";
}

void print_step(const SearchStep& step, std::ostream& out) {
  out << step.what << ":\n";
  for (const MappingFate& fate : step.fates) {
    const std::string number = with_commas(fate.count);
    out << "  " << std::string(14 - std::min<std::size_t>(14, number.size()), ' ') << number << "  " << fate.what
        << "\n";
  }
}

}  // namespace

void print_mappings(const MachineFile& machine, const LayerToMap& layer, const SearchResult& found, std::ostream& out) {
  out << (layer.name.empty() ? "" : layer.name + ": ") << to_text(layer.shape) << "\n";
  print_best(machine, layer, found, out);
  print_roofline(roofline_of(machine.geometry, layer.shape, found.best.front()), out);
  for (const SearchStep& step : fates_of(machine.geometry, layer.shape, found.census)) {
    print_step(step, out);
  }
}

namespace {

nlohmann::ordered_json mapping_json(const MachineFile& machine, const dla_shape& shape, const PlannedMapping& plan) {
  const dla_mapping& m = plan.mapping;
  const MappingFigures figures = figures_of(machine, shape, plan);
  const CyclesByCause& causes = plan.cost.causes;
  return {{"m", m.m},
          {"e", m.e},
          {"p", m.p},
          {"q", m.q},
          {"r", m.r},
          {"t", m.t},
          {"rows", figures.rows},
          {"e_glb", m.e_glb},
          {"ifmap_resident", m.ifmap_resident},
          {"filter_buffers", m.filter_buffers},
          {"stay", m.stay},
          {"cycles", figures.cycles},
          {"pe_share", figures.pe_share},
          {"dram_bytes", figures.dram_bytes},
          {"glb_bytes", figures.glb_bytes},
          {"glb_accesses", figures.glb_accesses},
          {"energy", figures.energy},
          {"compute_cycles", causes.compute},
          {"psum_cycles", causes.psum},
          {"filter_cycles", causes.filter},
          {"ifmap_cycles", causes.ifmap},
          {"dram_cycles", causes.dram},
          {"output_cycles", causes.output},
          {"control_cycles", causes.control}};
}

}  // namespace

nlohmann::ordered_json mappings_json(const MachineFile& machine, const LayerToMap& layer, const SearchResult& found) {
  nlohmann::ordered_json json = {{"layer", layer.name}, {"shape", to_text(layer.shape)}};
  for (const PlannedMapping& plan : found.best) {
    json["best"].push_back(mapping_json(machine, layer.shape, plan));
  }
  const Roofline roofline = roofline_of(machine.geometry, layer.shape, found.best.front());
  json["roofline"] = {{"macs_a_dram_byte", roofline.macs_a_dram_byte},
                      {"attainable", roofline.attainable},
                      {"binds", roofline.binds},
                      {"predicted", roofline.predicted}};
  json["fates"] = nlohmann::ordered_json::array();
  for (const SearchStep& step : fates_of(machine.geometry, layer.shape, found.census)) {
    for (const MappingFate& fate : step.fates) {
      json["fates"].push_back({{"step", step.what}, {"fate", fate.what}, {"count", fate.count}});
    }
  }
  return json;
}

}  // namespace fovea
