// SPDX-License-Identifier: Apache-2.0
/// \file
/// The verifier notices each thing that a pass could break.
#include "verify.h"

#include <gtest/gtest.h>

#include "tensor/error.h"

namespace fovea {
namespace {

const TensorType kFloats{{1, 4}, ElementType::kFloat32};

std::string verify_error(const Graph& graph) {
  try {
    verify(graph, "a-pass");
  } catch (const InternalError& error) {
    return error.what();
  }
  return "no error";
}

/// relu as a composite (or region) of one node.
Function relu_function(bool is_region, const std::string& target) {
  GraphBuilder body;
  const NodeId x = body.input("x", kFloats);
  const NodeId y = body.call("nn.relu", {x}, {}, "relu");
  return {.name = "f",
          .is_region = is_region,
          .target = target,
          .reason = "",
          .layer = "",
          .region = "",
          .body = body.finish({y}),
          .value = nullptr};
}

/// A graph that applies a function to its input.
Graph apply(const Function& function, const TensorType& type = kFloats) {
  GraphBuilder builder;
  const NodeId x = builder.input("x", type);
  const NodeId y = builder.call(function, {x}, "call");
  return builder.finish({y});
}

Function region_around(const Function& composite, const std::string& target) {
  GraphBuilder body;
  const NodeId x = body.input("x", kFloats);
  const NodeId y = body.call(composite, {x}, "call");
  return {.name = "r",
          .is_region = true,
          .target = target,
          .reason = "",
          .layer = "",
          .region = "",
          .body = body.finish({y}),
          .value = nullptr};
}

TEST(VerifyTest, AcceptsCompositesInRegions) {
  EXPECT_EQ(verify_error(apply(region_around(relu_function(false, "dla"), "dla"))), "no error");
}

TEST(VerifyTest, NoOutput) {
  GraphBuilder builder;
  builder.input("x", kFloats);
  EXPECT_EQ(verify_error(builder.finish({})), "internal error: after a-pass: the graph has no output");
}

TEST(VerifyTest, OutputOutside) {
  GraphBuilder builder;
  builder.input("x", kFloats);
  EXPECT_EQ(verify_error(builder.finish({7})), "internal error: after a-pass: an output is no node of the graph");
}

TEST(VerifyTest, ArgumentOfAnotherType) {
  EXPECT_EQ(verify_error(apply(relu_function(false, "cpu"), {{1, 5}, ElementType::kFloat32})),
            "internal error: after a-pass: %1 (call): f takes a Tensor[(1, 4), float32] but is given a Tensor[(1, 5), "
            "float32]");
}

TEST(VerifyTest, ArgumentOfAnotherTypeByAUser) {
  try {
    refuse_broken(apply(relu_function(false, "cpu"), {{1, 5}, ElementType::kFloat32}), "after mine");
    FAIL() << "no error";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "call: f takes a Tensor[(1, 4), float32] but is given a Tensor[(1, 5), float32] (after mine)");
  }
}

TEST(VerifyTest, OperatorInARegion) {
  EXPECT_EQ(verify_error(apply(relu_function(true, "cpu"))),
            "internal error: after a-pass, in f: %1 (relu): a region holds composites, not operators");
}

TEST(VerifyTest, CompositeOfAnotherTargetThanItsRegion) {
  EXPECT_EQ(verify_error(apply(region_around(relu_function(false, "cpu"), "dla"))),
            "internal error: after a-pass, in r: %1 (call): f does not run where its region does");
}

TEST(VerifyTest, FunctionInAComposite) {
  Function outer = region_around(relu_function(false, "dla"), "dla");
  outer.is_region = false;
  EXPECT_EQ(verify_error(apply(outer)),
            "internal error: after a-pass, in r: %1 (call): only a region holds functions, and only composites");
}

TEST(VerifyTest, NumberOfArguments) {
  GraphBuilder builder;
  const NodeId x = builder.input("x", kFloats);
  const NodeId y = builder.call(relu_function(false, "cpu"), {x, x}, "call");
  EXPECT_EQ(verify_error(builder.finish({y})),
            "internal error: after a-pass: %1 (call): f is given as many values as it takes");
}

}  // namespace
}  // namespace fovea
