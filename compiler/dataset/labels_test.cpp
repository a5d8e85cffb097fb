// SPDX-License-Identifier: Apache-2.0
/// \file
/// Labels come from the command line, else from the file beside the model, else they are numbers.
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

TEST_F(LabelsTest, AreNumbersWhereNobodySaysMore) {
  const Labels labels = read_labels(model_, 10);
  EXPECT_THAT(labels.names, testing::ElementsAre("0", "1", "2", "3", "4", "5", "6", "7", "8", "9"));
  EXPECT_THAT(normalize(std::vector<float>{0.25f, 0.5f, 1}, 3, labels), testing::ElementsAre(0.25f, 0.5f, 1.0f));
  EXPECT_EQ(note_on_labels(model_, labels),
            "outputs are numbered (--labels names them), pixels go from 0 to 1 (--mean and --std normalize them); "
            "labels_test.json beside the network works too");
}

TEST_F(LabelsTest, WhatIsTypedGoesBeforeTheFile) {
  save(R"({"labels": ["yes", "no"], "mean": 0.5})");
  EXPECT_EQ(note_on_labels(model_, read_labels(model_, 2)), "");
  EXPECT_EQ(read_labels(model_, 2).mean, (Channels{0.5f, 0.5f, 0.5f}));
  const std::filesystem::path names = std::filesystem::path(model_).replace_extension(".txt");
  std::ofstream(names) << "ja\r\nnein\n";
  const Labels labels = read_labels(model_, 2, {names, std::nullopt, Channels{1, 2, 3}});
  EXPECT_THAT(labels.names, testing::ElementsAre("ja", "nein"));
  EXPECT_EQ(labels.mean, (Channels{0.5f, 0.5f, 0.5f}));
  EXPECT_EQ(labels.deviation, (Channels{1, 2, 3}));
  EXPECT_THROW(read_labels(model_, 3, {names, {}, {}}), UserError);
  std::filesystem::remove(names);
  EXPECT_THROW(read_labels(model_, 2, {names, {}, {}}), UserError);
}

TEST(ParseChannels, TakesOneOrThree) {
  EXPECT_EQ(parse_channels("--mean", "0.5, 0,-1", false), (Channels{0.5f, 0, -1}));
  EXPECT_EQ(parse_channels("--std", "0.25", true), (Channels{0.25f, 0.25f, 0.25f}));
  for (const char* text : {"", "1,2", "1,2,3,4", "1,2,3,", "1,,3", "x", "1 2 3", "1e99", "0"}) {
    EXPECT_THROW(parse_channels("--std", text, true), UsageError) << text;
  }
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
       {std::pair(R"({"std": [1, 0, 1]})", R"("std" is [1,0,1]; it must be 3 numbers, or 1 for all channels, above 0)"),
        std::pair(R"({"std": [1, -1, 1]})",
                  R"("std" is [1,-1,1]; it must be 3 numbers, or 1 for all channels, above 0)"),
        std::pair(R"({"std": [1, 1]})", R"("std" is [1,1]; it must be 3 numbers, or 1 for all channels, above 0)"),
        std::pair(R"({"mean": [0, 1e39, 0]})",
                  R"("mean" is [0,1e+39,0]; it must be 3 numbers, or 1 for all channels, of float32)"),
        std::pair(R"({"mean": [0, 0, 0, 0]})",
                  R"("mean" is [0,0,0,0]; it must be 3 numbers, or 1 for all channels, of float32)"),
        std::pair(R"({"mean": [0, 0, 1e999]})", R"("mean" has a number that is too large)"),
        std::pair(R"({"labls": ["yes", "no"]})",
                  R"("labls" is not known; labels, mean and std are; did you mean labels?)")}) {
    save(text);
    try {
      read_labels(model_, 2);
      ADD_FAILURE() << text;
    } catch (const UserError& error) {
      EXPECT_TRUE(std::string(error.what()).ends_with(std::string(": ") + fault)) << error.what();
    }
  }
}

TEST(Normalize, LeavesOtherThanPicturesAlone) {
  EXPECT_THAT(normalize(std::vector<float>{1, 2}, 2, {{}, {9, 9, 9}}), testing::ElementsAre(1.0f, 2.0f));
}

}  // namespace
}  // namespace fovea
