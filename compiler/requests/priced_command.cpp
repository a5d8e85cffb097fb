// SPDX-License-Identifier: Apache-2.0
/// \file
/// Prices a choice, and turns it into the columns of results_schema.h.
#include "priced_command.h"

#include "command/command_json.h"
#include "targets/dla/slice_mapping.h"

namespace fovea {
namespace {

/// In the order of their columns.
constexpr std::uint64_t CyclesByCause::*kCauses[] = {
    &CyclesByCause::compute, &CyclesByCause::psum,   &CyclesByCause::filter, &CyclesByCause::ifmap,
    &CyclesByCause::dram,    &CyclesByCause::output, &CyclesByCause::control};

/// \param predict  What a mapping takes with a memory that is not the machine's.
template <class Predict>
PricedCommand price(const MachineFile& machine, const DramPreset& dram, const ShapeChoice& choice, Predict predict) {
  PricedCommand priced{choice, 0, {}, 0, 0, 0, 0};
  if (!choice.mapping.plan) {
    return priced;
  }
  const PlannedMapping& plan = *choice.mapping.plan;
  const LayerCost cost = std::string(dram.name) == machine.dram.name ? plan.cost : predict(plan.mapping);
  priced.search_cycles = plan.cost.cycles;
  priced.causes = cost.causes;
  priced.cycles = cost.cycles;
  priced.read_bytes = cost.dram_bytes.read();
  priced.write_bytes = cost.dram_bytes.ofmap;
  priced.energy = price_energy(machine.access_energy(), plan.accesses).total();
  return priced;
}

}  // namespace

PricedCommand price_command(const MachineFile& machine, const DramPreset& dram, const ShapeChoice& choice) {
  return price(machine, dram, choice, [&](const dla_mapping& mapping) {
    return predict_layer(machine.geometry, choice.shape, mapping, dram);
  });
}

PricedCommand price_beside(const MachineFile& machine, const DramPreset& dram, const ShapeChoice& choice,
                           const LayerResidency& where) {
  if (!where.depth_first) {
    return price_command(machine, dram, choice);
  }
  return price(machine, dram, choice, [&](const dla_mapping& mapping) {
    return plan_slices(machine.geometry, choice.shape, mapping, dram, where.depth_first->rows.at(where.place)).cost;
  });
}

ResultKey result_key(const ResultMachine& machine, const DramPreset& dram, const Goal& goal) {
  return {kModelVersion, machine.digest, dram.name, std::string(to_text(goal.objective)), goal.slack_percent};
}

SqlRow row_of(const std::string& asked, const PricedCommand& command) {
  const MappingChoice& mapping = command.choice.mapping;
  SqlRow row = {asked, to_json(command.choice.shape).dump(),
                mapping.plan ? to_json(mapping.plan->mapping).dump() : std::string(), mapping.reason};
  const auto add = [&](std::uint64_t number) { row.emplace_back(static_cast<std::int64_t>(number)); };
  add(command.search_cycles);
  add(command.cycles);
  for (const auto cause : kCauses) {
    add(command.causes.*cause);
  }
  add(command.read_bytes);
  add(command.write_bytes);
  row.emplace_back(command.energy);
  return row;
}

PricedCommand command_of(const SqlRow& row) {
  std::size_t at = 1;
  const auto text = [&] { return std::get<std::string>(row.at(at++)); };
  const auto number = [&] { return static_cast<std::uint64_t>(std::get<std::int64_t>(row.at(at++))); };
  PricedCommand command;
  command.choice.shape = shape_from_json(nlohmann::ordered_json::parse(text()));
  const std::string mapping = text();
  command.choice.mapping.reason = text();
  command.search_cycles = number();
  if (!mapping.empty()) {
    PlannedMapping plan;
    plan.mapping = mapping_from_json(nlohmann::ordered_json::parse(mapping));
    plan.cost.cycles = command.search_cycles;
    command.choice.mapping.plan = plan;
  }
  command.cycles = number();
  for (const auto cause : kCauses) {
    command.causes.*cause = number();
  }
  command.read_bytes = number();
  command.write_bytes = number();
  command.energy = std::get<double>(row.at(at));
  return command;
}

}  // namespace fovea
