// SPDX-License-Identifier: Apache-2.0
/// \file
/// All backends, the RTL with its assertions on, give the golden tensors within the traffic and cycles that we claim.
/// On the RTL a network takes ten seconds: make check_full has those that differ in rounding, machine and memory.
#include <gtest/gtest.h>

#include "common/backend.h"
#include "golden.h"
#include "program/answer.h"
#include "test_network.h"

namespace fovea {
namespace {

/// Bytes that the five convolutions and three fully connected layers must read and write at least: each tensor once.
constexpr uint64_t kCompulsoryReadBytes = 2'327'744 + 1'088'680;
constexpr uint64_t kOutputBytes = 73'728 + 394;

struct Scenario {
  std::string backend, rounding;
};

/// Of all backends and roundings, those that make check_full leaves to itself, or the others.
std::vector<Scenario> scenarios(bool is_full) {
  std::vector<Scenario> found;
  for (const std::string& backend : backend_names()) {
    for (const char* rounding : {"nearest_even", "floor"}) {
      const Scenario each = {backend, rounding};
      if ((each.backend == "rtl" && each.rounding == "floor") == is_full) {
        found.push_back(each);
      }
    }
  }
  return found;
}

/// Likewise the RTL, or all other backends.
std::vector<std::string> backends(bool is_full) {
  std::vector<std::string> found = backend_names();
  std::erase_if(found, [&](const std::string& backend) { return (backend == "rtl") != is_full; });
  return found;
}

const auto kNameOf = [](const auto& scenario) { return scenario.param.backend + "_" + scenario.param.rounding; };

class GoldenAnswers : public testing::TestWithParam<Scenario> {};
INSTANTIATE_TEST_SUITE_P(Scenarios, GoldenAnswers, testing::ValuesIn(scenarios(false)), kNameOf);
INSTANTIATE_TEST_SUITE_P(Full, GoldenAnswers, testing::ValuesIn(scenarios(true)), kNameOf);

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
  uint64_t conv_cycles = 0, linear_cycles = 0, read = 0, written = 0;
};

Totals sum(const std::vector<SeenLayer>& layers) {
  Totals all;
  for (const SeenLayer& layer : layers) {
    (layer.operation.starts_with("qlinear") ? all.linear_cycles : all.conv_cycles) += layer.counters.cycles;
    all.read += uint64_t{layer.counters.ifmap_read_bytes} + layer.counters.filter_read_bytes +
                layer.counters.residual_read_bytes;
    all.written += layer.counters.write_bytes;
  }
  return all;
}

/// What the device took against what the compiler predicted, and conv2 to conv5 against their multiplications.
void expect_cycles(const SeenLayer& layer) {
  const double cycles = layer.counters.cycles;
  EXPECT_NEAR(layer.predicted_cycles, cycles, 0.03 * cycles) << layer.name;
  if (layer.operation.starts_with("qconv2d") && layer.name != "conv1") {
    EXPECT_GE(layer.counters.compute_cycles, 0.85 * cycles) << layer.name;
  }
}

TEST_P(GoldenAnswers, EveryTensorIsTheGoldenOne) {
  FOVEA_NEEDS_SHARED();
  const auto& [backend, rounding] = GetParam();
  TestNetwork network = TestNetwork::on_device(backend, "alexnetbn_v2-power2-" + rounding + "-dla");
  network.classify(cifar_pictures().picture(4, 9));
  expect_golden_tensors(network, rounding);
  const Totals all = sum(network.layers());
  std::printf("%zu device layers: %llu cycles of convolutions, %llu of fully connected layers, %llu bytes read\n",
              network.layers().size(), static_cast<unsigned long long>(all.conv_cycles),
              static_cast<unsigned long long>(all.linear_cycles), static_cast<unsigned long long>(all.read));
  EXPECT_EQ(network.layers().size(), 8u);
  for (const SeenLayer& layer : network.layers()) {
    expect_cycles(layer);
  }
  EXPECT_LE(all.conv_cycles, 3'900'000u);
  EXPECT_LE(all.linear_cycles, 312'995u);
  EXPECT_LE(all.read, kCompulsoryReadBytes * 105 / 100);
  EXPECT_EQ(all.written, kOutputBytes);
}

/// A picture of the repository's own, on a backend, beside what the CPU path says of it.
class SampleAnswers : public testing::TestWithParam<std::string> {
 protected:
  static void expect_the_cpus_answer(TestNetwork& device, const std::string& cpu_network) {
    const InputFile samples = sample_pictures();
    TestNetwork host = TestNetwork::on_cpu(cpu_network);
    const std::vector<float> expected = host.classify(samples.picture(7, 3));
    EXPECT_EQ(device.classify(samples.picture(7, 3)), expected);
    EXPECT_EQ(best_of(expected), 7u);
  }
};
class LabMapping : public SampleAnswers {};

const auto kBackendOf = [](const auto& backend) { return backend.param; };
INSTANTIATE_TEST_SUITE_P(Backends, LabMapping, testing::ValuesIn(backends(false)), kBackendOf);
INSTANTIATE_TEST_SUITE_P(Full, LabMapping, testing::ValuesIn(backends(true)), kBackendOf);
INSTANTIATE_TEST_SUITE_P(Backends, SampleAnswers, testing::ValuesIn(backends(false)), kBackendOf);
INSTANTIATE_TEST_SUITE_P(Full, SampleAnswers, testing::ValuesIn(backends(true)), kBackendOf);

TEST_P(LabMapping, GivesTheCpusAnswer) {
  TestNetwork device = TestNetwork::on_device(GetParam(), "vgg8_cifar10_power2-lab-dla");
  expect_the_cpus_answer(device, "vgg8_cifar10_power2-floor-cpu");
  EXPECT_EQ(device.layers().size(), 5u) << "the lab's fully connected layers run on the CPU";
}

TEST_P(SampleAnswers, TheWideMachineGivesTheCpusAnswer) {
  TestNetwork device = TestNetwork::on_device(GetParam(), "vgg8_cifar10_power2-wide-dla", "eyeriss_12x14");
  expect_the_cpus_answer(device, "vgg8_cifar10_power2-nearest_even-cpu");
}

TEST_P(SampleAnswers, TheLabsDramGivesTheSameAnswer) {
  TestNetwork device = TestNetwork::on_device(GetParam(), "vgg8_cifar10_power2-nearest_even-dla", "eyeriss_6x8", "lab");
  expect_the_cpus_answer(device, "vgg8_cifar10_power2-nearest_even-cpu");
  EXPECT_LE(sum(device.layers()).conv_cycles, 5'200'000u);
}

}  // namespace
}  // namespace fovea
