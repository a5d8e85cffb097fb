// SPDX-License-Identifier: Apache-2.0
/// \file
/// Figures beside those with all tensors in DRAM.
#include "plan_report.h"

#include <ostream>
#include <string>
#include <vector>

#include "number_text.h"

namespace fovea {
namespace {

PlanStep sum_of(const std::vector<PlanStep>& steps) {
  PlanStep sum;
  for (const PlanStep& step : steps) {
    sum.cycles += step.cycles;
    sum.dram_bytes += step.dram_bytes;
    sum.cycles_alone += step.cycles_alone;
    sum.dram_bytes_alone += step.dram_bytes_alone;
  }
  return sum;
}

std::vector<std::string> cells_of(const std::string& name, const PlanStep& step) {
  return {name,
          step.slices == 0 ? "" : std::to_string(step.slices),
          step.on_chip == 0 ? "" : with_commas(step.on_chip),
          with_commas(step.cycles),
          with_commas(step.cycles_alone),
          with_commas(step.dram_bytes),
          with_commas(step.dram_bytes_alone),
          step.binds};
}

std::vector<std::string> cells_of(const PlanTensor& tensor) {
  const bool is_ring = tensor.plane_rows < tensor.rows;
  return {
      tensor.name,
      tensor.first,
      tensor.last,
      with_commas(tensor.bytes),
      with_commas(tensor.begin),
      with_commas(tensor.end - tensor.begin),
      is_ring ? std::to_string(tensor.plane_rows) + " of " + std::to_string(tensor.rows) : std::to_string(tensor.rows),
      with_commas(tensor.saved)};
}

}  // namespace

void print_plan(const NetworkOnChip& plan, std::ostream& out) {
  std::vector<std::vector<std::string>> rows = {
      {"layers", "slices", "GLB kept", "cycles", "in DRAM", "DRAM bytes", "in DRAM", "most cycles"}};
  for (const PlanStep& step : plan.steps) {
    const bool is_lone = step.layers.size() == 1;
    rows.push_back(cells_of(is_lone ? step.layers.front() : step.layers.front() + " to " + step.layers.back(), step));
  }
  rows.push_back(cells_of("all", sum_of(plan.steps)));
  print_columns(rows, out, "l");
  if (plan.tensors.empty()) {
    return;
  }
  std::uint64_t saved = 0;
  rows = {{"tensor on chip", "from", "to", "bytes", "GLB from", "GLB bytes", "rows", "DRAM bytes saved"}};
  for (const PlanTensor& tensor : plan.tensors) {
    rows.push_back(cells_of(tensor));
    saved += tensor.saved;
  }
  rows.push_back({"all", "", "", "", "", "", "", with_commas(saved)});
  out << "\n";
  print_columns(rows, out, "lll");
}

}  // namespace fovea
