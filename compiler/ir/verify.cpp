// SPDX-License-Identifier: Apache-2.0
/// \file
/// Checks graphs node by node.
#include "verify.h"

#include <algorithm>

#include "ops/operator.h"
#include "results.h"
#include "tensor/error.h"

namespace fovea {
namespace {

/// One graph under check: the top level, or a function's body.
class Verifier {
 public:
  /// Throws what the graph's maker is told: that `node`, as it is called, has a problem in `place`.
  using Fail = void (*)(const std::string& place, const std::string& id, const std::string& node,
                        const std::string& problem);

  Verifier(const Graph& graph, std::string place, const Function* owner, Fail fail)
      : graph_(graph), place_(std::move(place)), owner_(owner), fail_(fail) {}

  void run() {
    for (id_ = 0; id_ < graph_.size(); ++id_) {
      check_node(graph_[id_]);
    }
    check_graph(!graph_.outputs().empty(), "the graph has no output");
    for (NodeId output : graph_.outputs()) {
      check_graph(output < graph_.size(), "an output is no node of the graph");
    }
    for (NodeId input : graph_.inputs()) {
      check_graph(input < graph_.size() && graph_[input].kind == NodeKind::kInput, "a listed input is no input node");
    }
  }

 private:
  void check(bool condition, const std::string& problem) const {
    if (!condition) {
      fail_(place_, "%" + std::to_string(id_), describe(graph_, id_), problem);
    }
  }

  void check_graph(bool condition, const std::string& problem) const {
    if (!condition) {
      fail_(place_, "", "", problem);
    }
  }

  void check_node(const Node& node) {
    for (NodeId input : node.inputs) {
      check(input < id_, "reads %" + std::to_string(input) + ", which does not come before it");
    }
    switch (node.kind) {
      case NodeKind::kInput:
        return check_input(node);
      case NodeKind::kConstant:
        return check_constant(node);
      case NodeKind::kCall:
        return check_call_node(node);
      case NodeKind::kFunction:
        return check_function(node);
    }
  }

  void check_input(const Node& node) const {
    check(node.inputs.empty(), "an input reads nothing");
    const auto& listed = graph_.inputs();
    check(std::count(listed.begin(), listed.end(), id_) == 1, "an input node is listed once among the graph's inputs");
  }

  void check_constant(const Node& node) const {
    check(node.inputs.empty() && node.constant != nullptr, "a constant has a tensor and reads nothing");
    check(node.constant->type() == node.type,
          "is a " + to_text(node.type) + " but its tensor is a " + to_text(node.constant->type()));
  }

  void check_call_node(const Node& node) const {
    check(node.op != nullptr, "a call has an operator");
    check_nesting(nullptr);
    std::vector<TensorType> types;
    for (NodeId input : node.inputs) {
      types.push_back(graph_[input].type);
    }
    check_type(node, inferred_type(node, types));
  }

  TensorType inferred_type(const Node& node, const std::vector<TensorType>& types) const {
    try {
      return infer_type(node, types);
    } catch (const UserError& error) {
      check(false, std::string("its inputs don't fit: ") + error.what());
      throw;
    }
  }

  void check_type(const Node& node, const TensorType& expected) const {
    check(node.type == expected, "is a " + to_text(node.type) + " but should be a " + to_text(expected));
  }

  void check_function(const Node& node) const {
    check(node.function != nullptr, "a function call has a function");
    const Function& function = *node.function;
    const Graph& body = function.body;
    check_nesting(&function);
    check(body.inputs().size() == node.inputs.size(), function.name + " is given as many values as it takes");
    Verifier(body, place_ + ", in " + function.name, &function, fail_).run();
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      check(body[body.inputs()[i]].type == graph_[node.inputs[i]].type,
            function.name + " takes a " + to_text(body[body.inputs()[i]].type) + " but is given a " +
                to_text(graph_[node.inputs[i]].type));
    }
    check_type(node, type_of_packed(results_of(body)));
  }

  void check_nesting(const Function* inner) const {
    const std::string problem = nesting_problem(owner_, inner);
    check(problem.empty(), problem);
  }

  const Graph& graph_;
  const std::string place_;
  const Function* owner_;
  const Fail fail_;
  NodeId id_ = 0;
};

void fail_in_the_compiler(const std::string& place, const std::string& id, const std::string& node,
                          const std::string& problem) {
  internal_check(false, place + ": " + (id.empty() ? "" : id + " (" + node + "): ") + problem);
}

void fail_by_the_user(const std::string& place, const std::string& /*id*/, const std::string& node,
                      const std::string& problem) {
  user_error((node.empty() ? "" : node + ": ") + problem + " (" + place + ")");
}

}  // namespace

std::string nesting_problem(const Function* around, const Function* inner) {
  if (around == nullptr) {
    return "";
  }
  if (inner == nullptr) {
    return around->is_region ? "a region holds composites, not operators" : "";
  }
  if (!around->is_region || inner->is_region) {
    return "only a region holds functions, and only composites";
  }
  return inner->target == around->target ? "" : inner->name + " does not run where its region does";
}

void verify(const Graph& graph, std::string_view pass) {
  Verifier(graph, "after " + std::string(pass), nullptr, fail_in_the_compiler).run();
}

void refuse_broken(const Graph& graph, const std::string& place) {
  Verifier(graph, place, nullptr, fail_by_the_user).run();
}

void refuse_unsupported(const Graph& graph) {
  std::vector<std::string> reasons;
  for (const Node& node : graph.nodes()) {
    if (is_call(node, "unsupported") && !text_attribute(node, "why", "").empty()) {
      reasons.push_back(text_attribute(node, "why", ""));
    }
  }
  refuse_all(reasons);
}

}  // namespace fovea
