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

struct LargerOne {
  std::vector<LargerSize> sizes;
  MachineFile machine;
};

bool is_width(const std::string& field) {
  return field == "bus_bytes" || field == "psum_lanes" || field.ends_with("_bytes_per_cycle");
}

/// Each two of the widths that data pass.
std::vector<LargerOne> pairs_of_widths(const std::vector<LargerOne>& singles) {
  std::vector<LargerOne> pairs;
  for (const LargerOne& one : singles) {
    const std::string& field = one.sizes.front().field;
    for (const LargerMachine& both : is_width(field) ? larger_machines(one.machine) : std::vector<LargerMachine>()) {
      if (is_width(both.field) && field < both.field) {
        pairs.push_back({{one.sizes.front(), {both.field, both.from, both.to}}, both.machine});
      }
    }
  }
  return pairs;
}

/// Adds to each layer the machines on which it takes fewer cycles.
void ask(const std::vector<LargerOne>& machines, const Mapper& mapper, const DramPreset& dram,
         const std::vector<std::pair<const Layer*, LayerHelp*>>& layers) {
  if (layers.empty()) {
    return;
  }
  const double gates = gates_of(mapper.machine().geometry);
  MappingsAhead ahead;
  for (const auto& [layer, help] : layers) {
    ahead.add(*layer);
  }
  for (const LargerOne& larger : machines) {
    Mapper other(larger.machine, mapper.mode(), mapper.goal());
    other.prepare(ahead.convolutions, ahead.linears);
    for (const auto& [layer, help] : layers) {
      const auto cost = price(*layer, other, dram);
      if (cost && cost->cycles < help->cycles) {
        help->helps.push_back({larger.sizes, cost->cycles, gates_of(larger.machine.geometry) / gates - 1});
      }
    }
  }
}

}  // namespace

std::vector<LayerHelp> what_helps(const NetworkRequest& request, std::size_t most) {
  const Placement& placement = request.placement;
  const auto mapper = std::make_shared<Mapper>(read_machine(placement.machine), placement.mapping, placement.goal);
  const DramPreset& dram = memory_of(mapper->machine(), placement.dram);
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

  std::vector<LargerOne> singles;
  for (const LargerMachine& one : larger_machines(mapper->machine())) {
    singles.push_back({{{one.field, one.from, one.to}}, one.machine});
  }
  std::vector<std::pair<const Layer*, LayerHelp*>> asked;
  for (auto& [layer, help] : found) {
    asked.emplace_back(layer, &help);
  }
  ask(singles, *mapper, dram, asked);
  std::erase_if(asked, [](const auto& one) {
    return std::ranges::any_of(one.second->helps,
                               [&](const Help& help) { return 100 * help.cycles <= 99 * one.second->cycles; });
  });
  ask(pairs_of_widths(singles), *mapper, dram, asked);

  std::vector<LayerHelp> all;
  for (auto& [layer, help] : found) {
    std::ranges::stable_sort(help.helps, {}, &Help::cycles);
    all.push_back(std::move(help));
  }
  return all;
}

}  // namespace fovea
