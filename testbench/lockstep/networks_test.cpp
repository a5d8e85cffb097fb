// SPDX-License-Identifier: Apache-2.0
/// \file
/// Do model and RTL agree on layers of VGG-8, AlexNet and ResNet-18 as the compiler maps them, and how much faster is
/// the model?
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>

#include "lockstep_bench.h"
#include "mapping/mapper.h"

namespace fovea {
namespace {

struct NetworkLayer {
  const char* name;
  dla_shape shape;  ///< Of a fully connected layer, any convolution of as many inputs whose filters cover the ifmap.
};

struct Network {
  const char* name;
  const char* machine;
  std::vector<NetworkLayer> layers;
};

const Network kVgg8 = {"VGG-8",
                       "eyeriss_6x8",
                       {
                           {"conv1", {3, 32, 32, 64, 3, 3, 1, 1, 1, 1, 1, 1, true}},
                           {"conv2", {64, 16, 16, 192, 3, 3, 1, 1, 1, 1, 1, 1, true}},
                           {"conv3", {192, 8, 8, 384, 3, 3, 1, 1, 1, 1, 1, 1, false}},
                           {"conv4", {384, 8, 8, 256, 3, 3, 1, 1, 1, 1, 1, 1, false}},
                           {"conv5", {256, 8, 8, 256, 3, 3, 1, 1, 1, 1, 1, 1, true}},
                           {"fc6", {256, 4, 4, 256, 4, 4, 1, 1, 0, 0, 0, 0, false}},
                           {"fc7", {256, 1, 1, 128, 1, 1, 1, 1, 0, 0, 0, 0, false}},
                           {"fc8", {128, 1, 1, 10, 1, 1, 1, 1, 0, 0, 0, 0, false}},
                       }};

/// Of a grouped convolution, one group; no pools.
const Network kAlexNet = {"AlexNet, one group of each convolution",
                          "eyeriss_12x14",
                          {
                              {"conv1", {3, 227, 227, 96, 11, 11, 4, 4, 0, 0, 0, 0, false}},
                              {"conv2", {48, 27, 27, 128, 5, 5, 1, 1, 2, 2, 2, 2, false}},
                              {"conv3", {256, 13, 13, 384, 3, 3, 1, 1, 1, 1, 1, 1, false}},
                              {"conv4", {192, 13, 13, 192, 3, 3, 1, 1, 1, 1, 1, 1, false}},
                              {"conv5", {192, 13, 13, 128, 3, 3, 1, 1, 1, 1, 1, 1, false}},
                          }};

/// The largest machine and a small one.
const std::vector<NetworkLayer> kResNet18Layers = {
    {"layer3_0_downsample", {128, 28, 28, 256, 1, 1, 2, 2, 0, 0, 0, 0, false}},
    {"layer4_1_conv2", {512, 7, 7, 512, 3, 3, 1, 1, 1, 1, 1, 1, false}},
};
const Network kResNet18On64x64 = {"ResNet-18 on 64x64", "test_64x64_bus32", kResNet18Layers};
const Network kResNet18On4x4 = {"ResNet-18 on 4x4", "test_4x4_bus8", kResNet18Layers};

/// The layer with the shape and the mapping that the compiler gives it.
LayerCase layer_case(Mapper& mapper, const NetworkLayer& of) {
  const bool is_linear = of.shape.R == of.shape.H && of.shape.S == of.shape.W;
  const ShapeChoice chosen =
      is_linear ? mapper.choose_linear({of.shape.C * of.shape.H * of.shape.W, of.shape.M}) : mapper.choose(of.shape);
  LayerCase test;
  test.layer.shape = chosen.shape;
  test.layer.quant = {9, kDlaNearestEven, 128, 128, 128};
  test.layer.mapping = chosen.mapping.plan.value().mapping;
  test.layer.glb = chosen.mapping.plan->glb;
  return test;
}

void fill_tensors(LayerCase& test) {
  const dla_shape& s = test.layer.shape;
  std::mt19937 source(1);
  test.ifmap.resize(size_t{s.C} * s.H * s.W);
  test.filter.resize(size_t{s.M} * s.C * s.R * s.S);
  test.bias.resize(s.M);
  std::generate(test.ifmap.begin(), test.ifmap.end(), [&] { return static_cast<uint8_t>(source()); });
  std::generate(test.filter.begin(), test.filter.end(), [&] { return static_cast<int8_t>(source()); });
  std::generate(test.bias.begin(), test.bias.end(), [&] { return static_cast<int32_t>(source() % 20000) - 10000; });
}

/// Runs the layer and adds the seconds that the device's own work took.
LayerOutcome run_timed(DeviceBench& bench, LayerCase& test, double& seconds) {
  bench.place(test);
  const auto begin = std::chrono::steady_clock::now();
  LayerOutcome outcome = bench.start(test.layer);
  seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  outcome.ofmap.resize(ofmap_bytes(test.layer.shape));
  EXPECT_EQ(bench.hal().mem_read(bench.hal().ctx, test.layer.ofmap_addr, outcome.ofmap.data(),
                                 static_cast<uint32_t>(outcome.ofmap.size())),
            kDlaOk);
  return outcome;
}

void run_network(const Network& network, const char* dram) {
  LockstepBench bench(network.machine, dram, {}, {}, /*checked=*/false);  // Assertions would slow the RTL down.
  Mapper mapper(machine_of(network.machine), MappingMode::kSearch);
  double rtl_seconds = 0, systemc_seconds = 0;
  uint64_t cycles = 0;
  for (const NetworkLayer& layer : network.layers) {
    LayerCase test = layer_case(mapper, layer);
    fill_tensors(test);
    SCOPED_TRACE(std::string(layer.name) + ": " + describe(test.layer));
    const LayerOutcome rtl = run_timed(bench.rtl, test, rtl_seconds);
    const LayerOutcome systemc = run_timed(bench.systemc, test, systemc_seconds);
    ASSERT_EQ(rtl.error, kDlaErrorNone);
    ASSERT_EQ(rtl.status, kDlaOk);
    expect_equal(rtl, systemc);
    cycles += rtl.counters.cycles;
    std::printf("%s %s, %s DRAM: %u cycles\n", network.name, layer.name, dram, rtl.counters.cycles);
  }
  std::printf("%s, %s DRAM: %llu cycles; rtl %.2f s, systemc %.3f s: %.0f times\n", network.name, dram,
              static_cast<unsigned long long>(cycles), rtl_seconds, systemc_seconds, rtl_seconds / systemc_seconds);
  EXPECT_GT(rtl_seconds, 10 * systemc_seconds);
}

TEST(Networks, Vgg8Pipelined) { run_network(kVgg8, "pipelined"); }
TEST(FullNetworks, Vgg8Lab) { run_network(kVgg8, "lab"); }
TEST(FullNetworks, Vgg8Ddr) { run_network(kVgg8, "ddr"); }
TEST(FullNetworks, AlexNetPipelined) { run_network(kAlexNet, "pipelined"); }
TEST(FullNetworks, ResNet18On64x64) { run_network(kResNet18On64x64, "pipelined"); }
TEST(FullNetworks, ResNet18On4x4) { run_network(kResNet18On4x4, "pipelined"); }

}  // namespace
}  // namespace fovea
