// SPDX-License-Identifier: Apache-2.0
/// \file
/// Real networks (MLPerf Tiny's) against what ONNX Runtime answered: int8 ones bit for bit, on the CPU path and on
/// every backend, float ones nearly; and how many pictures one of them knows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <ostream>

#include "bench/number_from_environment.h"
#include "common/backend.h"
#include "compiled_runs.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

const fs::path kShared = "../shared";
const fs::path kNetworks = kShared / "networks";
constexpr std::size_t kInputs = 8;  ///< Of each network, one after another in a file.
const std::size_t kRtlInputs = number_from_environment("RTL_INPUTS", 1);  ///< The first ones run on the RTL too.

std::string read_bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The part of `all` that belongs to one input.
std::vector<float> part(const std::vector<float>& all, std::size_t index) {
  const auto size = static_cast<std::ptrdiff_t>(all.size() / kInputs);
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(index) * size;
  return {first, first + size};
}

/// A network, and how many commands of it the accelerator runs at least: all convolutions and fully connected layers.
struct RealNetwork {
  const char* name;
  std::size_t device_layers;
};
void PrintTo(const RealNetwork& network, std::ostream* out) { *out << network.name; }

/// Networks compiled for the CPU and for the accelerator: the code of each is strict, freestanding C11.
class RealNetworks : public testing::TestWithParam<RealNetwork> {
 protected:
  void SetUp() override {
    if (!fs::exists(kNetworks)) {
      GTEST_SKIP() << "nothing to test here: " << kNetworks << " is not present";
    }
    fs::remove_all(folder_);
    const fs::path model = kNetworks / (name() + "_int8.onnx");
    ASSERT_EQ(compile_networks({{model, folder_ / "cpu", "cpu"}, {model, folder_ / "dla", "dla"}}),
              std::vector<std::string>(2, ""));
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string name() { return GetParam().name; }

  std::vector<float> answer(const std::string& place, const std::vector<float>& input) const {
    const RunResult result = run_network(place, folder_ / (place == "host" ? "cpu" : "dla"), {{"", {}, input}});
    EXPECT_GE(result.device_layers, place == "host" ? 0 : GetParam().device_layers);
    return result.outputs.at(0).data;
  }

  const fs::path folder_ = fs::path(WORK_FOLDER) / name();
};

TEST_P(RealNetworks, AnswerAsOnnxRuntime) {
  const std::vector<float> inputs = read_tensor(kNetworks / (name() + ".x.f32"));
  const std::vector<float> answers = read_tensor(kNetworks / (name() + "_int8.y.f32"));
  ASSERT_NE(inputs.size() * answers.size(), 0U);
  for (std::size_t i = 0; i < kInputs; ++i) {
    EXPECT_EQ(answer("host", part(inputs, i)), part(answers, i)) << "input " << i;
    for (const std::string& backend : backend_names()) {
      if (backend != "rtl" || i < kRtlInputs) {
        EXPECT_EQ(answer(backend, part(inputs, i)), part(answers, i)) << backend << ", input " << i;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(MlperfTiny, RealNetworks,
                         testing::Values(RealNetwork{"resnet8", 10}, RealNetwork{"ds_cnn", 10},
                                         RealNetwork{"mobilenet_v1_025", 28}, RealNetwork{"autoencoder", 10}),
                         [](const auto& network) { return std::string(network.param.name); });

/// The same networks in float32, on the CPU.
class FloatForms : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!fs::exists(kNetworks)) {
      GTEST_SKIP() << "nothing to test here: " << kNetworks << " is not present";
    }
    fs::remove_all(folder_);
    ASSERT_EQ(compile_networks({{kNetworks / (GetParam() + "_float.onnx"), folder_, "cpu"}}),
              std::vector<std::string>(1, ""));
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::vector<float> answer(const std::vector<float>& input) const {
    return run_network("host", folder_, {{"", {}, input}}).outputs.at(0).data;
  }

  const fs::path folder_ = fs::path(WORK_FOLDER) / ("float_" + GetParam());
};

TEST_P(FloatForms, AnswerAsOnnxRuntime) {
  const std::vector<float> inputs = read_tensor(kNetworks / (GetParam() + ".x.f32"));
  const std::vector<float> answers = read_tensor(kNetworks / (GetParam() + "_float.y.f32"));
  ASSERT_NE(inputs.size() * answers.size(), 0U);
  for (std::size_t i = 0; i < kInputs; ++i) {
    const std::vector<float> expected = part(answers, i), actual = answer(part(inputs, i));
    ASSERT_EQ(actual.size(), expected.size());
    float largest = 0, apart = 0;
    for (std::size_t k = 0; k < expected.size(); ++k) {
      largest = std::max(largest, std::abs(expected[k]));
      apart = std::max(apart, std::abs(actual[k] - expected[k]));
    }
    EXPECT_LE(apart, 1e-4F * largest) << "input " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(MlperfTiny, FloatForms,
                         testing::Values("resnet8", "ds_cnn", "mobilenet_v1_025", "autoencoder"),
                         [](const auto& network) { return network.param; });

/// How many of CIFAR-10's 932 test pictures a network knows, given as pixels 0 to 255, red, green and blue planes.
std::size_t count_known(HostNetwork& network) {
  const std::string pixels = read_bytes(kShared / "data/cifar10_test932_images.u8");
  const std::string labels = read_bytes(kShared / "data/cifar10_test932_labels.u8");
  EXPECT_EQ(labels.size(), 932U);
  const std::size_t size = pixels.size() / labels.size();
  std::size_t known = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    std::vector<float> input(size);
    std::transform(pixels.begin() + static_cast<std::ptrdiff_t>(i * size),
                   pixels.begin() + static_cast<std::ptrdiff_t>((i + 1) * size), input.begin(),
                   [](char pixel) { return static_cast<float>(static_cast<uint8_t>(pixel)); });
    const std::vector<float> scores = network.run({{"", {}, input}}).outputs.at(0).data;
    known += std::max_element(scores.begin(), scores.end()) - scores.begin() == labels[i] ? 1 : 0;
  }
  return known;
}

class Pictures : public RealNetworks {};

TEST_P(Pictures, AreKnownAsOftenAsByOnnxRuntime) {
  HostNetwork network(folder_ / "cpu");
  EXPECT_EQ(count_known(network), 814U);
}

INSTANTIATE_TEST_SUITE_P(Cifar10, Pictures, testing::Values(RealNetwork{"resnet8", 0}),
                         [](const auto& network) { return std::string(network.param.name); });

class FloatPictures : public FloatForms {};

TEST_P(FloatPictures, AreKnownAsOftenAsByOnnxRuntime) {
  HostNetwork network(folder_);
  EXPECT_EQ(count_known(network), 818U);
}

INSTANTIATE_TEST_SUITE_P(Cifar10, FloatPictures, testing::Values("resnet8"),
                         [](const auto& network) { return network.param; });

}  // namespace
}  // namespace fovea
