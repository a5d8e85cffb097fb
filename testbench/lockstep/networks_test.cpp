// SPDX-License-Identifier: Apache-2.0
/// \file
/// Do model and RTL agree on the layers of VGG-8 and AlexNet, and how much faster is the model?
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>

#include "lockstep_bench.h"

namespace fovea {
namespace {

/// A layer and how its passes fill the array; m and e_glb are as large as the GLB allows.
struct NetworkLayer {
  const char* name;
  dla_shape shape;
  uint32_t e, p, q, r, t;
};

struct Network {
  const char* name;
  const char* machine;
  std::vector<NetworkLayer> layers;
};

const Network kVgg8 = {"VGG-8",
                       "eyeriss_6x8",
                       {
                           {"conv1", {3, 32, 32, 64, 3, 3, 1, 1, true}, 8, 4, 3, 1, 2},
                           {"conv2", {64, 16, 16, 192, 3, 3, 1, 1, true}, 8, 4, 4, 2, 1},
                           {"conv3", {192, 8, 8, 384, 3, 3, 1, 1, false}, 8, 4, 4, 2, 1},
                           {"conv4", {384, 8, 8, 256, 3, 3, 1, 1, false}, 8, 4, 4, 2, 1},
                           {"conv5", {256, 8, 8, 256, 3, 3, 1, 1, true}, 8, 4, 4, 2, 1},
                           {"fc6", {256, 4, 4, 256, 4, 4, 1, 0, false}, 1, 4, 3, 1, 8},
                           {"fc7", {256, 1, 1, 128, 1, 1, 1, 0, false}, 1, 4, 12, 6, 8},
                           {"fc8", {128, 1, 1, 10, 1, 1, 1, 0, false}, 1, 2, 12, 6, 5},
                       }};

/// Of a grouped convolution, one group.
const Network kAlexNet = {"AlexNet",
                          "eyeriss_12x14",
                          {
                              {"conv1", {3, 227, 227, 96, 11, 11, 4, 0, false}, 7, 12, 1, 1, 2},
                              {"conv2", {48, 27, 27, 128, 5, 5, 1, 2, false}, 7, 16, 2, 2, 2},
                              {"conv3", {256, 13, 13, 384, 3, 3, 1, 1, false}, 13, 16, 4, 4, 1},
                              {"conv4", {192, 13, 13, 192, 3, 3, 1, 1, false}, 13, 16, 4, 4, 1},
                              {"conv5", {192, 13, 13, 128, 3, 3, 1, 1, false}, 13, 16, 4, 4, 1},
                          }};

LayerCase layer_case(const dla_machine& machine, const NetworkLayer& of) {
  LayerCase test;
  dla_layer& layer = test.layer;
  layer.shape = of.shape;
  layer.quant = {9, kDlaNearestEven, true, 128, 128};
  const uint32_t E = (of.shape.H + 2 * of.shape.PAD - of.shape.R) / of.shape.U + 1;
  // All rows, else whole strips.
  for (uint32_t e_glb = E; e_glb >= of.e; e_glb = (e_glb - 1) / of.e * of.e) {
    for (uint32_t m = of.shape.M; m >= of.p * of.t; m /= 2) {
      layer.mapping = {m, 1, of.e, of.p, of.q, of.r, of.t, e_glb, true, 2, kDlaLoopOrderRowsFiltersChannels};
      if (dla_check_mapping(&machine, &layer.shape, &layer.mapping) == kDlaErrorNone &&
          dla_plan_glb(&machine, &layer.shape, &layer.mapping, &layer.glb) == kDlaErrorNone) {
        return test;
      }
    }
  }
  ADD_FAILURE() << of.name << ": no m and e_glb fit the GLB";
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
  LockstepBench bench(network.machine, dram);
  double rtl_seconds = 0, systemc_seconds = 0;
  uint64_t cycles = 0;
  for (const NetworkLayer& layer : network.layers) {
    LayerCase test = layer_case(bench.rtl.machine(), layer);
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
TEST(Networks, Vgg8Lab) { run_network(kVgg8, "lab"); }
TEST(Networks, AlexNetPipelined) { run_network(kAlexNet, "pipelined"); }

}  // namespace
}  // namespace fovea
