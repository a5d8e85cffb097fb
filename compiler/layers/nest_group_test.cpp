// SPDX-License-Identifier: Apache-2.0
/// \file
/// Random graphs of float operators: what becomes one nest computes what the operators do one after another, and no
/// value that others read is in it. SEED=n draws others.
#include "nest_group.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "fuse.h"
#include "ir/text.h"
#include "loops/drawn_calls.h"
#include "loops/interpret.h"
#include "loops/nest_text.h"
#include "ops/operator.h"

namespace fovea {
namespace {

class GraphDrawing {
 public:
  explicit GraphDrawing(CallDrawing& drawing) : drawing_(drawing) {}

  Graph draw() {
    values_ = {builder_.input("x", {drawing_.shape(3, 5), ElementType::kFloat32})};
    for (int64_t count = drawing_.between(2, 7); count > 0; --count) {
      add();
    }
    return builder_.finish({values_.back()});
  }

 private:
  int64_t between(int64_t first, int64_t last) { return drawing_.between(first, last); }
  const Shape& shape() const { return builder_[values_.back()].type.shape; }

  void call(const char* op, const Attributes& attributes = {}, const std::vector<NodeId>& more = {}) {
    std::vector<NodeId> inputs{values_.back()};
    inputs.insert(inputs.end(), more.begin(), more.end());
    values_.push_back(builder_.call(op, inputs, attributes));
  }

  void add() {
    constexpr const char* kUnary[] = {"tanh", "sigmoid", "nn.relu", "abs", "negative", "hard_swish", "softsign"};
    constexpr const char* kBinary[] = {"add", "subtract", "multiply", "minimum", "maximum"};
    const Shape x = shape();
    switch (between(0, 9)) {
      case 0:
        call("transpose",
             {{"axes", between(0, 1) == 0 ? std::vector<int64_t>{2, 0, 1} : std::vector<int64_t>{1, 0, 2}}});
        break;
      case 1:
        call("pad",
             {{"pads", std::vector<int64_t>{between(0, 2), 0, between(0, 1), between(0, 1), 1, 0}}, {"value", 0.5}});
        break;
      case 2:
        call("strided_slice", {{"begin", std::vector<int64_t>{x[0] - 1, 0, 0}},
                               {"sizes", std::vector<int64_t>{x[0], (x[1] + 1) / 2, x[2]}},
                               {"strides", std::vector<int64_t>{-1, 2, 1}}});
        break;
      case 3:
        call("nn.softmax", {{"axis", between(0, 2)}});
        break;
      case 4:
        call("sum", {{"axes", std::vector<int64_t>{between(0, 2)}}, {"keepdims", int64_t{1}}});
        break;
      case 5: {
        const NodeId other = values_[static_cast<std::size_t>(between(0, static_cast<int64_t>(values_.size()) - 1))];
        const bool is_same = builder_[other].type.shape == x;
        const NodeId constant = builder_.constant(drawing_.tensor({x[1], between(0, 1) == 0 ? 1 : x[2]}));
        call(kBinary[between(0, 4)], {}, {is_same && between(0, 2) != 0 ? other : constant});
        break;
      }
      default:
        call(kUnary[between(0, 6)]);
    }
  }

  CallDrawing& drawing_;
  GraphBuilder builder_;
  std::vector<NodeId> values_;
};

/// Values of a graph, an operator after another, or a nest after another where nests are made.
class Values {
 public:
  Values(const Graph& graph, const Tensor& x, bool by_nests) : graph_(graph), by_nests_(by_nests) {
    values_.emplace(graph.inputs()[0], x);
  }

  const Tensor& at(NodeId id) {
    if (values_.count(id) == 0) {
      const Node& node = graph_[id];
      Tensor value = node.kind == NodeKind::kConstant               ? *node.constant
                     : by_nests_ && !nest_group(graph_, id).empty() ? of_nest(id)
                                                                    : node.op->evaluate(node, all(node.inputs));
      values_.emplace(id, std::move(value));
    }
    return values_.at(id);
  }

  std::map<std::string, int> names;  ///< Of nests, and how often each was made.

 private:
  std::vector<const Tensor*> all(const std::vector<NodeId>& ids) {
    std::vector<const Tensor*> tensors;
    for (const NodeId id : ids) {
      tensors.push_back(&at(id));
    }
    return tensors;
  }

