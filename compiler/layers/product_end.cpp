// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds what ends a product, and writes its loops.
#include "product_end.h"

#include <algorithm>
#include <cstring>

#include "ir/evaluate.h"
#include "loops/c_nest.h"
#include "loops/lower.h"
#include "loops/schedule.h"
#include "loops/verify_nest.h"
#include "move_definition.h"
#include "nest_group.h"
#include "nest_length.h"
#include "ops/definition.h"
#include "ops/operator.h"
#include "tensor/error.h"

namespace fovea {
namespace {

/// Results beyond that are read again faster by a nest of their own: a piece of each filter after the other, with what
/// is added to them, is too much for a cache.
constexpr int64_t kMostResults = 262144;

/// Whether something is chosen by a condition, which keeps pieces from becoming vectors.
bool has_choice(const Expression& x) {
  return (x->kind == ExpressionKind::kApply && x->function == ScalarFunction::kSelect) ||
         std::any_of(x->arguments.begin(), x->arguments.end(), has_choice);
}

bool has_choice(const Definition& definition) {
  return std::any_of(definition.stages.begin(), definition.stages.end(),
                     [](const Stage& stage) { return has_choice(stage.value); });
}

bool is_end_step(const Node& node) {
  return node.kind == NodeKind::kCall && (node.op->unary != nullptr || node.op->binary != nullptr ||
                                          is_call(node, "nn.prelu") || is_call(node, "power"));
}

/// A shape that is broadcast to a product's as the end's loops have it: [1, M, E * F], or of one result a filter
/// [1, 1, M], and 1 where it has one element along all of that. Nothing where it is neither.
std::optional<Shape> flattened(const Shape& shape, const Shape& product) {
  Shape all(product.size() - std::min(product.size(), shape.size()), 1);
  all.insert(all.end(), shape.begin(), shape.end());
  if (all.size() != product.size() || all[0] != 1) {
    return std::nullopt;
  }
  const int64_t plane = all.size() == 2 ? 1 : all[2] * all[3];
  const int64_t whole = all.size() == 2 ? 1 : product[2] * product[3];
  if (plane != 1 && plane != whole) {
    return std::nullopt;
  }
  return whole == 1 ? Shape{1, 1, all[1]} : Shape{1, all[1], plane};
}

class Search {
 public:
  Search(const Graph& graph, std::string product) : graph_(graph), product_(std::move(product)) {}

  Calls calls(NodeId root) {
    const Node& node = graph_[root];
    const std::size_t rank = node.type.shape.size();
    if ((rank != 2 && rank != 4) || count_elements(node.type.shape) == 0 ||
        count_elements(node.type.shape) > kMostResults || !may_be_part(node, node.type.shape)) {
      return {};
    }
    find_result(root);
    if (!calls_.captures.empty()) {  // It has no end.
      return {};
    }
    add(root);
    return is_complete() ? calls_ : Calls();
  }

 private:
  bool may_be_part(const Node& node, const Shape& shape) const {
    const auto fits = [&](NodeId input) {
      const bool is_at_hand = graph_[input].kind == NodeKind::kConstant || !graph_.is_constant(input);
      return is_at_hand && flattened(graph_[input].type.shape, shape).has_value();
    };
    return is_end_step(node) && has_definition(node) && is_of_floats(graph_, node) && node.type.shape == shape &&
           std::all_of(node.inputs.begin(), node.inputs.end(), fits) && !has_choice(definition_of_call(graph_, node));
  }

  /// \param times  How often the call's result stands in the loops.   \param depth  Calls from it to the root.
  void add(NodeId id, double times = 1, std::size_t depth = 0) {
    const Node& node = graph_[id];
    const NestLength length(definition_of_call(graph_, node));
    length_ += times * length.total();
    is_too_long_ |= depth > kMostNestDepth || length_ > kMostNestLength;
    if (is_too_long_) {
      return;
    }
    calls_.inside.insert(id);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const NodeId input = node.inputs[i];
      if (calls_.captures.empty() && graph_[input].type.shape == node.type.shape) {
        find_result(input);
      }
      if (!calls_.captures.empty() && input == calls_.captures.at("result")) {
        continue;
      }
      if (may_be_part(graph_[input], node.type.shape) && graph_.is_read_once(input)) {
        add(input, times * length.reads(i), depth + 1);
      } else {
        ++others_;
      }
    }
  }

  /// Captures relu?(bias_add?(product)) if it stands there.
  void find_result(NodeId id) {
    std::map<std::string, NodeId> captures{{"result", id}};
    std::set<NodeId> inside;
    const auto step = [&](const char* op, const char* name) {
      const Node& node = graph_[id];
      if (is_call(node, op) && (name == std::string("relu") || graph_.is_constant(node.inputs[1])) &&
          (inside.empty() || graph_.is_read_once(id))) {
        captures[name] = id;
        inside.insert(id);
        id = node.inputs[0];
      }
    };
    step("nn.relu", "relu");
    step("nn.bias_add", "bias");
    const Node& product = graph_[id];
    if (!is_call(product, product_) || !graph_.is_constant(product.inputs[1]) ||
        (!inside.empty() && !graph_.is_read_once(id))) {
      return;
    }
    captures["product"] = id;
    inside.insert(id);
    add_constants(product.inputs[1], inside);
    if (captures.count("bias") != 0) {
      add_constants(graph_[captures["bias"]].inputs[1], inside);
    }
    calls_.captures = std::move(captures);
    calls_.inside.insert(inside.begin(), inside.end());
  }

