// SPDX-License-Identifier: Apache-2.0
/// \file
/// Maps and prices layers on machines of which one size is larger.
#include "what_helps.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "compile.h"
#include "mapping/cost_model.h"
#include "spec/dla_area.h"
#include "targets/dla/dla_work.h"

namespace fovea {
namespace {

/// A layer of the network with its price; nothing where no mapping fits.
std::optional<LayerCost> price(const Layer& layer, Mapper& mapper, const DramPreset& dram) {
  const auto work = layer.target == "cpu" ? std::nullopt : find_dla_work(layer, mapper);
  if (!work || !work->choice.mapping.plan) {
    return std::nullopt;
  }
  return predict_layer(mapper.machine().geometry, work->choice.shape, work->choice.mapping.plan->mapping, dram);
}

double gates_of(const dla_machine& machine) {
  const dla_area area = dla_estimate_area(&machine);
  return dla_area_gates(&area);
}

}  // namespace

std::vector<LayerHelp> what_helps(const NetworkRequest& request, std::size_t most) {
  const Placement& placement = request.placement;
  const DramPreset& dram = dram_preset(placement.dram);
  const auto mapper = std::make_shared<Mapper>(read_machine(placement.machine), placement.mapping, placement.goal);
  const Network network = import_network(request, mapper);

  std::vector<std::pair<const Layer*, LayerHelp>> found;
  std::uint64_t whole = 0;
  for (const Layer& layer : network.layers) {
    if (const auto cost = price(layer, *mapper, dram)) {
      found.emplace_back(&layer, LayerHelp{layer.name, cost->cycles, cost->cycles - cost->causes.compute, {}});
      whole += cost->cycles;
    }
  }
  std::erase_if(found, [&](const auto& one) { return 1000 * one.second.lost < whole; });
  std::ranges::stable_sort(found, std::greater<>(), [](const auto& one) { return one.second.lost; });
  found.resize(std::min(found.size(), most));

  const double gates = gates_of(mapper->machine().geometry);
  for (const LargerMachine& larger : larger_machines(mapper->machine())) {
    Mapper other(larger.machine, placement.mapping, placement.goal);
    MappingsAhead ahead;
    for (const auto& [layer, help] : found) {
      ahead.add(*layer);
    }
    other.prepare(ahead.convolutions, ahead.linears);
    const double more = gates_of(larger.machine.geometry) / gates - 1;
    for (auto& [layer, help] : found) {
      const auto cost = price(*layer, other, dram);
      if (cost && cost->cycles < help.cycles) {
        help.helps.push_back({larger.field, larger.from, larger.to, cost->cycles, more});
      }
    }
  }
  std::vector<LayerHelp> all;
  for (auto& [layer, help] : found) {
    std::ranges::stable_sort(help.helps, {}, &Help::cycles);
    all.push_back(std::move(help));
  }
  return all;
}

}  // namespace fovea
