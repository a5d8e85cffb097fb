// SPDX-License-Identifier: Apache-2.0
/// \file
/// Real int8 networks (MLPerf Tiny's) against what ONNX Runtime answered, bit for bit, on the CPU path and on SystemC.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "compiled_runs.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

const fs::path kNetworks = "../shared/networks";
constexpr std::size_t kInputs = 8;  ///< Of each network, one after another in a file.

std::vector<float> read_floats(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
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

class RealNetworks : public testing::TestWithParam<const char*> {};

TEST_P(RealNetworks, AnswerAsOnnxRuntime) {
  const std::string name = GetParam();
  if (!fs::exists(kNetworks)) {
    GTEST_SKIP() << "nothing to test here: " << kNetworks << " is not present";
  }
  const fs::path folder = fs::path(testing::TempDir()) / ("fovea_real_" + name);
  fs::remove_all(folder);
  const fs::path model = kNetworks / (name + "_int8.onnx");
  const std::vector<std::string> refusals =
      compile_networks({{model, folder / "cpu", "cpu"}, {model, folder / "dla", "dla"}});
  ASSERT_EQ(refusals, std::vector<std::string>(2, ""));
  const std::vector<float> inputs = read_floats(kNetworks / (name + ".x.f32"));
  const std::vector<float> answers = read_floats(kNetworks / (name + "_int8.y.f32"));
  ASSERT_NE(inputs.size() * answers.size(), 0U);
  for (std::size_t i = 0; i < kInputs; ++i) {
    const std::vector<NamedTensor> input = {{"", {}, part(inputs, i)}};
    EXPECT_EQ(run_network("host", folder / "cpu", input).outputs.at(0).data, part(answers, i)) << "input " << i;
    EXPECT_EQ(run_network("systemc", folder / "dla", input).outputs.at(0).data, part(answers, i)) << "input " << i;
  }
  fs::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(MlperfTiny, RealNetworks,
                         testing::Values("resnet8", "ds_cnn", "mobilenet_v1_025", "autoencoder"),
                         [](const auto& network) { return std::string(network.param); });

}  // namespace
}  // namespace fovea
