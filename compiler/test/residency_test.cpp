// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which tensors stay, against all subsets of them; and that what stays at the same time shares no byte.
#include "targets/dla/residency.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "layers/tensor_bytes.h"
#include "mapped_network.h"
#include "spec/dla_planes.h"
#include "spec/dla_schedule.h"
#include "spec/dla_slice.h"
#include "targets/dla/dla_work.h"
#include "targets/dla/slice_mapping.h"
#include "tensor/error.h"

namespace fovea {
namespace {

const char* const kResnet8 = "models/resnet8_cifar10.onnx";
const char* const kMobilenet = "models/mobilenet_v2_cifar10.onnx";

/// A tensor of the network, as this test sees it: ResNet-8 has neither joins nor views between its convolutions.
struct Tensor {
  std::size_t first = 0, last = 0;  ///< Layers.
  std::uint64_t height = 0;         ///< Bytes of each column.
};

/// What layers take, predicted.
struct Figures {
  Figures() = default;
  explicit Figures(const LayerCost& cost)
      : cycles(static_cast<double>(cost.cycles)),
        bytes(static_cast<double>(cost.dram_bytes.read() + cost.dram_bytes.ofmap)) {}

  double cycles = 0, bytes = 0;
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

  /// Whether with a subset of the tensors on chip the network takes no more cycles, and clearly fewer bytes.
  bool has_better(const Figures& than) {
    std::vector<TensorId> ids;
    for (const auto& [id, tensor] : tensors_) {
      ids.push_back(id);
    }
    bool found = false;
    for (std::uint64_t subset = 0; subset < std::uint64_t{1} << ids.size() && !found; ++subset) {
      std::set<TensorId> stay;
      for (std::size_t i = 0; i < ids.size(); ++i) {
        if ((subset >> i & 1) != 0) {
          stay.insert(ids[i]);
        }
      }
      const std::optional<Figures> figures = figures_of(stay);
      found = figures && figures->cycles <= than.cycles && figures->bytes < 0.999 * than.bytes;
    }
    return found;
  }

  /// Nothing where they do not fit.
  std::optional<Figures> figures_of(const std::set<TensorId>& stay) {
    const dla_machine& machine = mapper_.machine().geometry;
    Figures sum;
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
      if (height > dla_column_bytes(&machine)) {
        return std::nullopt;
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
      const auto [found, is_new] = figures_.try_emplace(key);
      if (is_new) {
        const auto work = find_dla_work(layer, mapper_, &where);
        found->second =
            work->choice.mapping.plan ? std::optional(Figures(work->choice.mapping.plan->cost)) : std::nullopt;
      }
      if (!found->second) {
        return std::nullopt;
      }
      sum.cycles += found->second->cycles;
      sum.bytes += found->second->bytes;
    }
    return sum;
  }

