// SPDX-License-Identifier: Apache-2.0
/// \file
/// AlexNet's convolutions on the machines with the Eyeriss chip's array: right to the bit, and beside what the chip was
/// measured to take.
#include "alexnet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "bench/direct_convolution.h"
#include "bench/random_layer.h"
#include "spec/dla_macs.h"
#include "test_network.h"

namespace fovea {
namespace {

constexpr uint32_t kPes = 168;

/// Milliseconds of a batch of 4 pictures at 200 MHz: JSSC 2017, as DESIGN section 9 quotes it.
struct ChipTime {
  double total, processing;
};
constexpr std::array<ChipTime, 5> kChip = {{{20.9, 16.5}, {41.9, 39.2}, {23.6, 21.8}, {18.4, 16.0}, {10.5, 10.0}}};

std::vector<float> draw_picture() {
  std::mt19937 source(227);
  std::vector<float> planes(size_t{3} * 227 * 227);
  for (float& pixel : planes) {
    pixel = static_cast<float>(source() % 256) / 255;
  }
  return planes;
}

uint64_t macs(const AlexNetLayer& layer) { return layer.groups * dla_count_macs(&layer.shape); }

/// Part `group` of `groups` equal parts.
template <class T>
std::vector<T> part(const std::vector<T>& whole, uint32_t group, uint32_t groups) {
  const auto size = static_cast<std::ptrdiff_t>(whole.size() / groups);
  return {whole.begin() + group * size, whole.begin() + (group + 1) * size};
}

/// All groups of a layer by loops.
std::vector<uint8_t> convolve(const AlexNetLayer& layer, const std::vector<uint8_t>& ifmap) {
  const AlexNetWeights weights = draw_weights(layer);
  std::vector<uint8_t> ofmap;
  for (uint32_t group = 0; group < layer.groups; ++group) {
    LayerCase one;
    one.layer.shape = layer.shape;
    one.layer.quant = {layer.shift, kDlaNearestEven, 128, 128, 128};
    one.ifmap = part(ifmap, group, layer.groups);
    one.filter = part(weights.filter, group, layer.groups);
    one.bias = part(weights.bias, group, layer.groups);
    const std::vector<uint8_t> maps = convolve_directly(one);
    ofmap.insert(ofmap.end(), maps.begin(), maps.end());
  }
  return ofmap;
}

/// 3x3 with stride 2 on planes of size x size.
std::vector<uint8_t> pool(const std::vector<uint8_t>& planes, uint32_t size) {
  const uint32_t pooled = (size - 3) / 2 + 1;
  std::vector<uint8_t> out;
  for (size_t plane = 0; plane < planes.size(); plane += size_t{size} * size) {
    for (uint32_t i = 0; i < pooled * pooled; ++i) {
      uint8_t most = 0;
      for (uint32_t k = 0; k < 9; ++k) {
        most = std::max(most, planes[plane + (i / pooled * 2 + k / 3) * size + i % pooled * 2 + k % 3]);
      }
      out.push_back(most);
    }
  }
  return out;
}

/// What a layer took.
struct LayerFigures {
  uint64_t cycles = 0, reads = 0, writes = 0;
};

/// \param is_counted  Asked for each layer's name.
template <class IsCounted>
LayerFigures sum(const std::vector<SeenLayer>& layers, IsCounted is_counted) {
  LayerFigures figures;
  for (const SeenLayer& layer : layers) {
    if (is_counted(layer.name)) {
      figures.cycles += layer.counters.cycles;
      figures.reads += uint64_t{layer.counters.ifmap_read_bytes} + layer.counters.filter_read_bytes +
                       layer.counters.residual_read_bytes;
      figures.writes += layer.counters.write_bytes;
      EXPECT_NEAR(layer.predicted_cycles, layer.counters.cycles, 0.03 * layer.counters.cycles) << layer.name;
    }
  }
  return figures;
}

/// Bytes of ifmap, filters, biases and of the ofmap, each once.
LayerFigures compulsory(const AlexNetLayer& layer) {
  const dla_shape& s = layer.shape;
  const uint64_t filters = uint64_t{layer.groups} * s.M;
  return {macs(layer) / kPes, uint64_t{layer.groups} * s.C * s.H * s.W + filters * s.C * s.R * s.S + 4 * filters,
          filters * output_size(layer) * output_size(layer)};
}

void print_row(const char* name, const LayerFigures& took, const LayerFigures& least, const ChipTime& chip) {
  // The chip's batch was four pictures.
  const double chip_cycles = 200e3 * chip.total / 4, processing_cycles = 200e3 * chip.processing / 4;
  std::printf("| %s | %llu | %.1f %% | %.1f %% | %.1f %% | %llu | %llu | %.2f |\n", name,
              static_cast<unsigned long long>(took.cycles), 100.0 * least.cycles / took.cycles,
              100.0 * least.cycles / chip_cycles, 100.0 * least.cycles / processing_cycles,
              static_cast<unsigned long long>(took.reads), static_cast<unsigned long long>(took.writes),
              static_cast<double>(took.reads + took.writes) / static_cast<double>(least.reads + least.writes));
}

/// The pools; the chip's times are those of convolutions.
void print_pools(const LayerFigures& took) {
  std::printf("| the pools | %llu | | | | %llu | %llu | |\n", static_cast<unsigned long long>(took.cycles),
              static_cast<unsigned long long>(took.reads), static_cast<unsigned long long>(took.writes));
}

/// The bytes of the next tensor.
std::vector<uint8_t> take(const std::vector<SeenTensor>& tensors, size_t& at) {
  return at < tensors.size() ? tensors[at++].bytes : std::vector<uint8_t>();
}

void expect_right_tensors(const std::vector<SeenTensor>& tensors) {
  size_t at = 0;
  std::vector<uint8_t> value = take(tensors, at);
  for (const AlexNetLayer& layer : kAlexNet) {
    const std::vector<uint8_t> expected = convolve(layer, value);
    value = take(tensors, at);
    EXPECT_TRUE(value == expected) << layer.name << " differs from a loop nest";
    // A layer of one value would hide mistakes.
    EXPECT_GT(std::count_if(expected.begin(), expected.end(), [](uint8_t y) { return y > 128 && y < 255; }),
              static_cast<std::ptrdiff_t>(expected.size() / 4))
        << layer.name;
    if (layer.pools_after) {
      const std::vector<uint8_t> pooled = pool(value, output_size(layer));
      value = take(tensors, at);
      EXPECT_TRUE(value == pooled) << layer.name << "'s pool";
    }
  }
}

struct Device {
  std::string backend, machine;
};

/// On the RTL alone, or on all others.
std::vector<Device> devices(const std::string& machine, bool is_rtl) {
  std::vector<Device> found;
  for (const std::string& backend : backend_names()) {
    if ((backend == "rtl") == is_rtl) {
      found.push_back({backend, machine});
    }
  }
  return found;
}

const auto kBackendOf = [](const auto& device) { return device.param.backend; };

class AlexNet : public testing::TestWithParam<Device> {};
INSTANTIATE_TEST_SUITE_P(eyeriss_12x14, AlexNet, testing::ValuesIn(devices("eyeriss_12x14", false)), kBackendOf);
INSTANTIATE_TEST_SUITE_P(Full_eyeriss_12x14, AlexNet, testing::ValuesIn(devices("eyeriss_12x14", true)), kBackendOf);
INSTANTIATE_TEST_SUITE_P(eyeriss_chip, AlexNet, testing::ValuesIn(devices("eyeriss_chip", false)), kBackendOf);
// `make alexnet` builds the RTL of this machine, and asks for it.
INSTANTIATE_TEST_SUITE_P(DISABLED_eyeriss_chip, AlexNet, testing::ValuesIn(devices("eyeriss_chip", true)), kBackendOf);

TEST_P(AlexNet, ConvolutionsAreRightAndNearTheFloor) {
  const auto& [backend, machine] = GetParam();
  TestNetwork network = TestNetwork::on_device(backend, "alexnet-" + machine, machine);
  network.classify(draw_picture());
  expect_right_tensors(network.tensors());
  std::printf(
      "| layer | cycles | of 168 MACs a cycle | the chip | ... while processing | DRAM read B | written B | both, "
      "times "
      "compulsory |\n|---|---|---|---|---|---|---|---|\n");
  LayerFigures all, least;
  for (size_t i = 0; i < kAlexNet.size(); ++i) {
    const auto is_this = [&](const std::string& name) { return name == kAlexNet[i].name; };
    const LayerFigures took = sum(network.layers(), is_this), floor = compulsory(kAlexNet[i]);
    EXPECT_EQ(took.writes, floor.writes) << kAlexNet[i].name;
    print_row(kAlexNet[i].name, took, floor, kChip[i]);
    for (const auto& [total, add] : {std::pair(&all, &took), std::pair(&least, &floor)}) {
      total->cycles += add->cycles;
      total->reads += add->reads;
      total->writes += add->writes;
    }
  }
  print_row("all convolutions", all, least, {115.3, 103.5});
  print_pools(sum(network.layers(), [](const std::string& name) { return name.ends_with("_pool"); }));
  EXPECT_GE(static_cast<double>(least.cycles), 0.77 * static_cast<double>(all.cycles));
  EXPECT_LE(all.reads, 3'228'285u);
}

}  // namespace
}  // namespace fovea
