// SPDX-License-Identifier: Apache-2.0
/// \file
/// The IR: a functional dataflow graph whose every value has a shape and an element type.
///
/// A Graph is a list of nodes in topological order; a node makes one value and its id is its place in the list. Graphs
/// are values: a pass takes one and returns another, built with GraphBuilder. Text form: text.h. Walk-through:
/// README.md.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ops/call.h"
#include "tensor/tensor.h"

namespace fovea {

struct Function;

/// Place of a node in its graph, and name of the value that it makes. A node's inputs have smaller ids.
using NodeId = std::size_t;

/// Values that a graph may have.
inline constexpr std::size_t kMostValues = 65536;

enum class NodeKind {
  kInput,     ///< A parameter of the graph.
  kConstant,  ///< A tensor known at compile time.
  kCall,      ///< An operator of ops.def applied to values.
  kFunction,  ///< A composite or a region (Function) applied to values.
};

/// One node and the value that it makes. Operator and attributes are those of kCall.
struct Node : Call {
  NodeKind kind = NodeKind::kCall;
  TensorType type;
  std::vector<NodeId> inputs;                ///< kCall, kFunction.
  std::shared_ptr<const Tensor> constant;    ///< kConstant.
  std::shared_ptr<const Function> function;  ///< kFunction.
};

/// A dataflow graph. Made by GraphBuilder; never changed afterwards.
class Graph {
 public:
  std::size_t size() const { return nodes_.size(); }
  const Node& operator[](NodeId id) const { return nodes_.at(id); }
  const std::vector<Node>& nodes() const { return nodes_; }

  /// Ids of the parameters, in order.
  const std::vector<NodeId>& inputs() const { return inputs_; }
  /// Ids of the results, in order.
  const std::vector<NodeId>& outputs() const { return outputs_; }
  /// What the network calls its results, in order; "" where it does not say.
  const std::vector<std::string>& output_names() const { return output_names_; }

  /// For each node, the nodes that read it, in order, each once for each time it is read. Outputs don't count.
  /// \pre The graph is finished.
  const std::vector<std::vector<NodeId>>& users() const { return users_; }

  /// Whether a value is a result of the graph.
  bool is_output(NodeId id) const;

  /// Whether a value depends on constants and shapes only, and on nothing that is unsupported or a C function's.
  bool is_constant(NodeId id) const { return is_constant_[id]; }

  /// Whether one node reads a value, once, and it is no result.
  /// \pre The graph is finished.
  bool is_read_once(NodeId id) const { return users_[id].size() == 1 && !is_output(id); }

 private:
  friend class GraphBuilder;
  std::vector<Node> nodes_;
  std::vector<NodeId> inputs_, outputs_;
  std::vector<std::string> output_names_;
  std::vector<std::vector<NodeId>> users_;
  std::vector<bool> is_constant_;
};

/// What a composite computes, as a value of compiler/layers; the graph only hands it on.
struct Layer;

/// A named part of the network, with a body of its own. Two levels exist: a composite holds operators and is one
/// runtime call ("qconv2d_relu"); a region holds composites of one target ("dla_region_0").
struct Function {
  std::string name;
  bool is_region = false;
  std::string target;                  ///< Name of where it runs, "dla" or "cpu". Set by annotate_target, "" before.
  std::string reason;                  ///< Why it is not on the accelerator; "" on it.
  std::string layer;                   ///< Short, unique name of a composite: "conv1".
  std::string note;                    ///< Of a composite: a user's fusions that were left out of it, and why.
  std::string region;                  ///< Of a composite: name of the region it will be part of. Set by merge_regions.
  Graph body;                          ///< Its inputs are the function's arguments, constants are inside. results.h
  std::shared_ptr<const Layer> value;  ///< Of a composite: what its match captured. Null where it came from a text.
};

/// Makes a graph, node by node. Each function returns the id of the new value, and throws a UserError where there would
/// be more than kMostValues. Names and other texts, which are those of whoever wrote the network, are in the graph as
/// shown_text().
class GraphBuilder {
 public:
  NodeId input(std::string name, TensorType type);
  NodeId constant(Tensor tensor, std::string origin = "");
  NodeId constant(std::shared_ptr<const Tensor> tensor, std::string origin = "");

  /// Applies an operator of ops.def; the type is inferred. UserError naming `origin` where inputs or attributes don't
  /// fit the operator.
  NodeId call(std::string_view op, std::vector<NodeId> inputs, Attributes attributes = {}, std::string origin = "");
  /// The same of any operator; the other fields of `call` are its attributes and origin.
  NodeId call(const Call& call, std::vector<NodeId> inputs);
  NodeId call(Function function, std::vector<NodeId> inputs, std::string origin = "");

  /// Adds a copy of a node of another graph, its inputs replaced by `inputs`, its type inferred anew.
  NodeId copy(const Node& node, std::vector<NodeId> inputs);

  const Node& operator[](NodeId id) const { return graph_[id]; }
  const Graph& so_far() const { return graph_; }

  /// Ends the graph. The builder is empty afterwards. \param names  Of the outputs: none, or as many.
  Graph finish(std::vector<NodeId> outputs, std::vector<std::string> names = {});

 private:
  NodeId add(Node node);
  Graph graph_;
};

/// Whether a node is a composite, which becomes one layer.
bool is_composite(const Node& node);

/// Name of what a node does: "input", "constant", "nn.conv2d", "dla.qconv2d_relu".
std::string_view operation_of(const Node& node);

/// What a person calls a node: its ONNX name, else operation and id ("nn.conv2d %12").
std::string describe(const Graph& graph, NodeId id);

}  // namespace fovea
