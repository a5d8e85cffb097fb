// SPDX-License-Identifier: Apache-2.0
/// \file
/// Grows a group from its result to what it reads.
#include "nest_group.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "move_definition.h"
#include "nest_length.h"
#include "ops/operator.h"

namespace fovea {
namespace {

/// Operators that have kernels or, with windows, loops of their own.
constexpr std::array<std::string_view, 6> kAlone{
    "nn.conv2d", "nn.dense", "nn.max_pool2d", "nn.avg_pool2d", "nn.global_avg_pool2d", "concatenate"};
/// Operators of one element that are neither unary nor binary.
constexpr std::array<std::string_view, 4> kElementwise{"nn.prelu", "nn.bias_add", "nn.batch_norm", "power"};
/// Reductions of one pass, of whose input each element is needed once.
constexpr std::array<std::string_view, 4> kReductions{"sum", "prod", "min", "max"};

template <std::size_t kCount>
bool is_one_of(const Node& node, const std::array<std::string_view, kCount>& names) {
  return std::find(names.begin(), names.end(), node.op->name) != names.end();
}

bool computes_each_element(const Node& node) {
  return node.op->unary != nullptr || node.op->binary != nullptr || is_one_of(node, kElementwise);
}

bool has_functions(const Expression& x) {
  return (x->kind == ExpressionKind::kApply &&
          (is_real_function(x->function) || x->function == ScalarFunction::kPower)) ||
         std::any_of(x->arguments.begin(), x->arguments.end(), has_functions);
}

/// Whether a definition has functions such as exp in it, which are worth a loop that becomes a vector's.
bool has_functions(const Definition& definition) {
  return std::any_of(definition.stages.begin(), definition.stages.end(),
                     [](const Stage& stage) { return has_functions(stage.value); });
}

class Group {
 public:
  explicit Group(const Graph& graph) : graph_(graph) {}

  std::set<NodeId> select(NodeId root) {
    if (is_part(root) && !is_call(graph_[root], "reshape")) {
      reads_ = graph_[root].inputs.size();
      add(root, {});
    }
    return is_worth_it() ? calls_ : std::set<NodeId>{};
  }

 private:
  /// What becomes of a call's elements on their way to the root.
  struct Path {
    bool is_in_place = true;     ///< Each is needed where it is, in a result of the root's shape.
    bool is_once = true;         ///< Each is needed once at most.
    bool has_functions = false;  ///< Functions are computed of them.
    double times = 1;            ///< How often each is written.
    double index = 1;            ///< How long the index of an axis is.
    std::size_t depth = 0;       ///< Calls up to the root.
  };

  bool is_part(NodeId id) const {
    const Node& node = graph_[id];
    return node.kind == NodeKind::kCall && (has_definition(node) || is_plain_move(graph_, node)) &&
           !is_one_of(node, kAlone) && is_of_floats(graph_, node) && !ends_product(id) &&
           count_elements(node.type.shape) > 0;
  }

  /// Whether a kernel takes it along: relu?(bias_add?(conv2d or dense)).
  bool ends_product(NodeId id) const {
    const Node& node = graph_[id];
    if (!is_call(node, "nn.relu") && !is_call(node, "nn.bias_add")) {
      return false;
    }
    const Node& below = graph_[node.inputs[0]];
    return is_product(below) || (is_call(below, "nn.bias_add") && ends_product(node.inputs[0]));
  }

  bool is_shared(NodeId id, const Node& reader) const {
    return graph_.is_output(id) || graph_.users()[id].size() != 1 ||
           std::count(reader.inputs.begin(), reader.inputs.end(), id) != 1;
  }

  /// The path of what a call reads as input i. \param length  Of the call, on its path.
  Path path_of_input(const Node& call, std::size_t i, const Path& path, const NestLength& length) const {
    Path below = path;
    below.times *= length.reads(i);
    below.index = length.index(i);
    ++below.depth;
    if (!computes_each_element(call) || graph_[call.inputs[i]].type.shape != call.type.shape) {
      below.is_in_place = false;
      below.is_once &= i == 0 && (is_plain_move(graph_, call) || is_one_of(call, kReductions));
    }
    return below;
  }

  bool may_join(NodeId id, const Node& reader, const Path& path) const {
    const Node& node = graph_[id];
    if (path.depth > kMostNestDepth || !is_part(id) || is_shared(id, reader) ||
        reads_ - 1 + node.inputs.size() > kMostNestInputs) {
      return false;
    }
    if (is_call(node, "reshape")) {  // Costs nothing where it is: it joins for what is below it.
      const NestLength length(definition_of_call(graph_, node), path.index);
      return may_join(node.inputs[0], node, path_of_input(node, 0, path, length));
    }
    if (is_plain_move(graph_, node)) {
      return !path.has_functions;
    }
    const Definition definition = definition_of_call(graph_, node);
    const bool is_one_stage = definition.stages.size() == 1;
    if ((has_functions(definition) && !path.is_in_place) || is_too_long(definition, path)) {
      return false;
    }
    return path.is_once && (is_one_stage || (path.is_in_place && !has_stages_));
  }

