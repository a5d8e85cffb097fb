// SPDX-License-Identifier: Apache-2.0
/// \file
/// Files that are no whole ONNX model, each told from the others.
#include "read_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "model_builder.h"
#include "tensor/error.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

class ReadModelTest : public testing::Test {
 protected:
  ~ReadModelTest() override { fs::remove(path_); }

  void write(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }

  std::string error() const {
    try {
      read_model(path_);
    } catch (const UserError& error) {
      return error.what();
    }
    return "no error";
  }

  const fs::path path_ = fs::path(testing::TempDir()) / "fovea_read_model.onnx";
  const std::string whole_ = ModelBuilder().output("x_q").model().SerializeAsString();
};

TEST_F(ReadModelTest, ReadsAWholeModel) {
  write(whole_);
  EXPECT_EQ(read_model(path_).graph().node_size(), 1);
}

TEST_F(ReadModelTest, ReadsAFieldThatOnnxAddedLater) {
  write(whole_ + "\xd2\x01\x03\x0a\x01n");  // configuration { name: "n" }
  EXPECT_EQ(read_model(path_).graph().node_size(), 1);
}

TEST_F(ReadModelTest, MissingFile) { EXPECT_EQ(error(), path_.string() + ": no such file"); }

TEST_F(ReadModelTest, Folder) { EXPECT_THROW(read_model(testing::TempDir()), UserError); }

TEST_F(ReadModelTest, EmptyFile) {
  write("");
  EXPECT_EQ(error(), path_.string() + ": is empty; give an ONNX file");
}

TEST_F(ReadModelTest, EveryCutIsNoticed) {
  for (std::size_t length = 1; length < whole_.size(); ++length) {
    write(whole_.substr(0, length));
    EXPECT_THAT(error(), testing::AnyOf(testing::HasSubstr("is a truncated ONNX model"),
                                        testing::HasSubstr("is not a whole ONNX model")))
        << "cut after " << length << " bytes";
  }
}

TEST_F(ReadModelTest, TruncatedModelSaysHowMuchIsThere) {
  write(whole_.substr(0, 40));
  EXPECT_EQ(error(),
            path_.string() + ": is a truncated ONNX model (40 bytes and more were meant); copy or download it again");
}

TEST_F(ReadModelTest, FilesOfOtherKinds) {
  for (const char* bytes : {"hello, world\n", "\x89PNG\r\n\x1a\n", "{\"model\": 1}", "PK\x03\x04"}) {
    write(bytes);
    EXPECT_EQ(error(), path_.string() + ": is not an ONNX model; give a file written by an ONNX exporter");
  }
}

}  // namespace
}  // namespace fovea
