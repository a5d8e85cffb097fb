// SPDX-License-Identifier: Apache-2.0
/// \file
/// The lab's functions: what they put into device memory and registers, and that host and device forms agree on
/// lengths.
#include <gmock/gmock.h>

#include <numeric>
#include <vector>

#include "dla_fake_device.h"
#include "lab_host.h"
#include "runtime.h"

namespace {

using testing::ElementsAre;

/// conv1 of VGG-8 made small: 3 channels, filters padded to 4.
class LabDevice : public testing::Test {
 protected:
  static constexpr uint32_t C = 3, H = 8, W = 8, M = 8, R = 3, S = 3;

  void SetUp() override {
    ASSERT_EQ(dla_runtime_open(&rt, &device.hal), kDlaOk);
    dla_lab_attach(&rt);
    std::iota(input.begin(), input.end(), uint8_t{1});
    std::iota(bias.begin(), bias.end(), 1000);
    for (uint32_t m = 0; m < M; ++m) {
      for (uint32_t i = 0; i < C * R * S; ++i) {
        natural[m * C * R * S + i] = static_cast<int8_t>(m * 31 + i);
        padded[m * 4 * R * S + i] = natural[m * C * R * S + i];
      }
    }
  }
  void TearDown() override { dla_lab_attach(nullptr); }

  int run(std::vector<int8_t>& filter, uint32_t filter_len = M * 4 * R * S) {
    return qconv2d_relu(input.data(), filter.data(), output.data(), bias.data(), M * H * W, C * H * W, filter_len, M, 8,
                        4, 4, 1, 2, 1, 1, R, S, C, M, W, H, 7);
  }

  /// The mapping that the device was given.
  dla_mapping mapping() {
    const uint32_t pe = device.registers[DLA_MAP_PE_REG], glb = device.registers[DLA_MAP_GLB_REG];
    return {.m = DLA_GET(MAP_GLB_M, glb),
            .n = DLA_GET(MAP_GLB_N, glb),
            .e = DLA_GET(MAP_PE_E, pe),
            .p = DLA_GET(MAP_PE_P, pe),
            .q = DLA_GET(MAP_PE_Q, pe),
            .r = DLA_GET(MAP_PE_R, pe),
            .t = DLA_GET(MAP_PE_T, pe),
            .e_glb = DLA_GET(MAP_GLB_E_GLB, glb),
            .ifmap_resident = false,
            .filter_buffers = 2,
            .order = kDlaLoopOrderRowsFiltersChannels};
  }

