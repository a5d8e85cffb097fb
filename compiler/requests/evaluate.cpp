// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs the passes behind "eliminate-dead-code" for a mapper, and prices what it chose.
#include "evaluate.h"

#include <utility>

#include "emit/regions.h"
#include "targets/dla/dla_work.h"

namespace fovea {
namespace {

/// The last pass that asks no target.
constexpr char kLastFreePass[] = "copy-outputs";

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
    : mapper_(std::make_shared<Mapper>(machine, MappingMode::kSearch, goal)), dram_(memory_of(machine, dram)) {
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

std::vector<EvaluatedLayer> Evaluator::evaluate(const PassedNetwork& network) {
  PipelineOptions options;
  options.start_after = kLastFreePass;
  options.targets = make_targets("dla", {[this] { return mapper_; }, {}, {}});
  const Network layers = collect_layers(run_pipeline(network.graph, options), network.name);
  std::vector<EvaluatedLayer> all;
  for (const Layer& layer : layers.layers) {
    EvaluatedLayer one{layer.name, layer.composite, layer.target, layer.reason, count_macs(layer), "", 0, 0};
    if (const auto work = layer.target == "dla" && !layer.is_view() ? find_dla_work(layer, *mapper_) : std::nullopt) {
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
  std::vector<std::string> taken;
  for (const auto& [text, choice] : mapper_->chosen()) {
    if (known_.count(text) == 0 && searched_.insert(text).second) {
      taken.push_back(text);
    }
  }
  return taken;
}

}  // namespace fovea
