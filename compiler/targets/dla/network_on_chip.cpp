// SPDX-License-Identifier: Apache-2.0
/// \file
/// Each layer where the plan has it, beside itself with all tensors in DRAM.
#include "network_on_chip.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "dla_work.h"
#include "layers/tensor_bytes.h"
#include "spec/dla_planes.h"
#include "tensor/error.h"

namespace fovea {
namespace {

/// Of all commands of a layer.
LayerCost cost_of(const Layer& layer, const std::optional<DlaWork>& work) {
  internal_check(work && work->choice.mapping.plan,
                 layer.name + " was planned for the accelerator, but has no mapping");
  LayerCost cost;
  for (std::uint64_t command = 0; command < work->commands; ++command) {
    cost += work->choice.mapping.plan->cost;
  }
  return cost;
}

std::string most_of(const CyclesByCause& causes) {
  const std::pair<std::uint64_t, const char*> named[] = {{causes.compute, "PEs"},        {causes.psum, "psum lanes"},
                                                         {causes.filter, "filter feed"}, {causes.ifmap, "ifmap feed"},
                                                         {causes.dram, "DRAM"},          {causes.output, "outputs"},
                                                         {causes.control, "control"}};
  return std::ranges::max_element(named, {}, [](const auto& cause) { return cause.first; })->second;
}

/// Adds up what layers say of each tensor on chip.
class ChipTensors {
 public:
  ChipTensors(const Network& network, const dla_machine& machine)
      : network_(network), machine_(machine), bytes_(resolve_bytes(network)) {}

  void add(const Layer& layer, const DlaWork& work, const LayerResidency& where) {
    const dla_layer command = {.shape = work.choice.shape,
                               .mapping = work.choice.mapping.plan->mapping,
                               .glb = {},
                               .quant = {},
                               .ifmap_addr = where.ifmap.value_or(0),
                               .filter_addr = 0,
                               .ofmap_addr = where.ofmap.value_or(0),
                               .residual_addr = where.residual.value_or(0)};
    const auto use = [&](bool is_on_chip, TensorId id, dla_layer_tensor as) {
      if (is_on_chip) {
        add_use(layer, where, bytes_[id].whole, dla_planes_of(&machine_, &command, as), as);
      }
    };
    use(where.ifmap.has_value(), layer.inputs.at(work.form.ifmap), kDlaIfmap);
    use(where.residual.has_value(), where.residual ? layer.inputs.at(1 - work.form.ifmap) : layer.output, kDlaResidual);
    use(where.ofmap.has_value(), layer.output, kDlaOfmap);
  }

  std::vector<PlanTensor> take() { return std::move(tensors_); }

 private:
  /// Layers that run depth first keep all their tensors until the last of them has run.
  void add_use(const Layer& layer, const LayerResidency& where, TensorId whole, const dla_planes& planes,
               dla_layer_tensor as) {
    const DepthFirst* together = where.depth_first.get();
    const std::uint64_t column = planes.addr >> kDlaColumnLsb, byte = planes.addr & ((1U << kDlaColumnLsb) - 1);
    const std::uint64_t height = (column + planes.channels + planes.columns - 1) / planes.columns * planes.stride;
    const std::uint64_t begin = byte * planes.columns, end = (byte + height) * planes.columns;
    const auto [found, is_new] = numbers_.try_emplace(whole, tensors_.size());
    if (is_new) {
      PlanTensor& tensor = tensors_.emplace_back();
      tensor.name = network_.tensors[whole].name;
      tensor.first = together == nullptr ? layer.name : together->layers.front();
      tensor.begin = begin;
    }
    PlanTensor& tensor = tensors_[found->second];
    const std::uint64_t moved = std::uint64_t{planes.channels} * planes.rows * planes.cols;
    tensor.last = together == nullptr ? layer.name : together->layers.back();
    tensor.rows = planes.rows;
    tensor.plane_rows = planes.plane_rows;
    tensor.begin = std::min(tensor.begin, begin);
    tensor.end = std::max(tensor.end, end);
    tensor.readers += as == kDlaOfmap ? 0 : 1;
    tensor.bytes += as == kDlaOfmap ? moved : 0;
    tensor.saved += moved;
  }

  const Network& network_;
  const dla_machine& machine_;
  std::vector<TensorBytes> bytes_;
  std::map<TensorId, std::size_t> numbers_;
  std::vector<PlanTensor> tensors_;
};

}  // namespace

NetworkOnChip describe_plan(const Network& network, const ResidencyPlan& plan, Mapper& mapper) {
  std::vector<PlanStep> steps;
  ChipTensors tensors(network, mapper.machine().geometry);
  CyclesByCause causes;
  for (const Layer& layer : network.layers) {
    if (layer.target != "dla" || layer.is_view()) {
      continue;
    }
    const auto found = plan.find(layer.name);
    const LayerResidency where = found == plan.end() ? LayerResidency() : found->second;
    if (!where.depth_first || where.place == 0) {
      steps.emplace_back().slices = where.depth_first ? where.depth_first->slices() : 0;
      causes = {};
    }
    PlanStep& step = steps.back();
    const auto work = find_dla_work(layer, mapper, &where);
    const LayerCost cost = cost_of(layer, work), alone = cost_of(layer, find_dla_work(layer, mapper));
    step.layers.push_back(layer.name);
    step.on_chip = where.kept_front_bytes + where.kept_back_bytes + where.filters_bytes;
    step.cycles += cost.cycles;
    step.dram_bytes += cost.dram_bytes.total();
    step.cycles_alone += alone.cycles;
    step.dram_bytes_alone += alone.dram_bytes.total();
    add(causes, cost.causes);
    step.binds = most_of(causes);
    tensors.add(layer, *work, where);
  }
  return {std::move(steps), tensors.take()};
}

nlohmann::ordered_json plan_json(const NetworkOnChip& plan) {
  nlohmann::ordered_json steps = nlohmann::ordered_json::array(), tensors = steps;
  for (const PlanStep& step : plan.steps) {
    steps.push_back({{"layers", step.layers},
                     {"slices", step.slices},
                     {"on_chip_bytes", step.on_chip},
                     {"cycles", step.cycles},
                     {"dram_bytes", step.dram_bytes},
                     {"cycles_alone", step.cycles_alone},
                     {"dram_bytes_alone", step.dram_bytes_alone},
                     {"binds", step.binds}});
  }
  for (const PlanTensor& tensor : plan.tensors) {
    tensors.push_back({{"name", tensor.name},
                       {"first", tensor.first},
                       {"last", tensor.last},
                       {"rows", tensor.rows},
                       {"plane_rows", tensor.plane_rows},
                       {"begin", tensor.begin},
                       {"end", tensor.end},
                       {"readers", tensor.readers},
                       {"bytes", tensor.bytes},
                       {"saved", tensor.saved}});
  }
  return {{"steps", std::move(steps)}, {"tensors", std::move(tensors)}};
}

}  // namespace fovea