  bool is_too_long(const Definition& definition, const Path& path) const {
    return length_ + path.times * NestLength(definition, path.index).total() > kMostNestLength;
  }

  void add(NodeId id, Path path) {
    const Node& node = graph_[id];
    calls_.insert(id);
    const Definition definition = definition_of_call(graph_, node);
    const NestLength length(definition, path.index);
    length_ += path.times * length.total();
    has_stages_ |= definition.stages.size() > 1;
    path.has_functions |= has_functions(definition);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const Path below = path_of_input(node, i, path, length);
      if (may_join(node.inputs[i], node, below)) {
        reads_ += graph_[node.inputs[i]].inputs.size() - 1;
        add(node.inputs[i], below);
      }
    }
  }

  /// One call is no group, and moves alone are an index map.
  bool is_worth_it() const {
    return calls_.size() > 1 &&
           !std::all_of(calls_.begin(), calls_.end(), [&](NodeId id) { return is_plain_move(graph_, graph_[id]); });
  }

  const Graph& graph_;
  std::set<NodeId> calls_;
  std::size_t reads_ = 0;
  double length_ = 0;        ///< Of what is computed, as C writes it.
  bool has_stages_ = false;  ///< Whether one of the calls is of several stages.
};

/// Whether a body is one nest: from its result to what it reads.
class BodyCheck {
 public:
  explicit BodyCheck(const Graph& body) : body_(body) {}

  std::optional<std::string> why_not() {
    visit(body_.outputs().at(0), 0, 1, 1);
    if (why_.empty() && reads_ > kMostNestInputs) {
      why_ = "it reads " + std::to_string(reads_) + " values; up to " + std::to_string(kMostNestInputs) + " work";
    }
    return why_.empty() ? std::nullopt : std::optional(why_);
  }

 private:
  /// Visits a call once for each time that it is computed. \return the stages that it and what is below it are.
  std::size_t visit(NodeId id, std::size_t depth, double times, double index) {
    const Node& call = body_[id];
    if (!has_definition(call) && !is_plain_move(body_, call)) {
      return refuse(call, "has no loops that others can be part of");
    }
    const bool is_quantized = std::ranges::any_of(
        call.inputs, [&](NodeId input) { return is_call(body_[input], "qnn.dequantize") || is_8_bit(input); });
    if (is_product(call) && is_quantized) {
      return refuse(call, "is of quantized values, which are one layer only as the compiler's own fusions are");
    }
    const Definition definition = definition_of_call(body_, call);
    const NestLength length(definition, index);
    length_ += times * length.total();
    if (depth > kMostNestDepth || length_ > kMostNestLength) {
      return refuse(call, "makes it longer than a nest may be");
    }
    std::size_t stages = definition.stages.size();
    for (std::size_t i = call.inputs.size(); why_.empty() && i-- > 0;) {
      stages = std::max(stages, visit_input(call, i, stages, depth, times * length.reads(i), length.index(i)));
    }
    return stages;
  }

  std::size_t visit_input(const Node& call, std::size_t i, std::size_t stages, std::size_t depth, double times,
                          double index) {
    const NodeId input = call.inputs[i];
    if (body_[input].kind != NodeKind::kCall) {
      ++reads_;
      return 1;
    }
    if (body_[input].type.element != ElementType::kFloat32) {
      return refuse(body_[input], "is not float32, as what is inside a nest is");
    }
    const std::size_t below = visit(input, depth + 1, times, index);
    const bool is_in_place = computes_each_element(call) && body_[input].type.shape == call.type.shape;
    if (why_.empty() && below > 1 && (stages > 1 || !is_in_place)) {
      return refuse(body_[input], "has several passes over its input, and not at the end of the nest");
    }
    return below;
  }

  bool is_8_bit(NodeId id) const { return fovea::is_8_bit(body_[id].type.element); }

  std::size_t refuse(const Node& call, const std::string& why) {
    why_ = why_.empty() ? call.op->name + " " + why : why_;
    return 1;
  }

  const Graph& body_;
  std::string why_;
  std::size_t reads_ = 0;
  double length_ = 0;
};

}  // namespace

std::optional<std::string> why_no_nest(const Graph& body) { return BodyCheck(body).why_not(); }

bool has_definition(const Node& node) {
  return node.kind == NodeKind::kCall && !node.op->is_variadic &&
         (node.op->define != nullptr || node.op->unary != nullptr || node.op->binary != nullptr);
}

bool is_of_floats(const Graph& graph, const Node& call) {
  const auto is_float = [](const TensorType& type) { return type.element == ElementType::kFloat32; };
  return is_float(call.type) &&
         std::all_of(call.inputs.begin(), call.inputs.end(), [&](NodeId input) { return is_float(graph[input].type); });
}

std::set<NodeId> nest_group(const Graph& graph, NodeId root) { return Group(graph).select(root); }

}  // namespace fovea
