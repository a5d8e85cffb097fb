// SPDX-License-Identifier: Apache-2.0
/// \file
/// Real int8 networks (MLPerf Tiny's) against what ONNX Runtime answered, bit for bit, on the CPU path and on every
/// backend; and how many pictures one of them knows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <ostream>

#include "common/backend.h"
#include "compiled_runs.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

const fs::path kShared = "../shared";
const fs::path kNetworks = kShared / "networks";
constexpr std::size_t kInputs = 8;  ///< Of each network, one after another in a file.

std::string read_bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<float> read_floats(const fs::path& path) {
  const std::string bytes = read_bytes(path);
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
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

 private:
  const fs::path folder_ = fs::path(testing::TempDir()) / ("fovea_real_" + name());
};

TEST_P(RealNetworks, AnswerAsOnnxRuntime) {
  const std::vector<float> inputs = read_floats(kNetworks / (name() + ".x.f32"));
  const std::vector<float> answers = read_floats(kNetworks / (name() + "_int8.y.f32"));
  ASSERT_NE(inputs.size() * answers.size(), 0U);
  for (std::size_t i = 0; i < kInputs; ++i) {
    EXPECT_EQ(answer("host", part(inputs, i)), part(answers, i)) << "input " << i;
    for (const std::string& backend : backend_names()) {
      EXPECT_EQ(answer(backend, part(inputs, i)), part(answers, i)) << backend << ", input " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(MlperfTiny, RealNetworks,
                         testing::Values(RealNetwork{"resnet8", 10}, RealNetwork{"ds_cnn", 10},
                                         RealNetwork{"mobilenet_v1_025", 28}, RealNetwork{"autoencoder", 10}),
                         [](const auto& network) { return std::string(network.param.name); });

/// CIFAR-10's test pictures as bytes, red, green and blue planes.
class Pictures : public RealNetworks {};

TEST_P(Pictures, AreKnownAsOftenAsByOnnxRuntime) {
  const std::string pixels = read_bytes(kShared / "data/cifar10_test932_images.u8");
  const std::string labels = read_bytes(kShared / "data/cifar10_test932_labels.u8");
  ASSERT_EQ(labels.size(), 932U);
  const std::size_t size = pixels.size() / labels.size();
  std::size_t known = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    std::vector<float> input(size);
    std::transform(pixels.begin() + static_cast<std::ptrdiff_t>(i * size),
                   pixels.begin() + static_cast<std::ptrdiff_t>((i + 1) * size), input.begin(),
                   [](char pixel) { return static_cast<float>(static_cast<uint8_t>(pixel)); });
    const std::vector<float> scores = answer("host", input);
    known += std::max_element(scores.begin(), scores.end()) - scores.begin() == labels[i] ? 1 : 0;
  }
  EXPECT_EQ(known, 814U);
}

INSTANTIATE_TEST_SUITE_P(Cifar10, Pictures, testing::Values(RealNetwork{"resnet8", 0}),
                         [](const auto& network) { return std::string(network.param.name); });

}  // namespace
}  // namespace fovea