 private:
  const Network& network_;
  Mapper& mapper_;
  std::map<TensorId, Tensor> tensors_;
  std::map<std::tuple<std::size_t, bool, bool, bool, std::uint64_t>, std::optional<Figures>> figures_;
};

class Residency : public testing::TestWithParam<std::pair<const char*, const char*>> {
 protected:
  const MappedNetwork compiled_{GetParam().first, GetParam().second};
  const dla_machine& machine_ = compiled_.mapper->machine().geometry;
};

/// Of a network that has few enough tensors to try all subsets of them.
class ResidencyOfFewTensors : public Residency {};

/// Depth first may be better than any subset.
TEST_P(ResidencyOfFewTensors, IsAsGoodAsAnySubset) {
  Figures sum;
  const ResidencyPlan plan = plan_residency(compiled_.network, *compiled_.mapper);
  EXPECT_FALSE(plan.empty());
  for (const Layer& layer : compiled_.network.layers) {
    const LayerResidency where = plan.contains(layer.name) ? plan.at(layer.name) : LayerResidency();
    if (layer.target == "dla" && !layer.is_view()) {
      const Figures figures(find_dla_work(layer, *compiled_.mapper, &where)->choice.mapping.plan->cost);
      sum.cycles += figures.cycles;
      sum.bytes += figures.bytes;
    }
  }
  AllSubsets subsets(compiled_.network, *compiled_.mapper);
  EXPECT_FALSE(subsets.has_better(sum));
  const std::optional<Figures> none = subsets.figures_of({});
  ASSERT_TRUE(none);
  EXPECT_LE(sum.cycles, 1.02 * none->cycles) << "the slack of the goal";
  EXPECT_LT(sum.bytes, none->bytes);
}

/// The commands of a layer: one, or its slices.
std::vector<dla_layer> commands_of(const dla_machine& machine, const Layer& layer, const LayerResidency& where,
                                   Mapper& mapper) {
  const auto work = find_dla_work(layer, mapper, &where);
  internal_check(work && work->choice.mapping.plan, layer.name);
  dla_layer command{};
  command.shape = work->choice.shape;
  command.mapping = work->choice.mapping.plan->mapping;
  command.quant.scale = command.quant.conv_scale = command.quant.residual_scale = 1;
  command.ifmap_addr = where.ifmap.value_or(0);
  command.ofmap_addr = where.ofmap.value_or(0x1000000);
  command.residual_addr = where.residual.value_or(0x2000000);
  std::vector<dla_layer> commands = {command};
  command.glb = plan_glb_beside(machine, command.shape, *work->choice.mapping.plan, where);
  if (!where.depth_first) {
    return {command};
  }
  commands.clear();
  std::uint32_t first = 0;
  for (const std::uint32_t rows : where.depth_first->rows.at(where.place)) {
    if (rows != 0) {
      commands.push_back(dla_slice_of(&command, first, rows));
    }
    first += rows;
  }
  return commands;
}

TEST_P(Residency, LeavesEveryLayerLegalCommands) {
  for (const auto& [name, where] : plan_residency(compiled_.network, *compiled_.mapper)) {
    const auto layer = std::ranges::find(compiled_.network.layers, name, &Layer::name);
    for (const dla_layer& command : commands_of(machine_, *layer, where, *compiled_.mapper)) {
      ASSERT_EQ(dla_check_layer(&machine_, &command), kDlaErrorNone)
          << name << ": " << dla_error_text(dla_check_layer(&machine_, &command));
    }
  }
}

/// Regions and tensors of a command that it may write.
std::vector<dla_region> written_by(const dla_machine& machine, const dla_layer& command) {
  std::vector<dla_region> written = {command.glb.psum, command.glb.out, command.glb.residual};
  if (!command.shape.filters_on_chip) {
    written.push_back(command.glb.filter);
  }
  if (!command.shape.ifmap_on_chip) {
    written.push_back(command.glb.ifmap);
  }
  if (command.shape.ofmap_on_chip) {
    const dla_planes planes = dla_planes_of(&machine, &command, kDlaOfmap);
    written.push_back(dla_banks_of(&machine, &planes));
  }
  return written;
}

/// While layers run depth first, filters that stay are all there, and nobody writes to them.
TEST_P(Residency, LeavesFiltersThatStayAlone) {
  std::map<const DepthFirst*, std::map<std::string, std::vector<dla_layer>>> chains;
  for (const auto& [name, where] : plan_residency(compiled_.network, *compiled_.mapper)) {
    if (where.depth_first) {
      const auto layer = std::ranges::find(compiled_.network.layers, name, &Layer::name);
      chains[where.depth_first.get()][name] = commands_of(machine_, *layer, where, *compiled_.mapper);
    }
  }
  std::size_t staying = 0;
  for (const auto& [together, layers] : chains) {
    for (const auto& [name, commands] : layers) {
      const dla_layer& last = commands.back();
      if (!last.shape.filters_on_chip) {
        continue;
      }
      ++staying;
      const dla_passes passes = dla_derive_passes(&machine_, &last.shape, &last.mapping);
      EXPECT_LE(dla_filter_chunks(&last.shape, &last.mapping, &passes), last.mapping.filter_buffers) << name;
      EXPECT_FALSE(commands.front().shape.filters_on_chip) << name;
      for (const auto& [other, others] : layers) {
        for (std::size_t i = other == name ? 1 : 0; i < others.size(); ++i) {
          for (const dla_region& written : written_by(machine_, others[i])) {
            EXPECT_FALSE(dla_regions_overlap(&written, &last.glb.filter)) << other << " writes to filters of " << name;
          }
        }
      }
    }
  }
  std::printf("filters of %zu layers stay\n", staying);
}

/// The rows that lie on chip, byte by byte of a column: which tensor's, and which row.
class ChipRows {
 public:
  void write(TensorId tensor, std::uint32_t addr, std::uint32_t plane_rows, std::uint32_t cols, std::uint32_t row) {
    for (std::uint32_t i = 0; i < cols; ++i) {
      bytes_[addr + row % plane_rows * cols + i] = {tensor, row};
    }
  }
  bool has(TensorId tensor, std::uint32_t addr, std::uint32_t plane_rows, std::uint32_t cols, std::uint32_t row) const {
    bool found = true;
    for (std::uint32_t i = 0; i < cols; ++i) {
      const auto at = bytes_.find(addr + row % plane_rows * cols + i);
      found = found && at != bytes_.end() && at->second == std::pair(tensor, row);
    }
    return found;
  }

