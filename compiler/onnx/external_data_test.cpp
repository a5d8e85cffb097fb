// SPDX-License-Identifier: Apache-2.0
/// \file
/// Constants whose data is in files beside the model: read from where they say, refused where that is elsewhere.
#include "external_data.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "import.h"
#include "model_builder.h"
#include "tensor/error.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

/// A model's folder with a file of seven floats, 0 to 6, in a folder of its own beside the model.
class ExternalDataTest : public testing::Test {
 protected:
  ExternalDataTest() {
    fs::create_directories(folder_ / "data");
    write(folder_ / "data" / "w.bin");
  }
  ~ExternalDataTest() override { fs::remove_all(top_); }

  static void write(const fs::path& path) {
    const float values[] = {0, 1, 2, 3, 4, 5, 6};
    std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(values), sizeof values);
  }

  /// A model whose "w", four floats, are where `entries` say.
  static onnx::ModelProto model(const std::vector<std::pair<std::string, std::string>>& entries,
                                const std::vector<int64_t>& shape = {4}) {
    ModelBuilder model;
    onnx::TensorProto& w = model.floats("w", shape, {});
    w.set_data_location(onnx::TensorProto::EXTERNAL);
    for (const auto& [key, value] : entries) {
      auto& entry = *w.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    }
    model.node("Add", "sum", {"x", "w"}, {"y"});
    return model.output("y").model();
  }

  std::string error(const onnx::ModelProto& model) const {
    const fs::path path = folder_ / "net.onnx";
    std::ofstream(path, std::ios::binary) << model.SerializeAsString();
    try {
      import_onnx(path);
    } catch (const UserError& error) {
      return error.what();
    }
    return "no error";
  }

  const fs::path top_ = fs::path(testing::TempDir()) / ("fovea_external_" + std::to_string(getpid()));
  const fs::path folder_ = top_ / "model";
};

TEST_F(ExternalDataTest, IsReadFromWhereItSays) {
  const onnx::ModelProto net = model({{"location", "data/w.bin"}, {"offset", "8"}, {"length", "16"}});
  EXPECT_EQ(error(net), "no error");
  const Graph graph = import_model(net, "net.onnx", folder_);
  const Node& sum = graph[graph.outputs()[0]];
  EXPECT_EQ(*graph[sum.inputs[1]].constant, Tensor::of<float>({4}, {2, 3, 4, 5}));
}

TEST_F(ExternalDataTest, IsTheWholeFileOrItsRestWhereNoLengthIsGiven) {
  EXPECT_EQ(error(model({{"location", "data/w.bin"}, {"offset", "12"}})), "no error");
  EXPECT_EQ(error(model({{"location", "data/../data/w.bin"}, {"offset", "12"}})), "no error");
  EXPECT_EQ(error(model({{"location", "data/w.bin"}})),
            "w: its data is 28 bytes of data/w.bin, but it is float32 (4,); export the model again");
}

TEST_F(ExternalDataTest, OutsideTheModelsFolder) {
  write(top_ / "w.bin");
  fs::create_symlink(top_ / "w.bin", folder_ / "link.bin");
  fs::create_symlink(top_, folder_ / "up");
  for (const std::string& location :
       {std::string("../w.bin"), (folder_ / "data" / "w.bin").string(), std::string("link.bin"),
        std::string("up/w.bin"), std::string("data/../../w.bin")}) {
    EXPECT_EQ(error(model({{"location", location}})),
              "w: its data is in " + location + ", outside the model's folder; put that file beside the model");
  }
}

TEST_F(ExternalDataTest, NoFile) {
  EXPECT_EQ(error(model({{"location", "data"}})),
            "w: its data is in data, which is no file; put that file beside the model");
  EXPECT_EQ(error(model({})), "w: its data is in another file, but the model does not say in which; export it again");
}

TEST_F(ExternalDataTest, FileTooShort) {
  const std::string problem = "w: data/w.bin ends after 28 bytes, before its data does; copy the file again";
  for (const char* offset : {"16", "28", "32", "18446744073709551615"}) {
    EXPECT_EQ(error(model({{"location", "data/w.bin"}, {"offset", offset}, {"length", "16"}})), problem);
  }
}

TEST_F(ExternalDataTest, NoNumberOfBytes) {
  for (const char* offset : {"-1", "8 bytes", "99999999999999999999"}) {
    EXPECT_EQ(error(model({{"location", "data/w.bin"}, {"offset", offset}, {"length", "16"}})),
              std::string("w: the offset of its data, ") + offset + ", is no number of bytes; export the model again");
  }
}

TEST_F(ExternalDataTest, LengthOfAnotherType) {
  EXPECT_EQ(error(model({{"location", "data/w.bin"}, {"length", "12"}})),
            "w: its data is 12 bytes of data/w.bin, but it is float32 (4,); export the model again");
  EXPECT_EQ(error(model({{"location", "data/w.bin"}, {"length", "4398046511104"}}, {int64_t{1} << 40})),
            "w: has the impossible shape (1099511627776,); at most 2^31 elements work");
}

}  // namespace
}  // namespace fovea
