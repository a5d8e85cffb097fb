// SPDX-License-Identifier: Apache-2.0
/// \file
/// Open dimensions get the sizes that are given, by input and by name.
#include "bind_shapes.h"

#include <gtest/gtest.h>

#include "import.h"
#include "model_builder.h"
#include "tensor/error.h"

namespace fovea {
namespace {

class BindShapesTest : public testing::Test {
 protected:
  BindShapesTest() {
    for (const char* name : {"left", "right"}) {
      auto& shape = *model_.input(name, {0, 3, 0, 0}).mutable_type()->mutable_tensor_type()->mutable_shape();
      shape.mutable_dim(2)->set_dim_param("h");
      shape.mutable_dim(3)->set_dim_param("w");
    }
    model_.node("Add", "sum", {"left", "right"}, {"y"});
    model_.output("y");
  }

  /// The output's type, or the error.
  std::string imported(const std::map<std::string, Shape>& shapes) {
    try {
      const Graph graph = import_model(model_.model(), "net.onnx", ".", {shapes});
      return to_text(graph[graph.outputs()[0]].type);
    } catch (const UserError& error) {
      return error.what();
    }
  }

  ModelBuilder model_;
};

TEST_F(BindShapesTest, NothingWithoutShapes) { EXPECT_FALSE(bind_shapes(model_.graph(), {}).has_value()); }

TEST_F(BindShapesTest, ANameHasItsSizeInAllInputs) {
  EXPECT_EQ(imported({{"left", {1, 3, 8, 6}}}), "Tensor[(1, 3, 8, 6), float32]");
  EXPECT_EQ(imported({{"left", {1, 3, 8, 6}}, {"right", {1, 3, 8, 6}}}), "Tensor[(1, 3, 8, 6), float32]");
  EXPECT_EQ(imported({{"left", {1, 3, 8, 6}}, {"right", {1, 3, 6, 6}}}),
            "--shape right=1x3x6x6: the dimension h is 6 here and 8 before; give it one size");
}

TEST_F(BindShapesTest, AnInputWithoutAShapeGetsOne) {
  for (auto& input : *model_.graph().mutable_input()) {
    if (input.name() != "x") {
      input.mutable_type()->mutable_tensor_type()->clear_shape();
    }
  }
  EXPECT_EQ(imported({{"left", {1, 4}}, {"right", {1, 4}}}), "Tensor[(1, 4), float32]");
}

TEST_F(BindShapesTest, ShapesThatDoNotFit) {
  EXPECT_EQ(imported({{"left", {1, 3, 8}}}), "--shape left=1x3x8: the input has 4 dimensions; give each its size");
  EXPECT_EQ(imported({{"left", {1, 1, 8, 6}}}),
            "--shape left=1x1x8x6: dimension 1 is 3 in the file; only open dimensions may be chosen");
  EXPECT_EQ(imported({{"middle", {1}}}),
            "--shape middle=1: the network has no input of that name; it has x, left, right");
}

TEST_F(BindShapesTest, OpenDimensionsAreAllNamed) {
  EXPECT_EQ(imported({}),
            "left: dimensions 2 (h), 3 (w) have no size in the file; give the input's shape, such as --shape "
            "left=1x3x224x224\n"
            "right: dimensions 2 (h), 3 (w) have no size in the file; give the input's shape, such as --shape "
            "right=1x3x224x224");
}

}  // namespace
}  // namespace fovea
