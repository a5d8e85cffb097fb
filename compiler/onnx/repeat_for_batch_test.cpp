// SPDX-License-Identifier: Apache-2.0
/// \file
/// Several pictures at once get the answers that they get one by one, or the batch is refused.
#include "repeat_for_batch.h"

#include <gtest/gtest.h>

#include <cmath>

#include "import.h"
#include "ir/evaluate.h"
#include "model_builder.h"
#include "tensor/error.h"

namespace fovea {
namespace {

constexpr int64_t kPictures = 3;
constexpr auto kInt64 = onnx::TensorProto::INT64;

/// Numbers that differ from each other.
std::vector<float> numbers(int64_t count, double start) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>(std::sin(start + 1.7 * static_cast<double>(i))));
  }
  return values;
}

/// A model of one picture of 2 x 4 x 4, which grows node by node.
class RepeatForBatch : public testing::Test {
 protected:
  RepeatForBatch() : model_({1, 2, 4, 4}) {}

  /// A node that reads `x` and constants. \return its output.
  std::string add(const std::string& op, const std::vector<std::string>& inputs) {
    last_ = op + std::to_string(model_.graph().node_size());
    node_ = &model_.node(op, last_, inputs, {last_ + "_y"});
    return last_ + "_y";
  }

  Graph import(int64_t batch) {
    ImportOptions options;
    options.batch = batch;
    return import_model(model_.model(), "net.onnx", ".", options);
  }

  /// Whether the answers of three pictures, the outermost of each output, are those of each of them.
  void expect_answers_of_each(const std::string& output) {
    model_.output(output);
    const Graph one = import(1), several = import(kPictures);
    std::vector<float> all, answers;
    for (int64_t picture = 0; picture < kPictures; ++picture) {
      const std::vector<float> pixels = numbers(32, static_cast<double>(picture));
      all.insert(all.end(), pixels.begin(), pixels.end());
      const Tensor answer = evaluate(one, {Tensor::of<float>({1, 2, 4, 4}, pixels)}).at(0);
      answers.insert(answers.end(), answer.values<float>().begin(), answer.values<float>().end());
    }
    const Tensor answer = evaluate(several, {Tensor::of<float>({kPictures, 2, 4, 4}, all)}).at(0);
    EXPECT_EQ(std::vector<float>(answer.values<float>().begin(), answer.values<float>().end()), answers);
  }

  std::string error(const std::string& output, int64_t batch = kPictures) {
    model_.output(output);
    try {
      import(batch);
    } catch (const UserError& error) {
      return error.what();
    }
    return "no error";
  }

  ModelBuilder model_;
  onnx::NodeProto* node_ = nullptr;
  std::string last_;
};

TEST_F(RepeatForBatch, ConvolutionsPoolsAndAHead) {
  model_.floats("w", {3, 2, 3, 3}, numbers(54, 9));
  model_.floats("b", {3}, numbers(3, 5));
  model_.integers("row", kInt64, {2}, {1, 12});
  model_.floats("fc", {12, 5}, numbers(60, 2));
  const std::string conv = add("Conv", {"x", "w", "b"});
  const std::string pool = add("MaxPool", {add("Relu", {conv})});
  set_ints(*node_, "kernel_shape", {1, 1});
  const std::string row = add("Reshape", {pool, "row"});
  const std::string softmax = add("Softmax", {add("MatMul", {row, "fc"})});
  expect_answers_of_each(softmax);
}

