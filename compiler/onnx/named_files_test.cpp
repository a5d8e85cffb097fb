// SPDX-License-Identifier: Apache-2.0
/// \file
/// The files that a network names are found wherever in it they are named.
#include "named_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "model_builder.h"
#include "tensor/error.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

class NamedFilesTest : public testing::Test {
 protected:
  NamedFilesTest() {
    fs::create_directories(folder_);
    for (const char* name : {"a.bin", "b.bin"}) {
      std::ofstream(folder_ / name) << name;
    }
  }
  ~NamedFilesTest() override { fs::remove_all(folder_); }

  static void name_file(onnx::TensorProto& tensor, const std::string& file) {
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
    auto& entry = *tensor.add_external_data();
    entry.set_key("location");
    entry.set_value(file);
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / ("fovea_named_" + std::to_string(getpid()));
};

TEST_F(NamedFilesTest, AreThoseOfConstantsAndOfAttributesThatAreThere) {
  ModelBuilder builder;
  name_file(builder.floats("w", {4}, {}), "b.bin");
  name_file(builder.floats("v", {4}, {}), "b.bin");
  name_file(builder.floats("u", {4}, {}), "none.bin");
  onnx::ModelProto model = builder.model();
  auto* attribute = model.mutable_graph()->add_node()->add_attribute();
  name_file(*attribute->mutable_t(), "a.bin");
  std::ofstream(folder_ / "net.onnx", std::ios::binary) << model.SerializeAsString();
  EXPECT_EQ(named_files(folder_ / "net.onnx"), (std::vector<fs::path>{folder_ / "a.bin", folder_ / "b.bin"}));
}

TEST_F(NamedFilesTest, OfATextAreThoseOfItsConstants) {
  std::ofstream(folder_ / "net.txt") << "%1 = constant in \"b.bin\" at 64 crc32 1 : Tensor[(9,), int8]\n";
  EXPECT_EQ(named_files(folder_ / "net.txt"), (std::vector<fs::path>{folder_ / "b.bin"}));
}

TEST_F(NamedFilesTest, AreThoseInTheFolder) {
  std::ofstream(folder_ / "net.txt") << "constant in \"/etc/passwd\" constant in \"../" << folder_.filename().string()
                                     << "/../../etc/passwd\" constant in \"../" << folder_.filename().string()
                                     << "/a.bin\"";
  EXPECT_EQ(named_files(folder_ / "net.txt").size(), 1U) << "a way out and in again stays inside";
}

TEST_F(NamedFilesTest, OfAModelWithoutAnyAreNone) {
  std::ofstream(folder_ / "net.onnx") << "not even a model";
  EXPECT_TRUE(named_files(folder_ / "net.onnx").empty());
  EXPECT_THROW(named_files(folder_ / "gone.onnx"), UserError);
}

}  // namespace
}  // namespace fovea
