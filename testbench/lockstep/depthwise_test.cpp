// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does a depthwise layer take one command, and near what psum lanes, ifmap bytes or the bus allow; and do
/// model and RTL agree on it?
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <ostream>
#include <string>

#include "bench/direct_convolution.h"
#include "lockstep_bench.h"

namespace fovea {
namespace {

/// A layer of 144 channels of 56 x 56, as MobileNet-V2 has it. In the papers' letters.
struct Depthwise {
  const char* machine;
  uint32_t U, e, g, t, e_glb;
};

constexpr Depthwise kLayers[] = {
    {"eyeriss_6x8", 1, 7, 4, 2, 28},
    {"eyeriss_6x8", 2, 7, 4, 2, 14},
    {"eyeriss_12x14", 1, 14, 4, 2, 14},
};
constexpr Depthwise kWideLayer = {"fovea_16x16", 1, 14, 4, 4, 14};

uint64_t ceil_div(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

LayerCase layer_case(const Depthwise& of, const dla_machine& machine) {
  LayerCase test;
  test.layer.shape = {1, 56, 56, 1, 3, 3, of.U, of.U, 1, 1, 1, 1, false, true, true, 144};
  test.layer.mapping = {of.g * of.t, 1, of.e, of.g, of.g, 1, of.t, of.e_glb, false, 2, kDlaLoopOrderRowsFiltersChannels,
                        of.g};
  test.layer.quant = {0, kDlaNearestEven, 0, 128, 128, 0, 0};
  EXPECT_EQ(dla_plan_glb(&machine, &test.layer.shape, &test.layer.mapping, &test.layer.glb), kDlaErrorNone);
  for (uint32_t i = 0; i < 144 * 56 * 56; ++i) {
    test.ifmap.push_back(static_cast<uint8_t>(i * 37 + i / 7));
  }
  for (uint32_t i = 0; i < 144 * 9; ++i) {
    test.filter.push_back(static_cast<int8_t>(i * 53 + i / 5));
  }
  for (int32_t m = 0; m < 144; ++m) {
    test.bias.push_back(100 * m - 7000);
    test.scale.push_back(0.004F + 0.0001F * static_cast<float>(m));
  }
  return test;
}

/// The least that psum lanes, ifmap words with all bytes used, and the bus in either direction take.
uint64_t least_cycles(const Depthwise& of, const dla_machine& machine) {
  const uint64_t E = 56 / of.U, outputs = 144 * E * E, columns = 3 + (E - 1) * std::min(3u, of.U);
  const uint64_t rows = E / of.e * ((of.e - 1) * std::min(3u, of.U) + 3);
  return std::max({ceil_div(outputs, machine.psum_lanes), ceil_div(144 * rows * columns, machine.ifmap_bytes_per_cycle),
                   ceil_div(144 * 56 * 56, machine.bus_bytes), ceil_div(outputs, machine.bus_bytes)});
}

class DepthwiseLayers : public testing::TestWithParam<Depthwise> {};

void PrintTo(const Depthwise& layer, std::ostream* out) { *out << layer.machine << ", stride " << layer.U; }

TEST_P(DepthwiseLayers, AreNearTheirRoof) {
  LockstepBench bench(GetParam().machine, "pipelined");
  LayerCase test = layer_case(GetParam(), bench.rtl.machine());
  SCOPED_TRACE(describe(test.layer));
  const LayerOutcome outcome = run_on_both(bench, test);
  ASSERT_EQ(outcome.error, kDlaErrorNone) << dla_error_text(outcome.error);
  EXPECT_TRUE(outcome.ofmap == convolve_directly(test)) << "the ofmap is wrong";
  const uint64_t least = least_cycles(GetParam(), bench.rtl.machine());
  const double part = static_cast<double>(least) / outcome.counters.cycles;
  std::printf("%s, stride %u: %u cycles, at least %llu: %.1f %%\n%s", GetParam().machine, GetParam().U,
              outcome.counters.cycles, static_cast<unsigned long long>(least), 100 * part,
              format_counters(outcome.counters, outcome.counters).c_str());
  EXPECT_GE(part, 0.95);
}

std::string name_of(const testing::TestParamInfo<Depthwise>& layer) {
  return std::string(layer.param.machine) + "_stride" + std::to_string(layer.param.U);
}

INSTANTIATE_TEST_SUITE_P(Layers, DepthwiseLayers, testing::ValuesIn(kLayers), name_of);
INSTANTIATE_TEST_SUITE_P(Full, DepthwiseLayers, testing::Values(kWideLayer), name_of);

}  // namespace
}  // namespace fovea
