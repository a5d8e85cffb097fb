// SPDX-License-Identifier: Apache-2.0
/// \file
/// Code in the lab's form links and runs unchanged: the RTL and the host give the same logits, and the CSV has its
/// rows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <vector>

#include "lab_model.h"
#include "runtime/runtime.h"

namespace {

/// Random weights, the padded copy included, and random pictures.
class LabFunctions : public testing::Test {
 protected:
  LabFunctions() {
    const auto fill = [&](auto& values, int low, int high) {
      std::uniform_int_distribution<int> number(low, high);
      std::generate(std::begin(values), std::end(values), [&] { return number(random_); });
    };
    fill(weights->conv1, -128, 127);
    fill(weights->conv2, -128, 127);
    fill(weights->fc1, -20, 20);
    fill(weights->fc2, -128, 127);
    fill(weights->conv1_bias, -3000, 3000);
    fill(weights->conv2_bias, -3000, 3000);
    fill(weights->fc1_bias, -3000, 3000);
    fill(weights->fc2_bias, -3000, 3000);
    for (int m = 0; m < 16; ++m) {
      std::memcpy(weights->conv1_padded + m * 36, weights->conv1 + m * 27, 27);
    }
  }

  std::vector<float> a_picture() {
    std::normal_distribution<float> value;
    std::vector<float> picture(768);
    std::generate(picture.begin(), picture.end(), [&] { return value(random_); });
    return picture;
  }

  std::unique_ptr<lab_weights> weights = std::make_unique<lab_weights>();

 private:
  std::mt19937 random_{5489};
};

TEST_F(LabFunctions, GiveTheSameOnTheRtlAsOnTheHost) {
  dla_init();
  for (int i = 0; i < 3; ++i) {
    std::vector<float> picture = a_picture();
    float device[10] = {}, host[10] = {};
    ASSERT_EQ(lab_model_dla(weights.get(), picture.data(), device), 0);
    ASSERT_EQ(lab_model_cpu(weights.get(), picture.data(), host), 0);
    EXPECT_THAT(device, testing::ElementsAreArray(host));
    EXPECT_GT(*std::max_element(host, host + 10), *std::min_element(host, host + 10))
        << "a network that says something";
  }
  dla_stop();
  dla_final();
}

TEST_F(LabFunctions, WriteTheLayersSinceTheLastReset) {
  const std::filesystem::path home = std::filesystem::current_path();
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "lab_functions_test";
  std::filesystem::create_directories(folder);
  setenv("DLA_INFO", "1", 1);
  std::vector<float> picture = a_picture();
  float logits[10] = {};
  dla_init();
  ASSERT_EQ(lab_model_dla(weights.get(), picture.data(), logits), 0);
  dla_reset_runtime_info();
  ASSERT_EQ(lab_model_dla(weights.get(), picture.data(), logits), 0);
  std::filesystem::current_path(folder);
  dla_final();
  std::filesystem::current_path(home);
  unsetenv("DLA_INFO");
  std::ifstream file(folder / "output/dla_info.csv");
  const std::string csv{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3) << csv;
  EXPECT_THAT(csv, testing::HasSubstr("\nqconv2d_relu_maxpool,"));
  EXPECT_THAT(csv, testing::HasSubstr("\nqconv2d_relu,"));
  std::filesystem::remove_all(folder);
}

TEST_F(LabFunctions, FailWhereThereIsNoDevice) {
  setenv("DRAM", "none such", 1);
  dla_init();
  unsetenv("DRAM");
  std::vector<float> picture = a_picture();
  float logits[10] = {};
  EXPECT_NE(lab_model_dla(weights.get(), picture.data(), logits), 0);
  dla_final();
}

}  // namespace
