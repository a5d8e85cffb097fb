// SPDX-License-Identifier: Apache-2.0
/// \file
/// Random graphs compute the same before and after move_layout(), and never move more. What it does:
/// compiler/test/passes.
#include "move_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "ir/evaluate.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "ops/operator.h"

namespace fovea {
namespace {

/// Grows a graph value by value. All numbers are small integers, so that sums are exact in any order.
class RandomGraph {
 public:
  explicit RandomGraph(unsigned seed) : random_(seed) {}

  Graph make() {
    for (int i = 0; i < 1 + draw(2); ++i) {
      values_.push_back(builder_.input("x" + std::to_string(i), {random_shape(), ElementType::kFloat32}));
    }
    for (int i = 0; i < 4 + draw(12); ++i) {
      grow(values_[values_.size() - 1 - draw(std::min<int>(3, static_cast<int>(values_.size())))]);
    }
    std::vector<NodeId> outputs{values_.back()};
    if (draw(2) == 0) {
      outputs.push_back(values_[draw(static_cast<int>(values_.size()))]);
    }
    return builder_.finish(outputs);
  }

  Tensor tensor(const TensorType& type, int least, int most) {
    Tensor tensor(type);
    for (int64_t i = 0; i < count_elements(type.shape); ++i) {
      tensor.set(i, least + draw(most - least + 1));
    }
    return tensor;
  }

 private:
  int draw(int count) { return std::uniform_int_distribution<>(0, count - 1)(random_); }

  Shape random_shape() { return {1, 1 + draw(3), 1 + draw(3), 1 + draw(4)}; }
  Shape shape_of(NodeId id) { return builder_[id].type.shape; }

  void grow(NodeId x) {
    switch (draw(12)) {
      case 0:
      case 1:
      case 2:
        return add(x, "transpose", {}, {{"axes", random_axes(shape_of(x).size())}});
      case 3:
      case 4:
        return add(x, "reshape", {}, {{"newshape", random_reshape(shape_of(x))}});
      case 5:
        return add(x, "nn.relu", {}, {});
      case 6:
        return add(x, "clip", {}, {{"min", -3.0}, {"max", 5.0}});
      case 7:
        return add_quantized(x);
      case 8:
        return add_biased(x);
      case 9:
        return add_sum(x);
      case 10:
        return add_concatenated(x);
      default:
        return add_dense(x);
    }
  }

  void add(NodeId x, std::string_view op, std::vector<NodeId> others, Attributes attributes) {
    others.insert(others.begin(), x);
    values_.push_back(builder_.call(op, std::move(others), std::move(attributes)));
  }

  std::vector<int64_t> random_axes(std::size_t rank) {
    std::vector<int64_t> axes(rank);
    std::iota(axes.begin(), axes.end(), 0);
    std::shuffle(axes.begin(), axes.end(), random_);
    return axes;
  }

  /// Flat, one axis of size 1 more, one less, two axes merged, or the first three axes in one.
  Shape random_reshape(Shape shape) {
    const int rank = static_cast<int>(shape.size());
    switch (draw(4)) {
      case 0:
        return {1, count_elements(shape)};
      case 1:
        shape.insert(shape.begin() + draw(rank + 1), 1);
        return shape.size() > 5 ? Shape{count_elements(shape)} : shape;
      case 2:
        if (const auto one = std::find(shape.begin(), shape.end(), 1); one != shape.end()) {
          shape.erase(one);
        }
        return shape;
      default:
        if (rank > 1) {
          const int axis = draw(rank - 1);
          shape[axis + 1] *= shape[axis];
          shape.erase(shape.begin() + axis);
        }
        return shape;
    }
  }

  /// quantize and dequantize, one scale or one an index of an axis, zero points too.
  void add_quantized(NodeId x) {
    const Shape shape = shape_of(x);
    const bool is_per_axis = draw(2) == 0 && !shape.empty();
    const int64_t axis = is_per_axis ? draw(static_cast<int>(shape.size())) : 0;
    const Shape count = is_per_axis ? Shape{shape[axis]} : Shape{};
    const NodeId scale = builder_.constant(tensor({count, ElementType::kFloat32}, 1, 2));
    const NodeId zero = builder_.constant(tensor({count, ElementType::kUint8}, 100, 130));
    add(x, "qnn.quantize", {scale, zero}, {{"axis", axis}});
    const NodeId quantized = values_.back();
    values_.pop_back();
    add(quantized, "qnn.dequantize", {scale, zero}, {{"axis", axis}});
  }

  void add_biased(NodeId x) {
    const Shape shape = shape_of(x);
    if (shape.empty()) {
      return;
    }
    const int64_t axis = draw(static_cast<int>(shape.size()));
    const NodeId bias = builder_.constant(tensor({{shape[axis]}, ElementType::kFloat32}, -3, 3));
    add(x, "nn.bias_add", {bias}, {{"axis", axis}});
  }

