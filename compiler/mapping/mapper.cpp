// SPDX-License-Identifier: Apache-2.0
/// \file
/// Remembers what it chose.
#include "mapper.h"

#include <algorithm>
#include <atomic>
#include <deque>

#include "command/command_text.h"
#include "side_by_side.h"

namespace fovea {
namespace {

/// The shapes that a layer may have, and what is chosen for each.
struct Alternatives {
  Alternatives(const std::vector<dla_shape>& shapes, ShapeChoice& of_result) : result(of_result) {
    for (const dla_shape& shape : shapes) {
      choices.push_back({shape, {}});
    }
  }

  void note(const MappingChoice& choice) {
    if (choice.plan) {
      std::uint64_t fewest = fewest_cycles;
      while (choice.plan->cost.cycles < fewest &&
             !fewest_cycles.compare_exchange_weak(fewest, choice.plan->cost.cycles)) {
      }
    }
  }

  ShapeChoice& result;
  std::vector<ShapeChoice> choices;
  std::atomic<std::uint64_t> fewest_cycles = UINT64_MAX;
  std::optional<LinearLayer> linear;  ///< Whose shapes they are, if not a convolution's.
};

}  // namespace

Mapper::Mapper(MachineFile machine, MappingMode mode, const Goal& goal, Recorded recorded)
    : machine_(std::move(machine)),
      mode_(mode),
      goal_(goal),
      recorded_(std::move(recorded)),
      threads_(most_threads()) {}

/// A record may be of a machine file that was changed since: it has to be legal still.
std::optional<PlannedMapping> Mapper::plan_recorded(const dla_shape& shape) const {
  const std::optional<dla_mapping> mapping =
      recorded_ && mode_ == MappingMode::kSearch ? recorded_(shape) : std::nullopt;
  dla_glb_plan glb;
  const bool is_legal = mapping && dla_check_mapping(&machine_.geometry, &shape, &*mapping) == kDlaErrorNone &&
                        dla_plan_glb(&machine_.geometry, &shape, &*mapping, &glb) == kDlaErrorNone;
  return is_legal ? std::optional(plan_mapping(machine_.geometry, shape, *mapping)) : std::nullopt;
}

MappingChoice Mapper::map(const dla_shape& shape, std::uint64_t most_cycles) const {
  MappingChoice choice;
  choice.plan = plan_recorded(shape);
  choice.is_recorded = choice.plan.has_value();
  return choice.plan ? choice
                     : choose_mapping(machine_.geometry, shape, mode_, goal_, machine_.access_energy(), most_cycles);
}

const ShapeChoice& Mapper::choose(const dla_shape& shape) {
  prepare({shape}, {});
  return chosen_.at(to_text(shape));
}

Mapper& Mapper::beside(std::uint32_t kept_bytes) {
  if (kept_bytes == 0) {
    return *this;
  }
  std::unique_ptr<Mapper>& mapper = beside_[kept_bytes];
  if (!mapper) {
    MachineFile smaller = machine_;
    smaller.geometry.glb_bytes -= kept_bytes;
    mapper = std::make_unique<Mapper>(std::move(smaller), mode_, goal_, recorded_);
    mapper->limit_threads(threads_);
  }
  return *mapper;
}

const ShapeChoice& Mapper::choose_linear(const LinearLayer& layer) {
  prepare({}, {layer});
  return chosen_linear_.at(layer);
}

/// A shape that takes more cycles than one of the others loses; of a convolution, if they are more than count as equal.
/// Which ones are left out depends on how the threads run; the best shape does not.
std::uint64_t Mapper::most_cycles(std::uint64_t fewest, bool is_linear) const {
  if (is_linear || fewest == UINT64_MAX) {
    return fewest;
  }
  return goal_.objective == Objective::kCycles ? same_cycles_as(fewest, goal_.slack_percent) : UINT64_MAX;
}

void Mapper::prepare(const std::vector<dla_shape>& convolutions, const std::vector<LinearLayer>& linears) {
  std::deque<Alternatives> layers;
  const auto is_recorded = [this](const dla_shape& shape) { return plan_recorded(shape).has_value(); };
  const auto take_known = [&](const std::string& asked, const std::vector<dla_shape>& shapes, ShapeChoice& result) {
    std::optional<ShapeChoice> known =
        known_ && std::ranges::none_of(shapes, is_recorded) ? known_(asked) : std::nullopt;
    const auto is_its = [&](const dla_shape& shape) { return to_text(shape) == to_text(known->shape); };
    const bool is_taken = known && (!known->mapping.plan || std::ranges::any_of(shapes, is_its));
    if (is_taken) {
      result = std::move(*known);
    }
    return is_taken;
  };
  for (const LinearLayer& layer : linears) {
    const auto [place, is_new] = chosen_linear_.try_emplace(layer);
    if (is_new && mode_ == MappingMode::kLab) {
      place->second.mapping.reason = "the lab has no mapping for fully connected layers";
    } else if (is_new) {
      const std::vector<dla_shape> shapes = linear_shapes(layer);
      if (!take_known(to_text(layer), shapes, place->second)) {
        layers.emplace_back(shapes, place->second).linear = layer;
      }
    }
  }
  for (const dla_shape& shape : convolutions) {
    const auto [place, is_new] = chosen_.try_emplace(to_text(shape));
    if (is_new) {
      const std::vector<dla_shape> shapes = mode_ == MappingMode::kLab ? std::vector{shape} : equal_shapes(shape);
      if (!take_known(place->first, shapes, place->second)) {
        layers.emplace_back(shapes, place->second);
      }
    }
  }
  std::vector<std::function<void()>> searches;
  for (Alternatives& layer : layers) {
    // The largest filters first: they have the fewest mappings, good ones among them.
    for (std::size_t i = layer.choices.size(); i-- > 0;) {
      searches.emplace_back([this, &layer, &choice = layer.choices[i]] {
        choice.mapping = map(choice.shape, most_cycles(layer.fewest_cycles, layer.linear.has_value()));
        layer.note(choice.mapping);
      });
    }
  }
  run_side_by_side(
      searches.size(), [&](std::size_t search, std::size_t) { searches[search](); }, threads_);
  for (const Alternatives& layer : layers) {
    const auto choose_next = [&, i = std::size_t{0}](const dla_shape&) mutable { return layer.choices[i++].mapping; };
    layer.result = layer.linear ? fovea::choose_linear(*layer.linear, choose_next)
                                : choose_shape(machine_.geometry, machine_.access_energy(), goal_, layer.choices);
    predict_with_memory(layer.result);
  }
}

/// Searches price by the default memory.
void Mapper::predict_with_memory(ShapeChoice& choice) const {
  const bool is_default = machine_.dram.name == dram_preset_names().front();
  if (PlannedMapping* plan = choice.mapping.plan ? &*choice.mapping.plan : nullptr; plan != nullptr && !is_default) {
    plan->cost = predict_layer(machine_.geometry, choice.shape, plan->mapping, machine_.dram);
  }
}

std::vector<std::pair<std::string, const ShapeChoice*>> Mapper::chosen() const {
  std::vector<std::pair<std::string, const ShapeChoice*>> all;
  for (const auto& [asked, choice] : chosen_) {
    all.emplace_back(asked, &choice);
  }
  for (const auto& [layer, choice] : chosen_linear_) {
    all.emplace_back(to_text(layer), &choice);
  }
  return all;
}

void Mapper::use_records(Recorded recorded) {
  recorded_ = std::move(recorded);
  chosen_.clear();
  chosen_linear_.clear();
  beside_.clear();
}

}  // namespace fovea
