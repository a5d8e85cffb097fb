// SPDX-License-Identifier: Apache-2.0
/// \file
/// Remembers what it chose.
#include "mapper.h"

#include "command/command_text.h"

namespace fovea {

Mapper::Mapper(MachineFile machine, MappingMode mode, const Goal& goal, Recorded recorded)
    : machine_(std::move(machine)), mode_(mode), goal_(goal), recorded_(std::move(recorded)) {}

/// A record may be of a machine file that was changed since: it has to be legal still.
std::optional<PlannedMapping> Mapper::plan_recorded(const dla_shape& shape) const {
  const std::optional<dla_mapping> mapping =
      recorded_ && mode_ == MappingMode::kSearch ? recorded_(shape) : std::nullopt;
  dla_glb_plan glb;
  const bool is_legal = mapping && dla_check_mapping(&machine_.geometry, &shape, &*mapping) == kDlaErrorNone &&
                        dla_plan_glb(&machine_.geometry, &shape, &*mapping, &glb) == kDlaErrorNone;
  return is_legal ? std::optional(plan_mapping(machine_.geometry, shape, *mapping)) : std::nullopt;
}

const MappingChoice& Mapper::choose(const dla_shape& shape) {
  const auto [place, is_new] = chosen_.try_emplace(to_text(shape));
  if (is_new) {
    MappingChoice& choice = place->second;
    choice.plan = plan_recorded(shape);
    choice.is_recorded = choice.plan.has_value();
    if (!choice.plan) {
      choice = choose_mapping(machine_.geometry, shape, mode_, goal_, machine_.energy);
    }
  }
  return place->second;
}

const ShapeChoice& Mapper::choose_linear(std::uint32_t inputs, std::uint32_t outputs) {
  const auto [place, is_new] = chosen_linear_.try_emplace({inputs, outputs});
  if (is_new && mode_ == MappingMode::kLab) {
    place->second.mapping.reason = "the lab has no mapping for fully connected layers";
  } else if (is_new) {
    place->second = fovea::choose_linear(inputs, outputs, [this](const dla_shape& shape) { return choose(shape); });
  }
  return place->second;
}

void Mapper::use_records(Recorded recorded) {
  recorded_ = std::move(recorded);
  chosen_.clear();
  chosen_linear_.clear();
}

}  // namespace fovea
