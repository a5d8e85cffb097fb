// SPDX-License-Identifier: Apache-2.0
/// \file
/// Looks each command up, and checks what it finds.
#include "tuning_database.h"

#include <exception>
#include <optional>
#include <vector>

namespace fovea {

struct TuningDatabase::Known {
  /// The choice of a row; nothing where it is none for what is asked.
  std::optional<ShapeChoice> choice_of(const SqlRow& row) const;

  /// What the database has of a command; nothing where there is no row.
  std::optional<ShapeChoice> find(const std::string& asked);

  ResultStore store;
  MachineFile machine;
  DramPreset dram;
  ResultMachine result_machine;
  SqlRow key;
  std::set<std::string> found;  ///< Texts of commands that have a row.
};

std::optional<ShapeChoice> TuningDatabase::Known::choice_of(const SqlRow& row) const {
  PricedCommand command;
  try {
    command = command_of({row.begin() + static_cast<std::ptrdiff_t>(key.size()), row.end()});
  } catch (const std::exception&) {
    return std::nullopt;
  }
  ShapeChoice& choice = command.choice;
  if (choice.mapping.plan.has_value() != choice.mapping.reason.empty()) {
    return std::nullopt;
  }
  if (choice.mapping.plan) {
    const dla_mapping mapping = choice.mapping.plan->mapping;
    dla_glb_plan glb;
    if (dla_check_mapping(&machine.geometry, &choice.shape, &mapping) != kDlaErrorNone ||
        dla_plan_glb(&machine.geometry, &choice.shape, &mapping, &glb) != kDlaErrorNone) {
      return std::nullopt;
    }
    choice.mapping.plan = plan_mapping(machine.geometry, choice.shape, mapping);
    choice.mapping.plan->cost = predict_layer(machine.geometry, choice.shape, mapping, machine.dram);
    if (choice.mapping.plan->cost.cycles != command.search_cycles) {
      return std::nullopt;
    }
  }
  return choice;
}

std::optional<ShapeChoice> TuningDatabase::Known::find(const std::string& asked) {
  SqlRow first = key;
  first.emplace_back(asked);
  const std::vector<SqlRow> rows = store.find("layers", first);
  if (rows.empty()) {
    return std::nullopt;
  }
  std::optional<ShapeChoice> choice = choice_of(rows.front());
  if (!choice) {
    throw StoreError(shown_text(store.path() + ": its row of \"" + asked +
                                "\" is damaged, or of a model that was changed since; give another file"));
  }
  found.insert(asked);
  return choice;
}

TuningDatabase::TuningDatabase(const Placement& placement, Mapper& mapper) {
  const MachineFile& machine = mapper.machine();
  const DramPreset& dram = memory_of(machine, placement.dram);
  const ResultMachine of = result_machine(machine);
  known_ = std::make_shared<Known>(Known{
      ResultStore(placement.tuning.string()), machine, dram, of, result_key(of, dram, mapper.goal()).values(), {}});
  mapper.use_choices([known = known_](const std::string& asked) { return known->find(asked); });
}

void TuningDatabase::keep(const Mapper& mapper) const {
  ResultRows layers{"layers", {}};
  for (const auto& [asked, choice] : mapper.chosen()) {
    if (!choice->mapping.is_recorded && known_->found.count(asked) == 0) {
      const SqlRow row = row_of(asked, price_command(known_->machine, known_->dram, *choice));
      layers.rows.push_back(known_->key);
      layers.rows.back().insert(layers.rows.back().end(), row.begin(), row.end());
    }
  }
  if (layers.rows.empty()) {
    return;
  }
  const ResultMachine& machine = known_->result_machine;
  known_->store.add({layers, {"machines", {SqlRow{machine.digest, machine.text}}}});
  for (const SqlRow& row : layers.rows) {
    known_->found.insert(std::get<std::string>(row.at(known_->key.size())));
  }
}

}  // namespace fovea