  /// x plus a value of its shape, or a constant that is broadcast, dequantized or not.
  void add_sum(NodeId x) {
    const Shape shape = shape_of(x);
    std::vector<NodeId> fitting;
    std::copy_if(values_.begin(), values_.end(), std::back_inserter(fitting),
                 [&](NodeId id) { return shape_of(id) == shape; });
    if (draw(2) == 0) {
      return add(x, "add", {fitting[draw(static_cast<int>(fitting.size()))]}, {});
    }
    Shape part(shape.begin() + draw(static_cast<int>(shape.size()) + 1), shape.end());
    for (int64_t& size : part) {
      size = draw(5) == 0 ? 1 : size;
    }
    if (draw(2) == 0) {
      return add(x, "add", {builder_.constant(tensor({part, ElementType::kFloat32}, -4, 4))}, {});
    }
    const bool is_per_axis = !part.empty() && draw(4) != 0;
    const int64_t axis = is_per_axis ? draw(static_cast<int>(part.size())) : 0;
    const Shape count = is_per_axis ? Shape{part[axis]} : Shape{};
    const NodeId scale = builder_.constant(tensor({count, ElementType::kFloat32}, 1, 2));
    const NodeId zero = builder_.constant(tensor({count, ElementType::kInt8}, 0, 0));
    const NodeId bytes = builder_.constant(tensor({part, ElementType::kInt8}, -4, 4));
    add(x, "add", {builder_.call("qnn.dequantize", {bytes, scale, zero}, {{"axis", axis}})}, {});
  }

  void add_concatenated(NodeId x) {
    const Shape shape = shape_of(x);
    if (shape.empty() || count_elements(shape) > 200) {
      return;
    }
    const int64_t axis = draw(static_cast<int>(shape.size()));
    std::vector<NodeId> fitting;
    std::copy_if(values_.begin(), values_.end(), std::back_inserter(fitting), [&](NodeId id) {
      Shape other = shape_of(id);
      if (other.size() == shape.size()) {
        other[axis] = shape[axis];
      }
      return other == shape;
    });
    add(x, "concatenate", {fitting[draw(static_cast<int>(fitting.size()))]}, {{"axis", axis}});
  }

  /// A matrix product with 1 to 3 filters, its weights dequantized with one scale, one a filter, or one a column.
  void add_dense(NodeId x) {
    const int64_t inputs = count_elements(shape_of(x)), filters = 1 + draw(3);
    add(x, "reshape", {}, {{"newshape", Shape{1, inputs}}});
    if (draw(3) == 0) {
      add(values_.back(), "nn.relu", {}, {});
    }
    NodeId weights = builder_.constant(tensor({{filters, inputs}, ElementType::kInt8}, -2, 2));
    const int64_t axis = draw(2);
    const Shape count = draw(3) == 0 ? Shape{} : Shape{axis == 0 ? filters : inputs};
    weights = builder_.call("qnn.dequantize",
                            {weights, builder_.constant(tensor({count, ElementType::kFloat32}, 1, 2)),
                             builder_.constant(tensor({count, ElementType::kInt8}, 0, 0))},
                            {{"axis", axis}});
    add(values_.back(), "nn.dense", {weights}, {});
  }

  std::mt19937 random_;
  GraphBuilder builder_;
  std::vector<NodeId> values_;
};

struct Moves {
  int64_t transposed_bytes = 0;
  int transposes = 0, reshapes = 0;
};

Moves count_moves(const Graph& graph) {
  Moves moves;
  for (const Node& node : graph.nodes()) {
    moves.reshapes += is_call(node, "reshape");
    if (is_call(node, "transpose")) {
      ++moves.transposes;
      moves.transposed_bytes += static_cast<int64_t>(size_bytes(node.type));
    }
  }
  return moves;
}

TEST(MoveLayout, KeepsWhatRandomGraphsCompute) {
  int fewer = 0;
  for (unsigned seed = 0; seed < 10000; ++seed) {
    RandomGraph random(seed);
    const Graph before = random.make();
    const Graph after = move_layout(before);
    verify(after, "move-layout");
    std::vector<Tensor> inputs;
    for (const NodeId input : before.inputs()) {
      inputs.push_back(random.tensor(before[input].type, -9, 9));
    }
    ASSERT_EQ(evaluate(after, inputs), evaluate(before, inputs)) << "seed " << seed << "\n"
                                                                 << print_graph(before) << print_graph(after);
    const Moves moved = count_moves(before), left = count_moves(after);
    ASSERT_LE(left.transposed_bytes, moved.transposed_bytes) << "seed " << seed;
    fewer += left.transposes < moved.transposes;
  }
  EXPECT_GT(fewer, 5000) << "of 10000 graphs";
}

TEST(MoveLayout, IsDoneAfterOneRun) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const Graph once = move_layout(RandomGraph(seed).make());
    EXPECT_EQ(print_graph(move_layout(once)), print_graph(once)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace fovea
