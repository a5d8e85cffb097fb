// SPDX-License-Identifier: Apache-2.0
/// \file
/// input.bin is read as written, and refused in one line where it is damaged.
#include "input_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tensor/error.h"

namespace fovea {
namespace {

using testing::HasSubstr;

/// A file of two classes with two pictures of three numbers each.
class InputFileTest : public testing::Test {
 protected:
  void SetUp() override {
    number(2);
    text("cat");
    text("dog");
    number(2);
    number(3);
    for (int i = 0; i < 12; ++i) {
      const float value = static_cast<float>(i) / 2;
      bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
  }
  void TearDown() override { std::filesystem::remove(path_); }

  void number(uint32_t value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void text(const std::string& value) {
    number(static_cast<uint32_t>(value.size()));
    bytes_ += value;
  }
  void save() { std::ofstream(path_, std::ios::binary) << bytes_; }

  std::string failure() {
    save();
    try {
      read_input_file(path_);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }

  std::string bytes_;
  std::filesystem::path path_ = std::filesystem::path(testing::TempDir()) / "input_file_test.bin";
};

TEST_F(InputFileTest, ReadsNamesAndPictures) {
  save();
  const InputFile input = read_input_file(path_);
  EXPECT_EQ(input.classes, (std::vector<std::string>{"cat", "dog"}));
  EXPECT_EQ(input.per_class, 2u);
  EXPECT_THAT(input.picture(1, 0), testing::ElementsAre(3.0f, 3.5f, 4.0f));
}

TEST_F(InputFileTest, AClassIsTheOutputOfItsName) {
  save();
  const InputFile input = read_input_file(path_);
  EXPECT_THAT(input.outputs({"dog", "hen", "cat"}), testing::ElementsAre(2u, 0u));
  EXPECT_THAT(input.outputs({"0", "1"}), testing::ElementsAre(0u, 1u)) << "by place";
  EXPECT_THAT(input.outputs({"dog", "hen"}), testing::ElementsAre(0u, 1u)) << "by place, as cat is none";
}

TEST_F(InputFileTest, PicturesHaveOneOfTheSizes) {
  save();
  EXPECT_EQ(read_input_file(path_, {9, 3}).floats_per_picture, 3u);
  EXPECT_THROW(read_input_file(path_, {9}), UserError);
}

TEST_F(InputFileTest, RefusesEveryTruncation) {
  const std::string whole = bytes_;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    bytes_ = whole.substr(0, size);
    EXPECT_THAT(failure(), HasSubstr("truncated")) << size;
  }
}

TEST_F(InputFileTest, RefusesWhatIsLongerThanItSays) {
  bytes_ += "x";
  EXPECT_THAT(failure(), HasSubstr("not as long as it says"));
}

TEST_F(InputFileTest, RefusesAnotherKindOfFile) {
  bytes_ = "\x89PNG and more of a picture, enough to be read";
  EXPECT_THAT(failure(), HasSubstr("no input.bin"));
}

TEST_F(InputFileTest, NamesAMissingFile) {
  EXPECT_THROW(
      {
        try {
          read_input_file("nowhere/input.bin");
        } catch (const UserError& error) {
          EXPECT_STREQ(error.what(), "nowhere/input.bin: no such file");
          throw;
        }
      },
      UserError);
}

TEST_F(InputFileTest, RawTensorsHaveExactlyTheSizeAsked) {
  bytes_.assign(12, '\0');
  save();
  EXPECT_EQ(read_raw_tensor(path_, "x", 3).size(), 3u);
  EXPECT_THROW(read_raw_tensor(path_, "x", 4), UserError);
}

}  // namespace
}  // namespace fovea
