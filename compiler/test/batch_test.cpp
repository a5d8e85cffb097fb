// SPDX-License-Identifier: Apache-2.0
/// \file
/// What commands take of several pictures at once, beside those of one.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "mapped_network.h"
#include "targets/dla/dla_work.h"

namespace fovea {
namespace {

constexpr std::int64_t kPictures = 4;

/// What the layers of a network take, one after another.
struct Sums {
  std::uint64_t cycles = 0, dram_bytes = 0, commands = 0, layers = 0;
};

ImportOptions of_batch(std::int64_t pictures) {
  ImportOptions import;
  import.batch = pictures;
  return import;
}

struct Compiled : MappedNetwork {
  Compiled(const std::string& model, const std::string& machine, std::int64_t batch)
      : MappedNetwork("models/" + model + ".onnx", machine, of_batch(batch)) {}

  /// Of the layers whose names begin with something.
  Sums sums(const std::string& prefix = "") const {
    Sums sums;
    for (const Layer& layer : network.layers) {
      if (layer.target != "dla" || layer.is_view() || !layer.name.starts_with(prefix)) {
        continue;
      }
      const auto work = find_dla_work(layer, *mapper);
      const LayerCost& cost = work->choice.mapping.plan->cost;
      sums.cycles += work->commands * cost.cycles;
      sums.dram_bytes += work->commands * (cost.dram_bytes.read() + cost.dram_bytes.ofmap);
      sums.commands += work->commands;
      ++sums.layers;
    }
    return sums;
  }
};

class Batch : public testing::TestWithParam<const char*> {
 protected:
  /// Compiled once for all tests.
  static const Compiled& compiled(const std::string& model, std::int64_t batch) {
    static std::map<std::tuple<std::string, std::string, std::int64_t>, Compiled> networks;
    return networks.try_emplace({model, GetParam(), batch}, model, GetParam(), batch).first->second;
  }
};

TEST_P(Batch, ReadsTheWeightsOfFullyConnectedLayersOnce) {
  const Sums one = compiled("vgg8_cifar10_power2", 1).sums("fc");
  const Sums all = compiled("vgg8_cifar10_power2", kPictures).sums("fc");
  ASSERT_EQ(one.layers, 3u);
  EXPECT_EQ(all.commands, 3u);
  EXPECT_LE(static_cast<double>(all.cycles), 0.3 * kPictures * static_cast<double>(one.cycles));
  EXPECT_LE(static_cast<double>(all.dram_bytes), 0.3 * kPictures * static_cast<double>(one.dram_bytes));
}

TEST_P(Batch, ConvolutionsWriteWhereFullyConnectedLayersRead) {
  const auto& layers = compiled("vgg8_cifar10_power2", kPictures).network.layers;
  const auto first = std::ranges::find(layers, "conv1", &Layer::name),
             last = std::ranges::find(layers, "fc8", &Layer::name);
  ASSERT_TRUE(first != layers.end() && last != layers.end());
  EXPECT_TRUE(std::all_of(first, last, [](const Layer& layer) { return layer.target == "dla"; }));
  const auto conv5 = std::ranges::find(layers, "conv5", &Layer::name);
  ASSERT_NE(conv5, layers.end());
  EXPECT_TRUE(conv5->has_stacked_output);
}

TEST_P(Batch, TakesNoMoreThanItsPicturesOneByOne) {
  for (const char* model : {"vgg8_cifar10_power2", "resnet8_cifar10"}) {
    const Sums one = compiled(model, 1).sums(), all = compiled(model, kPictures).sums();
    EXPECT_LT(all.cycles, kPictures * one.cycles) << model;
    EXPECT_LT(all.dram_bytes, kPictures * one.dram_bytes) << model;
    EXPECT_LT(all.commands, kPictures * one.commands) << model;
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, Batch, testing::Values("eyeriss_6x8", "eyeriss_12x14", "fovea_16x16"));

}  // namespace
}  // namespace fovea