 private:
  std::map<std::uint32_t, std::pair<TensorId, std::uint32_t>> bytes_;  ///< Of the first channel's column.
};

/// Runs the plan's slices in their order on rows alone: what a slice reads on chip is there, whatever was written
/// since.
TEST_P(Residency, FindsEachRowWhereItWasWritten) {
  const ResidencyPlan plan = plan_residency(compiled_.network, *compiled_.mapper);
  const std::vector<TensorBytes> bytes = resolve_bytes(compiled_.network);
  ChipRows chip;
  std::size_t slices_seen = 0;
  const auto run = [&](const std::string& name, std::uint32_t first, std::uint32_t rows) {
    const Layer& layer = *std::ranges::find(compiled_.network.layers, name, &Layer::name);
    const LayerResidency& where = plan.at(name);
    const auto work = find_dla_work(layer, *compiled_.mapper, &where);
    const dla_shape& s = work->form.shape;  // In whose rows tensors are written, whatever shape is chosen.
    const auto all_rows = static_cast<std::uint32_t>(layer.output_type.shape[2]);
    const auto cols = static_cast<std::uint32_t>(layer.output_type.shape[3]);
    if (where.ifmap && !work->form.is_product) {
      const std::uint32_t window = dla_pool_size(&s), step = dla_pool_stride(&s) * s.U;
      const std::int64_t top = std::int64_t{first} * step - s.pad_top;
      const std::int64_t end = std::int64_t{first + rows - 1} * step + (window - 1) * s.U + s.R - s.pad_top;
      for (std::int64_t row = std::max<std::int64_t>(top, 0); row < std::min<std::int64_t>(end, s.H); ++row) {
        ASSERT_TRUE(chip.has(bytes[layer.inputs[work->form.ifmap]].whole, *where.ifmap,
                             where.ifmap_plane_rows == 0 ? s.H : where.ifmap_plane_rows, s.W,
                             static_cast<std::uint32_t>(row)))
            << name << " row " << row;
      }
    }
    for (std::uint32_t row = first; row < first + rows; ++row) {
      if (where.residual) {
        ASSERT_TRUE(chip.has(bytes[layer.inputs[1 - work->form.ifmap]].whole, *where.residual,
                             where.residual_plane_rows == 0 ? all_rows : where.residual_plane_rows, cols, row))
            << name << " residual " << row;
      }
      if (where.ofmap) {
        chip.write(bytes[layer.output].whole, *where.ofmap,
                   where.ofmap_plane_rows == 0 ? all_rows : where.ofmap_plane_rows, cols, row);
      }
    }
  };
  for (const Layer& layer : compiled_.network.layers) {
    const auto found = plan.find(layer.name);
    if (found == plan.end() || layer.output_type.shape.size() != 4) {
      continue;
    }
    const DepthFirst* together = found->second.depth_first.get();
    if (together == nullptr) {
      run(layer.name, 0, static_cast<std::uint32_t>(layer.output_type.shape[2]));
    } else if (found->second.place == 0) {
      std::vector<std::uint32_t> first(together->layers.size(), 0);
      for (std::size_t slice = 0; slice < together->slices(); ++slice, ++slices_seen) {
        for (std::size_t i = 0; i < together->layers.size(); ++i) {
          const std::uint32_t rows = together->rows[i][slice];
          run(together->layers[i], first[i], rows);
          first[i] += rows;
        }
      }
    }
  }
  if (std::string(GetParam().first) == kMobilenet) {
    EXPECT_GT(slices_seen, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, Residency,
                         testing::Values(std::pair(kResnet8, "eyeriss_6x8"), std::pair(kResnet8, "eyeriss_12x14"),
                                         std::pair(kResnet8, "fovea_16x16"), std::pair(kMobilenet, "eyeriss_6x8")));
INSTANTIATE_TEST_SUITE_P(Machines, ResidencyOfFewTensors,
                         testing::Values(std::pair(kResnet8, "eyeriss_6x8"), std::pair(kResnet8, "eyeriss_12x14"),
                                         std::pair(kResnet8, "fovea_16x16")));

}  // namespace
}  // namespace fovea
