// SPDX-License-Identifier: Apache-2.0
/// \file
/// Labels come from the file beside the model, else CIFAR-10's, else numbers.
#include "labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tensor/error.h"

namespace fovea {
namespace {

class LabelsTest : public testing::Test {
 protected:
  void save(const std::string& text) {
    std::ofstream(std::filesystem::path(model_).replace_extension(".json")) << text;
  }
  void TearDown() override { std::filesystem::remove(std::filesystem::path(model_).replace_extension(".json")); }
  std::filesystem::path model_ = std::filesystem::path(testing::TempDir()) / "labels_test.onnx";
};

TEST_F(LabelsTest, AreCifar10sForTenOutputs) { EXPECT_EQ(read_labels(model_, 10).names[4], "deer"); }

TEST_F(LabelsTest, AreNumbersOtherwise) {
  EXPECT_THAT(read_labels(model_, 3).names, testing::ElementsAre("0", "1", "2"));
}

TEST_F(LabelsTest, ComeFromTheFileBesideTheModel) {
  save(R"({"labels": ["yes", "no"], "mean": [0.5, 0.25, 0], "std": [1, 2, 4]})");
  const Labels labels = read_labels(model_, 2);
  EXPECT_THAT(labels.names, testing::ElementsAre("yes", "no"));
  EXPECT_THAT(normalize(std::vector<float>{1, 1, 1, 2, 2, 2}, 3, labels),
              testing::ElementsAre(0.5f, 0.5f, 0.375f, 0.875f, 0.5f, 0.5f));
}

TEST_F(LabelsTest, AWrongNumberIsRefused) {
  save(R"({"labels": ["yes", "no"]})");
  EXPECT_THROW(read_labels(model_, 3), UserError);
}

TEST_F(LabelsTest, AnotherFileIsRefused) {
  save("not JSON");
  EXPECT_THROW(read_labels(model_, 2), UserError);
  save(R"({"labels": 7})");
  EXPECT_THROW(read_labels(model_, 2), UserError);
}

TEST_F(LabelsTest, NumbersThatDoNotNormalizeAreRefused) {
  for (const auto& [text, fault] :
       {std::pair(R"({"std": [1, 0, 1]})", R"("std" is [1,0,1]; it must be 3 numbers above 0)"),
        std::pair(R"({"std": [1, -1, 1]})", R"("std" is [1,-1,1]; it must be 3 numbers above 0)"),
        std::pair(R"({"std": [1]})", R"("std" is [1]; it must be 3 numbers above 0)"),
        std::pair(R"({"mean": [0, 1e39, 0]})", R"("mean" is [0,1e+39,0]; it must be 3 numbers)"),
        std::pair(R"({"mean": [0, 0, 0, 0]})", R"("mean" is [0,0,0,0]; it must be 3 numbers)"),
        std::pair(R"({"mean": [0, 0, 1e999]})", R"("mean" has a number that is too large)")}) {
    save(text);
    try {
      read_labels(model_, 2);
      ADD_FAILURE() << text;
    } catch (const UserError& error) {
      EXPECT_TRUE(std::string(error.what()).ends_with(std::string(": ") + fault)) << error.what();
    }
  }
}

TEST(Normalize, LeavesOtherThanThreeChannelsAlone) {
  EXPECT_THAT(normalize(std::vector<float>{1, 2}, 1, Labels{}), testing::ElementsAre(1.0f, 2.0f));
}

}  // namespace
}  // namespace fovea
