// SPDX-License-Identifier: Apache-2.0
/// \file
/// The RTL, with its assertions on, gives the golden tensors and stays within the traffic and cycles that we claim.
#include <gtest/gtest.h>

#include "answer.h"
#include "dla_info_csv.h"
#include "golden.h"
#include "test_network.h"

namespace fovea {
namespace {

/// Bytes that the five convolutions must read and write at least: each tensor once.
constexpr uint64_t kCompulsoryReadBytes = 2'327'744;
constexpr uint64_t kOutputBytes = 73'728;

class RtlAnswers : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Roundings, RtlAnswers, testing::Values("nearest_even", "floor"));

void expect_golden_tensors(const TestNetwork& network, const std::string& rounding) {
  std::size_t at = 0;
  for (const SeenTensor& tensor : network.tensors()) {
    if (tensor.type == "uint8") {
      ASSERT_LT(at, golden_layers().size());
      EXPECT_EQ(tensor.bytes, shared_bytes("golden/" + rounding + "/" + golden_layers()[at] + ".u8")) << tensor.name;
      ++at;
    }
  }
  EXPECT_EQ(at, golden_layers().size());
}

/// Sums over the device layers.
struct Totals {
  uint64_t cycles = 0, read = 0, written = 0;
};

Totals sum(const std::vector<SeenLayer>& layers) {
  Totals all;
  for (const SeenLayer& layer : layers) {
    all.cycles += layer.counters.cycles;
    all.read += uint64_t{layer.counters.ifmap_read_bytes} + layer.counters.filter_read_bytes;
    all.written += layer.counters.write_bytes;
  }
  return all;
}

TEST_P(RtlAnswers, EveryTensorIsTheGoldenOne) {
  FOVEA_NEEDS_SHARED();
  TestNetwork network = TestNetwork::on_rtl(std::string("alexnetbn_v2-power2-") + GetParam() + "-dla");
  network.classify(cifar_pictures().picture(4, 9));
  expect_golden_tensors(network, GetParam());
  const Totals all = sum(network.layers());
  std::printf("%zu device layers, %llu cycles, %llu bytes read, %llu written\n", network.layers().size(),
              static_cast<unsigned long long>(all.cycles), static_cast<unsigned long long>(all.read),
              static_cast<unsigned long long>(all.written));
  EXPECT_LE(all.cycles, 8'000'000u);
  EXPECT_LE(all.read, kCompulsoryReadBytes * 13 / 10);
  EXPECT_EQ(all.written, kOutputBytes);
}

/// What the CPU path says about the first sample of each kind of network here.
void expect_the_cpus_answer(TestNetwork& device, const std::string& cpu_network) {
  const InputFile samples = sample_pictures();
  TestNetwork host = TestNetwork::on_cpu(cpu_network);
  const std::vector<float> expected = host.classify(samples.picture(7, 3));
  EXPECT_EQ(device.classify(samples.picture(7, 3)), expected);
  EXPECT_EQ(best_of(expected), 7u);
}

TEST(RtlSamples, LabMappingGivesTheCpusAnswer) {
  TestNetwork device = TestNetwork::on_rtl("vgg8_cifar10_power2-lab-dla");
  expect_the_cpus_answer(device, "vgg8_cifar10_power2-floor-cpu");
}

TEST(RtlSamples, TheWideMachineGivesTheCpusAnswer) {
  TestNetwork device = TestNetwork::on_rtl("vgg8_cifar10_power2-wide-dla", "eyeriss_12x14");
  expect_the_cpus_answer(device, "vgg8_cifar10_power2-nearest_even-cpu");
}

TEST(RtlSamples, TheLabsDramGivesTheSameAnswer) {
  TestNetwork device = TestNetwork::on_rtl("vgg8_cifar10_power2-nearest_even-dla", "eyeriss_6x8", "lab");
  expect_the_cpus_answer(device, "vgg8_cifar10_power2-nearest_even-cpu");
}

}  // namespace
}  // namespace fovea
