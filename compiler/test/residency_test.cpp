// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which tensors stay, against all subsets of them; and that what stays at the same time shares no byte.
#include "targets/dla/residency.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "layers/collect_layers.h"
#include "onnx/import.h"
#include "passes/pipeline.h"
#include "spec/dla_planes.h"
#include "spec/machine_json.h"
#include "targets/dla/dla_work.h"
#include "targets/target.h"

namespace fovea {
namespace {

const char* const kResnet8 = "models/resnet8_cifar10.onnx";

struct Compiled {
  Compiled(const std::string& model, const std::string& machine) {
    mapper = std::make_shared<Mapper>(read_machine("sim/spec/machines/" + machine + ".json"), MappingMode::kSearch);
    PipelineOptions options;
    options.targets = make_targets("dla", {[this] { return mapper; }, {}});
    network = collect_layers(run_pipeline(import_onnx(model), options), "net");
  }

  std::shared_ptr<Mapper> mapper;
  Network network;
};

/// A tensor of the network, as this test sees it: ResNet-8 has neither joins nor views between its convolutions.
struct Tensor {
  std::size_t first = 0, last = 0;  ///< Layers.
  std::uint64_t height = 0;         ///< Bytes of each column.
};

class AllSubsets {
 public:
  AllSubsets(const Network& network, Mapper& mapper) : network_(network), mapper_(mapper) {
    const dla_machine& machine = mapper.machine().geometry;
    const std::uint64_t columns = machine.ifmap_bytes_per_cycle, bus = machine.bus_bytes;
    for (std::size_t i = 0; i < network.layers.size(); ++i) {
      const Layer& layer = network.layers[i];
      const Shape& shape = layer.output_type.shape;
      if (layer.target == "dla" && shape.size() == 4 && shape[2] > 1) {
        const auto plane = static_cast<std::uint64_t>(shape[2] * shape[3]);
        const std::uint64_t planes = (static_cast<std::uint64_t>(shape[1]) + columns - 1) / columns;
        Tensor tensor{i, i, planes * ((plane + bus - 1) / bus * bus)};
        for (std::size_t reader = i; reader < network.layers.size(); ++reader) {
          const auto& inputs = network.layers[reader].inputs;
          tensor.last = std::ranges::count(inputs, layer.output) == 0 ? tensor.last : reader;
        }
        tensors_[layer.output] = tensor;
      }
    }
  }

  double least() {
    std::vector<TensorId> ids;
    for (const auto& [id, tensor] : tensors_) {
      ids.push_back(id);
    }
    double best = 1e300;
    for (std::uint64_t subset = 0; subset < std::uint64_t{1} << ids.size(); ++subset) {
      std::set<TensorId> stay;
      for (std::size_t i = 0; i < ids.size(); ++i) {
        if ((subset >> i & 1) != 0) {
          stay.insert(ids[i]);
        }
      }
      best = std::min(best, price(stay));
    }
    return best;
  }

  double price(const std::set<TensorId>& stay) {
    const dla_machine& machine = mapper_.machine().geometry;
    double sum = 0;
    for (std::size_t i = 0; i < network_.layers.size(); ++i) {
      const Layer& layer = network_.layers[i];
      const auto form = layer.target == "dla" && !layer.is_view() ? device_form_of(layer) : std::nullopt;
      if (!form) {
        continue;
      }
      std::uint64_t height = 0;
      for (const TensorId id : stay) {
        height += tensors_.at(id).first <= i && i <= tensors_.at(id).last ? tensors_.at(id).height : 0;
      }
      const std::uint64_t rows = (height + machine.glb_bank_bytes - 1) / machine.glb_bank_bytes;
      LayerResidency where;
      where.kept_front_bytes =
          static_cast<std::uint32_t>(rows * machine.glb_bank_bytes * machine.ifmap_bytes_per_cycle);
      const auto place = [&](TensorId id) { return stay.contains(id) ? std::optional(0u) : std::nullopt; };
      where.ifmap = place(layer.inputs.at(form->ifmap));
      where.ofmap = place(layer.output);
      where.residual = form->residual ? place(layer.inputs.at(1 - form->ifmap)) : std::nullopt;
      const auto key =
          std::tuple(i, where.ifmap.has_value(), where.ofmap.has_value(), where.residual.has_value(), rows);
      const auto [found, is_new] = prices_.try_emplace(key, 1e300);
      if (is_new && height <= dla_column_bytes(&machine)) {
        const auto work = find_dla_work(layer, mapper_, &where);
        if (work->choice.mapping.plan) {
          const LayerCost& cost = work->choice.mapping.plan->cost;
          found->second = static_cast<double>(cost.cycles) +
                          static_cast<double>(cost.dram_bytes.read() + cost.dram_bytes.ofmap) / machine.bus_bytes;
        }
      }
      sum += found->second;
    }
    return sum;
  }

 private:
  const Network& network_;
  Mapper& mapper_;
  std::map<TensorId, Tensor> tensors_;
  std::map<std::tuple<std::size_t, bool, bool, bool, std::uint64_t>, double> prices_;
};

class Residency : public testing::TestWithParam<const char*> {};

TEST_P(Residency, IsTheBestOfAllSubsets) {
  const Compiled compiled(kResnet8, GetParam());
  const ResidencyPlan plan = plan_residency(compiled.network, *compiled.mapper);
  std::set<TensorId> stay;
  for (const Layer& layer : compiled.network.layers) {
    if (plan.contains(layer.name) && plan.at(layer.name).ofmap) {
      stay.insert(layer.output);
    }
  }
  AllSubsets subsets(compiled.network, *compiled.mapper);
  EXPECT_FALSE(stay.empty());
  EXPECT_EQ(subsets.price(stay), subsets.least());
}

TEST_P(Residency, LeavesEveryLayerALegalCommand) {
  const Compiled compiled(kResnet8, GetParam());
  const dla_machine& machine = compiled.mapper->machine().geometry;
  for (const auto& [name, where] : plan_residency(compiled.network, *compiled.mapper)) {
    const auto layer = std::ranges::find(compiled.network.layers, name, &Layer::name);
    const auto work = find_dla_work(*layer, *compiled.mapper, &where);
    ASSERT_TRUE(work && work->choice.mapping.plan) << name;
    dla_layer command{};
    command.shape = work->choice.shape;
    command.mapping = work->choice.mapping.plan->mapping;
    command.quant.scale = command.quant.conv_scale = command.quant.residual_scale = 1;
    command.ifmap_addr = where.ifmap.value_or(0);
    command.ofmap_addr = where.ofmap.value_or(0x100000);
    command.residual_addr = where.residual.value_or(0x200000);
    dla_plan_glb_behind(&machine, &command.shape, &command.mapping, where.kept_front_bytes, &command.glb);
    if (where.ifmap) {
      const dla_planes planes = dla_planes_of(&machine, &command, kDlaIfmap);
      command.glb.ifmap = dla_banks_of(&machine, &planes);
    }
    EXPECT_EQ(dla_check_layer(&machine, &command), kDlaErrorNone)
        << name << ": " << dla_error_text(dla_check_layer(&machine, &command));
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, Residency, testing::Values("eyeriss_6x8", "eyeriss_12x14", "fovea_16x16"));

}  // namespace
}  // namespace fovea
