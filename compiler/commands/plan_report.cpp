// SPDX-License-Identifier: Apache-2.0
/// \file
/// Each layer where the plan has it, beside itself with all tensors in DRAM.
#include "plan_report.h"

#include <algorithm>
#include <optional>
#include <ostream>
#include <utility>

#include "number_text.h"
#include "targets/dla/dla_work.h"
#include "targets/dla/residency.h"
#include "tensor/error.h"

namespace fovea {
namespace {

const PlannedMapping& plan_of(const Layer& layer, const std::optional<DlaWork>& work) {
  internal_check(work && work->choice.mapping.plan,
                 layer.name + " was planned for the accelerator, but has no mapping");
  return *work->choice.mapping.plan;
}

std::string most_of(const CyclesByCause& causes) {
  const std::pair<std::uint64_t, const char*> named[] = {{causes.compute, "PEs"},        {causes.psum, "psum lanes"},
                                                         {causes.filter, "filter feed"}, {causes.ifmap, "ifmap feed"},
                                                         {causes.dram, "DRAM"},          {causes.output, "outputs"},
                                                         {causes.control, "control"}};
  return std::ranges::max_element(named, {}, [](const auto& cause) { return cause.first; })->second;
}

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

}  // namespace

std::vector<PlanStep> plan_steps(const Network& network, Mapper& mapper) {
  const ResidencyPlan plan = plan_residency(network, mapper);
  std::vector<PlanStep> steps;
  CyclesByCause causes;
  for (const Layer& layer : network.layers) {
    if (layer.target == "cpu" || layer.is_view()) {
      continue;
    }
    const auto found = plan.find(layer.name);
    const LayerResidency where = found == plan.end() ? LayerResidency() : found->second;
    if (!where.depth_first || where.place == 0) {
      steps.emplace_back().slices = where.depth_first ? where.depth_first->slices() : 0;
      causes = {};
    }
    PlanStep& step = steps.back();
    const LayerCost cost = plan_of(layer, find_dla_work(layer, mapper, &where)).cost;
    const LayerCost alone = plan_of(layer, find_dla_work(layer, mapper)).cost;
    step.layers.push_back(layer.name);
    step.on_chip = where.kept_front_bytes + where.kept_back_bytes;
    step.cycles += cost.cycles;
    step.dram_bytes += cost.dram_bytes.total();
    step.cycles_alone += alone.cycles;
    step.dram_bytes_alone += alone.dram_bytes.total();
    add(causes, cost.causes);
    step.binds = most_of(causes);
  }
  return steps;
}

void print_plan(const std::vector<PlanStep>& steps, std::ostream& out) {
  std::vector<std::vector<std::string>> rows = {
      {"layers", "slices", "GLB kept", "cycles", "in DRAM", "DRAM bytes", "in DRAM", "most cycles"}};
  for (const PlanStep& step : steps) {
    const bool is_lone = step.layers.size() == 1;
    rows.push_back(cells_of(is_lone ? step.layers.front() : step.layers.front() + " to " + step.layers.back(), step));
  }
  rows.push_back(cells_of("all", sum_of(steps)));
  print_columns(rows, out, "l");
}

nlohmann::ordered_json plan_json(const std::vector<PlanStep>& steps) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const PlanStep& step : steps) {
    json.push_back({{"layers", step.layers},
                    {"slices", step.slices},
                    {"on_chip_bytes", step.on_chip},
                    {"cycles", step.cycles},
                    {"dram_bytes", step.dram_bytes},
                    {"cycles_alone", step.cycles_alone},
                    {"dram_bytes_alone", step.dram_bytes_alone},
                    {"binds", step.binds}});
  }
  return json;
}

}  // namespace fovea