/// [1, 2, 16] to [1, 16, 2], a token of the model's own before each picture's, places added, attention in two heads.
TEST_F(RepeatForBatch, Tokens) {
  model_.integers("to_tokens", kInt64, {3}, {1, 2, 16});
  model_.integers("to_heads", kInt64, {4}, {1, 17, 2, 1});
  model_.integers("to_rows", kInt64, {2}, {17, 2});
  model_.integers("to_answer", kInt64, {3}, {1, 17, 2});
  model_.floats("token", {1, 1, 2}, {0.25F, -0.5F});
  model_.floats("places", {1, 17, 2}, numbers(34, 3));
  model_.floats("rows", {17, 2}, numbers(34, 4));
  model_.floats("w", {2, 2}, numbers(4, 1));
  const std::string tokens = add("Transpose", {add("Reshape", {"x", "to_tokens"})});
  set_ints(*node_, "perm", {0, 2, 1});
  const std::string all = add("Concat", {"token", tokens});
  set_int(*node_, "axis", 1);
  const std::string placed = add("Add", {all, "places"});
  const std::string heads = add("Transpose", {add("Reshape", {placed, "to_heads"})});
  set_ints(*node_, "perm", {0, 2, 1, 3});
  const std::string turned = add("Transpose", {heads});
  set_ints(*node_, "perm", {0, 1, 3, 2});
  const std::string weights = add("Softmax", {add("MatMul", {heads, turned})});
  set_int(*node_, "axis", -1);
  const std::string mixed = add("Transpose", {add("MatMul", {weights, heads})});
  set_ints(*node_, "perm", {0, 2, 1, 3});
  const std::string rows = add("Add", {add("Reshape", {mixed, "to_rows"}), "rows"});
  expect_answers_of_each(add("Reshape", {add("MatMul", {rows, "w"}), "to_answer"}));
}

TEST_F(RepeatForBatch, AxesThatMoveOrGo) {
  const std::string last = add("Transpose", {"x"});
  set_ints(*node_, "perm", {2, 3, 1, 0});
  model_.integers("axes", kInt64, {2}, {0, 2});
  const std::string sum = add("ReduceSum", {last, "axes"});
  set_int(*node_, "keepdims", 0);
  const std::string first = add("Transpose", {sum});
  set_ints(*node_, "perm", {1, 0});
  expect_answers_of_each(first);
}

TEST_F(RepeatForBatch, WhatTakesPicturesTogetherIsRefused) {
  const std::string y = add("Softmax", {"x"});
  set_int(*node_, "axis", 0);
  EXPECT_EQ(error(y), last_ +
                          ": takes the pictures of a batch together, or lays them out in a way that can't be "
                          "followed; net.onnx is of a batch of 1, and --batch 3 takes a model that is exported "
                          "with an open batch");
}

/// Three pictures of one kind would fit numbers of three kinds.
TEST_F(RepeatForBatch, ConstantsThatOnlySeemToFitAreRefused) {
  model_.floats("each", {3, 1, 1, 1}, {1, 2, 3});
  EXPECT_NE(error(add("Mul", {"x", "each"})), "no error");
}

TEST_F(RepeatForBatch, UnusedOperatorsAreNoObstacle) {
  const std::string unused = add("Softmax", {"x"});
  set_int(*node_, "axis", 0);
  EXPECT_EQ(error(add("Relu", {"x"})), "no error");
}

TEST_F(RepeatForBatch, AnotherBatchInTheFileIsRefused) {
  model_ = ModelBuilder({2, 2, 4, 4});
  model_.node("Relu", "relu", {"x"}, {"y"});
  EXPECT_EQ(error("y", 2), "no error");
  EXPECT_EQ(error("y", 3),
            "--batch 3: the network's batch is 2 in the file, and only an open one or one of 1 can be chosen; leave "
            "--batch out");
}

TEST_F(RepeatForBatch, AnOpenBatchIsBound) {
  model_ = ModelBuilder({0, 2, 4, 4});
  expect_answers_of_each(add("Relu", {"x"}));
}

/// As exporters write it that trace one picture.
TEST_F(RepeatForBatch, AnOpenBatchWithShapesOfOne) {
  model_ = ModelBuilder({0, 2, 4, 4});
  model_.integers("row", kInt64, {2}, {1, 32});
  expect_answers_of_each(add("Reshape", {"x", "row"}));
}

}  // namespace
}  // namespace fovea
