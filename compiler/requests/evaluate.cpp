// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs the passes behind "eliminate-dead-code" for a mapper, and prices what it chose.
#include "evaluate.h"

#include <utility>

#include "command/command_text.h"
#include "emit/network_plan.h"
#include "emit/regions.h"
#include "targets/dla/dla_work.h"

namespace fovea {
namespace {

/// The last pass that asks no target.
constexpr char kLastFreePass[] = "copy-outputs";

/// All that the price of a layer beside tensors on chip follows from.
std::string text_beside(const dla_shape& shape, const LayerResidency& where) {
  std::string text =
      to_text(shape) + " beside " + std::to_string(where.kept_front_bytes + where.kept_back_bytes) + " bytes on chip";
  if (where.depth_first) {
    text += ", slices of";
    for (const std::uint32_t rows : where.depth_first->rows.at(where.place)) {
      text += " " + std::to_string(rows);
    }
    text += " rows";
  }
  return text;
}

}  // namespace

PassedNetwork pass_network(const NetworkRequest& request) {
  PipelineOptions options;
  options.stop_after = kLastFreePass;
  options.passes = request.passes;
  options.rounding = request.placement.rounding;
  return {request.name(), run_pipeline(load_network(request.model, request.import), options)};
}

Evaluator::Evaluator(const MachineFile& machine, const Goal& goal, const std::string& dram, std::size_t threads,
                     Known known)
    : threads_(threads),
      mapper_(std::make_shared<Mapper>(machine, MappingMode::kSearch, goal)),
      dram_(memory_of(machine, dram)) {
  mapper_->limit_threads(threads);
  mapper_->use_choices([this, known = std::move(known)](const std::string& asked) -> std::optional<ShapeChoice> {
    std::optional<PricedCommand> found = known ? known(asked) : std::nullopt;
    if (!found) {
      return std::nullopt;
    }
    known_.insert(asked);
    return priced_.emplace(asked, std::move(*found)).first->second.choice;
  });
}

Network Evaluator::place(const PassedNetwork& network, std::vector<NamedTarget>& targets) {
  PipelineOptions options;
  options.start_after = kLastFreePass;
  options.targets = targets = make_targets("dla", {[this] { return mapper_; }, {}, {}});
  return collect_layers(run_pipeline(network.graph, options), network.name);
}

Mapper& Evaluator::planner() {
  if (!planner_) {
    planner_ = std::make_unique<Mapper>(mapper_->machine(), mapper_->mode(), mapper_->goal());
    planner_->limit_threads(threads_);
  }
  return *planner_;
}

void Evaluator::note_beside(const Layer& layer, const LayerResidency& where, EvaluatedLayer& one) {
  const auto work = find_dla_work(layer, planner(), &where);
  const Mapper& left = planner().beside(where.kept_front_bytes + where.kept_back_bytes);
  one.asked = text_beside(work->choice.shape, where);
  one.commands = work->commands;
  if (const auto [place, is_new] = priced_.try_emplace(one.asked); is_new) {
    place->second = price_beside(left.machine(), dram_, work->choice, where);
    beside_.push_back(one.asked);
  }
}

std::vector<EvaluatedLayer> Evaluator::evaluate(const PassedNetwork& network, bool keeps_tensors) {
  std::vector<NamedTarget> targets;
  const Network layers = place(network, targets);
  const ResidencyPlan plan = keeps_tensors ? plan_residency(layers, planner()) : ResidencyPlan();
  std::vector<EvaluatedLayer> all;
  for (const Layer& layer : layers.layers) {
    EvaluatedLayer one{layer.name, layer.composite, layer.target, layer.reason, count_macs(layer), "", 0, 0};
    const auto where = plan.find(layer.name);
    if (where != plan.end() && where->second.is_any() && !layer.is_view()) {
      note_beside(layer, where->second, one);
    } else if (const auto work =
                   layer.target == "dla" && !layer.is_view() ? find_dla_work(layer, *mapper_) : std::nullopt) {
      one.asked = work->asked;
      one.commands = work->commands;
    } else if (is_on_host(layers, layer)) {
      one.cpu_cycles = mapper_->machine().cpu_cycles(one.macs, count_host_bytes(layer));
    } else {
      continue;
    }
    all.push_back(std::move(one));
  }
  return all;
}

void Evaluator::check_memory(const PassedNetwork& network) {
  EmitOptions options;
  const Network layers = place(network, options.targets);
  plan_network(layers, options);
}

const PricedCommand& Evaluator::price(const std::string& asked) {
  const auto found = priced_.find(asked);
  if (found != priced_.end()) {
    return found->second;
  }
  for (const auto& [text, choice] : mapper_->chosen()) {
    if (priced_.count(text) == 0) {
      priced_.emplace(text, price_command(mapper_->machine(), dram_, *choice));
    }
  }
  return priced_.at(asked);
}

std::vector<std::string> Evaluator::take_searched() {
  std::vector<std::string> taken = std::exchange(beside_, {});
  for (const auto& [text, choice] : mapper_->chosen()) {
    if (known_.count(text) == 0 && searched_.insert(text).second) {
      taken.push_back(text);
    }
  }
  return taken;
}

}  // namespace fovea
