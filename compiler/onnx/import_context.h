// SPDX-License-Identifier: Apache-2.0
/// \file
/// What converters work on: the graph so far and the values that ONNX names stand for.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "ir/graph.h"
#include "onnx_node.h"
#include "onnx_tensor.h"

namespace fovea {

/// Of a value that an unsupported node makes, where nothing says its type.
inline const TensorType kUnknownType{{}, ElementType::kFloat32};

class ImportContext {
 public:
  /// The value of an initializer becomes a constant where it is first read. `graph` must outlive the context.
  /// \param folder  The model's: for constants whose data is in a file beside it.
  ImportContext(const onnx::GraphProto& graph, std::filesystem::path folder);

  bool is_initializer(const std::string& name) const { return initializers_.count(name) != 0; }

  /// A constant of the model. \param owner  What an error about it begins with.
  Tensor read_tensor(const onnx::TensorProto& proto, const std::string& owner) const;

  /// The type of integers that the IR has none for, of a constant of that name; null where it has another.
  const NarrowType* narrow_type(const std::string& name) const;

  /// Gives a name to a value. \pre check_graph(): each name is given once, and before it is read.
  void define(const std::string& name, NodeId id);
  bool is_defined(const std::string& name) const { return values_.count(name) != 0; }

  /// Says why a value is never made, for find() to report. Unread, it does no harm.
  void define_missing(const std::string& name, std::string reason) { missing_[name] = std::move(reason); }

  /// Whether a node reads a value of which not even the type is known, as what makes it can't be converted.
  bool reads_unknown(const OnnxNode& node) const;

  /// A node that reads a value and is of another operator: "/net/Add"; "" where there is none.
  std::string reader_other_than(const std::string& op, const std::string& value) const;

  /// The type that the model declares of a value, an open batch as 1; nothing where it declares none in full.
  std::optional<TensorType> declared_type(const std::string& name) const;

  /// What stands for a result of a node that can't be converted, of the type that the model declares; where it declares
  /// no activation's, nothing that reads it is looked at.
  NodeId unsupported(const OnnxNode& node, const std::string& output, const std::string& why);
  /// ... or for an input of the network.
  NodeId unsupported(const std::string& input, const std::string& why);

  /// The value of that name. UserError where define_missing() said why there is none.
  NodeId find(const std::string& name);

  /// A node's input. UserError where it is left out.
  NodeId input(const OnnxNode& node, int place);
  /// ... or nothing.
  std::optional<NodeId> optional_input(const OnnxNode& node, int place);

  /// A node's input that must be known at compile time. UserError where it depends on the network's input.
  Tensor constant_input(const OnnxNode& node, int place);
  /// ... as a constant in the graph, computed where it is not one yet: a parameter that was quantized, say.
  NodeId constant_value_input(const OnnxNode& node, int place);
  std::vector<int64_t> ints_input(const OnnxNode& node, int place);
  /// Numbers that older opsets have as an attribute and newer ones as an input; `fallback` where neither is given.
  std::vector<int64_t> read_ints(OnnxNode& node, int place, const std::string& attribute,
                                 const std::vector<int64_t>& fallback);

  /// Copies: the next node that is added moves the graph in memory.
  TensorType type(NodeId id) const { return builder[id].type; }
  Shape shape(NodeId id) const { return builder[id].type.shape; }

  /// Whether a value depends on constants only.
  bool is_constant(NodeId id) const;

  /// A float32 constant of no dimensions.
  NodeId number(const OnnxNode& node, float value);

  /// Applies an operator of the IR, named after the ONNX node.
  NodeId call(const OnnxNode& node, std::string_view op, std::vector<NodeId> inputs, Attributes attributes = {});

  /// Takes, along an axis, what is at `places`: "take", or nothing where that is everything.
  NodeId take(const OnnxNode& node, NodeId x, std::size_t axis, const std::vector<int64_t>& places);

  /// Applies "reshape" or "transpose"; to the integers below where the value is dequantized with one scale, so that
  /// constants stay foldable and patterns still see the dequantize. \param name  Of the ONNX node whose value it is.
  NodeId move_elements(const std::string& name, std::string_view op, NodeId id, Attributes attributes);
  NodeId move_elements(const OnnxNode& node, std::string_view op, NodeId id, Attributes attributes) {
    return move_elements(node.name(), op, id, std::move(attributes));
  }

  GraphBuilder builder;
  int64_t opset = 13;  ///< Of the model, for what changed its meaning.

 private:
  /// \pre Of the nodes in front of it too.
  void note_narrow_type(const onnx::NodeProto& node);

  NodeId add_unsupported(const std::string& name, const std::string& op, const std::string& why,
                         std::vector<NodeId> inputs, const TensorType& type);

  const onnx::GraphProto& graph_;
  std::filesystem::path folder_;
  std::map<std::string, const onnx::TensorProto*> initializers_;
  std::map<std::string, const NarrowType*> narrow_types_;  ///< Of constants; null of other types.
  std::map<std::string, const onnx::ValueInfoProto*> declared_;
  std::map<std::string, NodeId> values_;
  std::map<std::string, std::string> missing_;
};

}  // namespace fovea