  /// What computes weights or biases from constants.
  void add_constants(NodeId id, std::set<NodeId>& inside) const {
    if (graph_[id].kind == NodeKind::kCall) {
      inside.insert(id);
      for (const NodeId input : graph_[id].inputs) {
        add_constants(input, inside);
      }
    }
  }

  bool is_complete() const {
    if (calls_.captures.empty() || others_ > kMostNestInputs || is_too_long_) {
      return false;
    }
    const NodeId result = calls_.captures.at("result");
    const std::vector<NodeId>& users = graph_.users()[result];
    return !graph_.is_output(result) &&
           std::all_of(users.begin(), users.end(), [&](NodeId user) { return calls_.inside.count(user) != 0; });
  }

  const Graph& graph_;
  const std::string product_;
  Calls calls_;
  std::size_t others_ = 0;
  double length_ = 0;  ///< Of the loops.
  bool is_too_long_ = false;
};

/// Calls as one definition on flattened tensors.
struct Joined {
  Definition definition;
  std::vector<NodeId> reads;  ///< What its inputs are, in order.
  std::string name;
};

Joined join(const Match& match, NodeId id) {
  const Graph& graph = match.graph();
  Node call = graph[id];
  const Shape shape = call.type.shape;
  std::vector<TensorType> types;
  for (const NodeId input : call.inputs) {
    types.push_back({*flattened(graph[input].type.shape, shape), ElementType::kFloat32});
  }
  call.type.shape = *flattened(shape, shape);
  Joined joined{*definition_of(call, types), call.inputs, call.op->name};
  for (std::size_t i = call.inputs.size(); i-- > 0;) {
    const NodeId input = call.inputs[i];
    if (graph[input].kind == NodeKind::kCall && match.inside().count(input) != 0 && input != match.place_of("result")) {
      const Joined inner = join(match, input);
      joined.definition = composed(joined.definition, i, inner.definition);
      const auto place = joined.reads.erase(joined.reads.begin() + static_cast<std::ptrdiff_t>(i));
      joined.reads.insert(place, inner.reads.begin(), inner.reads.end());
      joined.name = inner.name + "." + joined.name;
    }
  }
  return joined;
}

}  // namespace

Calls product_end_calls(const Graph& graph, NodeId root, const std::string& product) {
  return Search(graph, product).calls(root);
}

ProductEnd make_product_end(const Match& match, NodeId root, std::vector<NodeId>& inputs) {
  const Graph& graph = match.graph();
  const Joined joined = join(match, root);
  ProductEnd end;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < joined.reads.size(); ++i) {
    const Node& node = graph[joined.reads[i]];
    names.push_back("x" + std::to_string(i));
    end.is_result.push_back(joined.reads[i] == match.place_of("result"));
    end.loops.constants.push_back(node.kind == NodeKind::kConstant ? node.constant : nullptr);
    if (!end.is_result.back() && node.kind != NodeKind::kConstant) {
      inputs.push_back(joined.reads[i]);
    }
  }
  const Shape& shape = graph[root].type.shape;
  end.loops.nest = lower(joined.name, joined.definition, names, {*flattened(shape, shape), ElementType::kFloat32});
  end.loops.nest = vectorize(end.loops.nest, "i2");
  verify_nest(end.loops.nest);
  return end;
}

std::string product_end_text(const ProductEnd& end, const std::string& name) {
  constexpr const char* kBlock = "16";
  const auto call = [&](const std::string& count) {
    std::string arguments;
    std::size_t next = 0;
    for (const bool is_result : end.is_result) {
      arguments += is_result ? "x + i, " : "inputs[" + std::to_string(next++) + "], ";
    }
    return "nest_" + name + "((int32_t)m, (int32_t)(first + i), " + count + ", " + arguments + "y + i);\n";
  };
  return c_piece_function(end.loops.nest, "nest_" + name, end.is_result) + "DLA_WIDEST_VECTORS static void run_" +
         name +
         "(const void *const *inputs, uint32_t m, uint32_t first, uint32_t count, const float *x, float *y) {\n" +
         (std::count(end.is_result.begin(), end.is_result.end(), false) == 0 ? "  (void)inputs;\n" : "") +
         "  uint32_t i = 0;\n  for (; i + " + kBlock + " <= count; i += " + kBlock + ") {\n    " + call(kBlock) +
         "  }\n  " + call("(int32_t)(count - i)") + "}\n";
}

}  // namespace fovea