  Tensor of_nest(NodeId id) {
    const auto fused = fuse_at(graph_, id);
    EXPECT_TRUE(fused && fused->layer != nullptr);
    EXPECT_EQ(fused->composite, "cpu.nest_group");
    const auto& loops = std::get<LoopNest>(fused->layer->body);
    ++names[loops.nest.name];
    std::vector<const Tensor*> inputs;
    std::size_t next = 0;
    for (const auto& constant : loops.constants) {
      inputs.push_back(constant != nullptr ? constant.get() : &at(fused->match.inputs()[fused->layer->inputs[next++]]));
    }
    return interpret(loops.nest, inputs, graph_[id].type);
  }

  const Graph& graph_;
  bool by_nests_;
  std::map<NodeId, Tensor> values_;
};

TEST(NestGroup, ComputesWhatOperatorsDo) {
  CallDrawing drawing(drawing_seed());
  std::map<std::string, int> names;
  for (int i = 0; i < 1500; ++i) {
    const Graph graph = GraphDrawing(drawing).draw();
    const Tensor x = drawing.tensor(graph[graph.inputs()[0]].type.shape);
    SCOPED_TRACE("SEED=" + std::to_string(drawing_seed()) + "\n" + print_graph(graph));
    Values one_by_one(graph, x, false), by_nests(graph, x, true);
    const NodeId result = graph.outputs()[0];
    const Tensor &expected = one_by_one.at(result), &value = by_nests.at(result);
    ASSERT_EQ(value.type(), expected.type());
    for (std::size_t at = 0; at < static_cast<std::size_t>(count_elements(value.type().shape)); ++at) {
      ASSERT_NEAR(value.at(at), expected.at(at), 2e-5 * std::max(1.0, std::abs(expected.at(at))));
    }
    for (const auto& [name, count] : by_nests.names) {
      names[name] += count;
    }
  }
  const auto count_with = [&](const std::string& part) {
    int count = 0;
    for (const auto& [name, times] : names) {
      count += name.find(part) != std::string::npos ? times : 0;
    }
    return count;
  };
  for (const char* part :
       {"transpose.", "pad.", "strided_slice.", ".transpose", ".pad", ".sum", "sum.", "nn.softmax.", "multiply."}) {
    EXPECT_GT(count_with(part), 5) << part;
  }
}

/// The nest's name at the result of a graph, or "" where there is none.
std::string group_at(const std::string& body) {
  const Graph graph =
      parse_graph("fn (%x: Tensor[(4, 6), float32], %z: Tensor[(4, 6), float32]) {\n" + body + "\n}", "g");
  const auto fused = fuse_at(graph, graph.outputs().back());
  return fused && fused->layer != nullptr && fused->composite == "cpu.nest_group"
             ? std::get<LoopNest>(fused->layer->body).nest.name
             : "";
}

TEST(NestGroup, ComputesNothingTwice) {
  EXPECT_EQ(group_at("%a = exp(%x) %b = nn.softmax(%a, axis=1) %c = tanh(%b) return %c"), "nn.softmax.tanh");
  EXPECT_EQ(group_at("%a = exp(%x) %b = sum(%a, axes=[1], keepdims=1) %c = tanh(%b) return %c"), "sum.tanh");
  EXPECT_EQ(group_at("%a = exp(%x) %b = sum(%a, axes=[1], keepdims=1) %c = divide(%z, %b) %d = tanh(%c) return %d"),
            "divide.tanh");  // A row's sum is needed for each of its elements.
  EXPECT_EQ(group_at("%a = exp(%x) %b = tanh(%a) %c = multiply(%a, %b) return %c"), "tanh.multiply");
  EXPECT_EQ(group_at("%a = exp(%x) %b = multiply(%a, %a) %c = tanh(%b) return %c"), "multiply.tanh");
  EXPECT_EQ(group_at("%a = add(%x, %z) %b = nn.relu(%a) return %b"), "add.nn.relu");
  EXPECT_EQ(group_at("%a = exp(%x) %b = tanh(%a) return %a, %b"), "");
}

TEST(NestGroup, LeavesToKernelsWhatIsTheirs) {
  EXPECT_EQ(group_at("%a = transpose(%x, axes=[1, 0]) %b = pad(%a, pads=[1, 1, 0, 0], value=0.0) return %b"), "");
  EXPECT_EQ(group_at("%w = constant [1.0, 2.0, 3.0, 4.0, 5.0, 6.0] : Tensor[(1, 6), float32]\n"
                     "%a = nn.dense(%x, %w) %b = nn.relu(%a) %c = tanh(%b) return %c"),
            "");
}

}  // namespace
}  // namespace fovea
