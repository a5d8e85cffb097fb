// SPDX-License-Identifier: Apache-2.0
/// \file
/// Calibration inputs from pictures, input.bin and raw numbers, and what is said of those that don't fit.
#include "calibration_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "dataset/dataset.h"
#include "dataset/pictures.h"
#include "ir/text.h"
#include "tensor/error.h"

namespace fovea {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

const fs::path kSamples = "models/samples";

Graph network(int64_t channels, int64_t side) {
  GraphBuilder builder;
  const NodeId x = builder.input("x", {{1, channels, side, side}, ElementType::kFloat32});
  return builder.finish({x}, {"y"});
}

class CalibrationData : public testing::Test {
 protected:
  CalibrationData() { fs::create_directories(folder_); }
  ~CalibrationData() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }

  static std::string refusal(const fs::path& path, const Graph& graph) {
    try {
      read_calibration_inputs({path}, graph);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / "fovea_calibration_data";
};

TEST_F(CalibrationData, NormalizesPicturesAndTakesClassesInTurn) {
  CalibrationSource source{kSamples};
  source.most = 12;
  const std::array<float, 3> mean{0.5F, 0.25F, 0}, deviation{0.5F, 1, 2};
  source.mean = mean;
  source.deviation = deviation;
  const auto inputs = read_calibration_inputs(source, network(3, 32));
  ASSERT_EQ(inputs.size(), 12U);
  const char* const names[]{"airplane_0", "automobile_0", "bird_0"};
  for (std::size_t i = 0; i < 3; ++i) {
    const Picture picture = read_picture(kSamples / (names[i] + std::string(".png")));
    for (const std::size_t channel : {0, 1, 2}) {
      const std::size_t at = channel * 1024 + 77;
      EXPECT_EQ(inputs[i][0].values<float>()[at], (picture.planes[at] - mean[channel]) / deviation[channel]);
    }
  }
  const Picture second = read_picture(kSamples / "airplane_1.png");
  EXPECT_EQ(inputs[10][0].values<float>()[0], (second.planes[0] - 0.5F) / 0.5F);
}

TEST_F(CalibrationData, IsTheSameFromInputBin) {
  DatasetOptions dataset;
  dataset.sources = {kSamples};
  dataset.output = folder_ / "input.bin";
  write_dataset(dataset);
  const auto pictures = read_calibration_inputs({kSamples}, network(3, 32));
  EXPECT_EQ(pictures.size(), 100U);
  EXPECT_TRUE(read_calibration_inputs({dataset.output}, network(3, 32)) == pictures);
  EXPECT_THAT(refusal(dataset.output, network(3, 28)),
              HasSubstr("its pictures have 3072 numbers, the network takes 2352; foveac dataset --size 28x28"));
  fs::resize_file(dataset.output, 5000);
  EXPECT_THAT(refusal(dataset.output, network(3, 32)), HasSubstr("is no whole input.bin"));
}

TEST_F(CalibrationData, IsTheSameFromAnInputBinOfOneChannel) {
  DatasetOptions dataset;
  dataset.sources = {kSamples};
  dataset.output = folder_ / "input.bin";
  dataset.channels = 1;
  write_dataset(dataset);
  EXPECT_TRUE(read_calibration_inputs({dataset.output}, network(1, 32)) ==
              read_calibration_inputs({kSamples}, network(1, 32)));
}

TEST_F(CalibrationData, ReadsRawNumbersOfSeveralInputs) {
  GraphBuilder builder;
  const NodeId x = builder.input("x", {{1, 2}, ElementType::kFloat32});
  builder.input("y", {{1, 1}, ElementType::kFloat32});
  const Graph graph = builder.finish({x}, {"z"});
  const std::vector<float> numbers{1, 2, 3, 4, 5, 6};
  const fs::path path = write("x.f32", {reinterpret_cast<const char*>(numbers.data()), 24});
  const auto inputs = read_calibration_inputs({path}, graph);
  ASSERT_EQ(inputs.size(), 2U);
  EXPECT_TRUE(inputs[1][0] == Tensor::of<float>({1, 2}, {4, 5}));
  EXPECT_TRUE(inputs[1][1] == Tensor::of<float>({1, 1}, {6}));
}

TEST_F(CalibrationData, NotesAFolderOfOneClass) {
  EXPECT_EQ(note_on_pictures({kSamples}), "");
  fs::create_directories(folder_ / "deer" / "empty");
  fs::copy_file(kSamples / "deer_1.png", folder_ / "deer" / "deer_1.png");
  EXPECT_THAT(note_on_pictures({folder_ / "deer"}), HasSubstr("all pictures are of one class, deer"));
  EXPECT_EQ(note_on_pictures({write("x.f32", "1234")}), "");
}

TEST_F(CalibrationData, SaysWhatDoesNotFit) {
  EXPECT_THAT(refusal(write("x.f32", "12345"), network(1, 1)),
              HasSubstr("has 5 bytes, no multiple of the 4 that an input of the network takes as float32"));
  EXPECT_THAT(refusal(write("empty.f32", ""), network(1, 1)), HasSubstr("holds no input"));
  EXPECT_THAT(refusal(folder_ / "none.f32", network(1, 1)), HasSubstr("none.f32: no such file"));
  EXPECT_THAT(refusal(kSamples, network(2, 32)), HasSubstr("pictures fit networks of one input, of one or three"));
  EXPECT_THAT(refusal(kSamples, network(3, 28)), HasSubstr("is 32x32, the network takes 28x28"));
  fs::create_directories(folder_ / "nothing");
  EXPECT_THAT(refusal(folder_ / "nothing", network(3, 32)), HasSubstr("has no pictures"));
}

}  // namespace
}  // namespace fovea