  FakeDevice device;
  dla_runtime rt{};
  std::vector<uint8_t> input = std::vector<uint8_t>(C * H * W), output = std::vector<uint8_t>(M * H * W);
  std::vector<int8_t> natural = std::vector<int8_t>(M * C * R * S), padded = std::vector<int8_t>(M * 4 * R * S);
  std::vector<int32_t> bias = std::vector<int32_t>(M);
};

TEST_F(LabDevice, CopiesTensorsInAndOut) {
  for (const uint32_t filter_len : {M * 4 * R * S, M * C * R * S}) {
    std::vector<uint8_t> ifmap, stream;
    device.on_start = [&] {
      const uint8_t* at = device.view(device.registers[DLA_IFMAP_ADDR_REG], C * H * W);
      ifmap.assign(at, at + C * H * W);
      const dla_shape shape{C, H, W, M, R, S, 1, 1, 1, 1, 1, 1, false};
      const dla_mapping used = mapping();
      std::vector<uint8_t> expected(dla_filter_stream_bytes(&rt.machine, &shape, &used));
      dla_lay_out_filters(&rt.machine, &shape, &used, natural.data(), bias.data(), nullptr, nullptr, expected.data());
      at = device.view(device.registers[DLA_FILTER_ADDR_REG], static_cast<uint32_t>(expected.size()));
      EXPECT_EQ(std::vector<uint8_t>(at, at + expected.size()), expected);
      std::fill_n(device.view(device.registers[DLA_OFMAP_ADDR_REG], M * H * W), M * H * W, uint8_t{99});
      device.finish();
    };
    ASSERT_EQ(run(padded, filter_len), 0);
    EXPECT_EQ(ifmap, input);
    EXPECT_EQ(output, std::vector<uint8_t>(M * H * W, 99));
    output.assign(output.size(), 0);
  }
}

TEST_F(LabDevice, RefusesFiltersWithoutPadding) {
  EXPECT_EQ(run(natural, M * C * R * S), kDlaBadArg);
  EXPECT_EQ(run(natural, M * 4 * R * S), kDlaBadArg) << "whatever the length says";
  padded.back() = 1;
  EXPECT_EQ(run(padded), kDlaBadArg) << "the last weight of the last filter's padding";
  padded.back() = 0;
  EXPECT_EQ(run(padded, M * 4 * R * S - 1), kDlaBadArg);
  EXPECT_EQ(run(padded, M * 8 * R * S), kDlaBadArg);
  EXPECT_EQ(run(padded), 0);
}

TEST_F(LabDevice, SetsTheLabsArithmetic) {
  ASSERT_EQ(run(padded), 0);
  const uint32_t quant = device.registers[DLA_QUANT_REG];
  EXPECT_EQ(DLA_GET(QUANT_SHIFT, quant), 7u);
  EXPECT_EQ(DLA_GET(QUANT_ROUNDING, quant), static_cast<uint32_t>(kDlaFloor));
  EXPECT_EQ(device.registers[DLA_BOUNDS_REG], 128u) << "ReLU, and no upper bound";
  EXPECT_EQ(DLA_GET(QUANT_IFMAP_ZERO_POINT, quant), 128u);
  EXPECT_EQ(DLA_GET(QUANT_OFMAP_ZERO_POINT, quant), 128u);
}

TEST_F(LabDevice, LowersMToWhatTheGlbHolds) {
  // The psums of all 192 filters, 8 rows and 16 columns take 98,304 bytes, more than the GLB has.
  std::vector<uint8_t> wide_in(64 * 16 * 16), wide_out(192 * 16 * 16);
  std::vector<int8_t> filter(192 * 64 * 9);
  std::vector<int32_t> biases(192);
  const int status = qconv2d_relu(wide_in.data(), filter.data(), wide_out.data(), biases.data(), 192 * 16 * 16,
                                  64 * 16 * 16, 192 * 64 * 9, 192, 8, 4, 4, 1, 2, 1, 1, 3, 3, 64, 192, 16, 16, 9);
  ASSERT_EQ(status, 0);
  EXPECT_LT(mapping().m, 192u);
  EXPECT_GE(mapping().m, 64u) << "the lab runs 64";
  EXPECT_EQ(mapping().m % 8, 0u);
}

TEST_F(LabDevice, ReportsFailuresAndWritesNothing) {
  EXPECT_EQ(qconv2d_relu(input.data(), padded.data(), output.data(), bias.data(), M * H * W - 1, C * H * W,
                         M * 4 * R * S, M, 8, 4, 4, 1, 2, 1, 1, R, S, C, M, W, H, 7),
            kDlaBadArg);
  EXPECT_EQ(qconv2d_relu(nullptr, padded.data(), output.data(), bias.data(), M * H * W, C * H * W, M * 4 * R * S, M, 8,
                         4, 4, 1, 2, 1, 1, R, S, C, M, W, H, 7),
            kDlaBadArg);
  EXPECT_EQ(qconv2d_relu(input.data(), padded.data(), output.data(), bias.data(), M * H * W, C * H * W, M * 4 * R * S,
                         M, 8, 4, 5, 1, 2, 1, 1, R, S, C, M, W, H, 7),
            kDlaRefused)
      << "q * S exceeds the spad";
  EXPECT_EQ(rt.last_error, kDlaErrorIfmapSpadFull);
  device.on_start = [&] { device.fail(kDlaErrorBusRead); };
  EXPECT_EQ(run(padded), kDlaRefused);
  EXPECT_EQ(output, std::vector<uint8_t>(M * H * W, 0));
  dla_lab_attach(nullptr);
  EXPECT_EQ(run(padded), kDlaNoDevice);
}

TEST_F(LabDevice, StopsTheInterruptAndLetsGo) {
  ASSERT_EQ(run(padded), 0);
  dla_stop();
  EXPECT_EQ(device.registers[DLA_IRQ_ENABLE_REG], 0u);
  dla_final();
  EXPECT_EQ(dla_lab_runtime(), nullptr);
  dla_init();
  EXPECT_EQ(dla_lab_runtime(), nullptr) << "the driver's own hook opens nothing";
  dla_reset_runtime_info();
}

TEST(LabCpu, ConvolvesWithFloorAndZeroPoint128) {
  uint8_t input[] = {130, 129, 128, 127};
  int8_t filter[] = {3, -3};
  int32_t bias[] = {1, 0};
  uint8_t output[8] = {};
  ASSERT_EQ(qconv2d_relu_cpu(input, filter, output, bias, 8, 4, 2, 0, 1, 1, 1, 1, 2, 2, 2, 1), 0);
  EXPECT_THAT(output, ElementsAre(131, 130, 128, 128, 128, 128, 128, 129));
  uint8_t pooled[2] = {};
  ASSERT_EQ(qconv2d_relu_maxpool_cpu(input, filter, pooled, bias, 2, 4, 2, 0, 1, 1, 1, 1, 2, 2, 2, 1), 0);
  EXPECT_THAT(pooled, ElementsAre(131, 129));
  EXPECT_EQ(qconv2d_relu_cpu(input, filter, output, bias, 7, 4, 2, 0, 1, 1, 1, 1, 2, 2, 2, 1), kDlaBadArg);
  EXPECT_EQ(qconv2d_relu_cpu(input, filter, output, bias, 8, 4, 2, 0, 0, 1, 1, 1, 2, 2, 2, 1), kDlaBadArg);
}

TEST(LabCpu, MultipliesMatrices) {
  uint8_t input[] = {130, 127};
  int8_t filter[] = {1, 1, -5, 0};
  int32_t bias[] = {0, 1};
  uint8_t output[2] = {};
  ASSERT_EQ(qlinear_cpu(input, filter, output, bias, 2, 2, 4, 1), 0);
  EXPECT_THAT(output, ElementsAre(128, 123));
  ASSERT_EQ(qlinear_relu_cpu(input, filter, output, bias, 2, 2, 4, 1), 0);
  EXPECT_THAT(output, ElementsAre(128, 128));
  EXPECT_EQ(qlinear_cpu(input, filter, output, bias, 2, 2, 3, 1), kDlaBadArg);
}

TEST(LabCpu, QuantizesTowardZero) {
  float values[] = {-1.9f, -0.5f, 0.0f, 0.99f, 100.0f};
  uint8_t quantized[5] = {};
  quantize_cpu(values, quantized, 5, 2);
  EXPECT_THAT(quantized, ElementsAre(121, 126, 128, 131, 255));
  float back[5] = {};
  dequantize_cpu(quantized, back, 5, 2);
  EXPECT_THAT(back, ElementsAre(-1.75f, -0.5f, 0.0f, 0.75f, 31.75f));
}

}  // namespace
