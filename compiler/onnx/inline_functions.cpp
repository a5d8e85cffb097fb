// SPDX-License-Identifier: Apache-2.0
/// \file
/// Copies a function's nodes under new names, and again where a copy is a call.
///
/// libonnx 1.12 does not know defaults of attributes and overloads, which ONNX has added since: they are read from the
/// fields that its parser keeps as unknown.
#include "inline_functions.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "converters.h"
#include "import.h"
#include "onnx_node.h"
#include "tensor/error.h"

namespace fovea {
namespace {

/// Fields that came after libonnx 1.12.
constexpr int kNodeOverload = 8, kFunctionOverload = 13, kFunctionDefaults = 11;

/// Bytes that copies may take, and calls within calls: so that a small file does not become a huge network.
constexpr std::size_t kMostBytes = std::size_t{1} << 28, kMostDepth = 100;

/// The values of a field that the parser does not know, as bytes.
template <typename Proto>
std::vector<std::string> unknown_values(const Proto& proto, int number) {
  std::vector<std::string> values;
  for (int i = 0; i < proto.unknown_fields().field_count(); ++i) {
    const auto& field = proto.unknown_fields().field(i);
    if (field.number() == number && field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED) {
      values.push_back(field.length_delimited());
    }
  }
  return values;
}

/// Which function a node calls, or a function is: the operator, and an overload where there are several of its name.
template <typename Proto>
std::string key_of(const Proto& proto, const std::string& op_type, int overload) {
  onnx::NodeProto node;
  node.set_domain(proto.domain());
  node.set_op_type(op_type);
  const std::vector<std::string> overloads = unknown_values(proto, overload);
  return OnnxNode(node).op() + (overloads.empty() || overloads[0].empty() ? "" : ":" + overloads[0]);
}

class Inlining {
 public:
  Inlining(const onnx::ModelProto& model, const onnx::GraphProto& graph) : graph_(graph) {
    for (const onnx::FunctionProto& function : model.functions()) {
      const std::string key = key_of(function, function.name(), kFunctionOverload);
      if (!functions_.emplace(key, &function).second) {
        user_error("function " + key + ": is there twice; give each a name of its own");
      }
    }
    const auto& nodes = graph_.node();
    has_calls_ = std::any_of(nodes.begin(), nodes.end(), [&](const auto& node) { return called_by(node) != nullptr; });
  }

  std::optional<onnx::GraphProto> inlined() {
    if (!has_calls_) {
      return std::nullopt;
    }
    note_names();
    onnx::GraphProto result = graph_;
    result.clear_node();
    for (const onnx::NodeProto& node : graph_.node()) {
      add(node, result);
    }
    return result;
  }

 private:
  /// Null where the node is no call.
  const onnx::FunctionProto* called_by(const onnx::NodeProto& node) const {
    if (functions_.empty() || find_converter(OnnxNode(node).op()) != nullptr) {
      return nullptr;
    }
    const auto function = functions_.find(key_of(node, node.op_type(), kNodeOverload));
    return function == functions_.end() ? nullptr : function->second;
  }

  /// Of all values that the graph has before.
  void note_names() {
    for (const onnx::ValueInfoProto& input : graph_.input()) {
      names_.insert(input.name());
    }
    for (const onnx::TensorProto& initializer : graph_.initializer()) {
      names_.insert(initializer.name());
    }
    for (const onnx::NodeProto& node : graph_.node()) {
      names_.insert(node.input().begin(), node.input().end());
      names_.insert(node.output().begin(), node.output().end());
    }
  }

  void add(const onnx::NodeProto& node, onnx::GraphProto& result) {
    if (const onnx::FunctionProto* function = called_by(node)) {
      return add_call(node, *function, result);
    }
    *result.add_node() = node;
  }

  void add_call(const onnx::NodeProto& call, const onnx::FunctionProto& function, onnx::GraphProto& result) {
    check_call(call, function);
    active_.push_back(&function);
    std::map<std::string, std::string> names = names_of_ports(call, function);
    for (const onnx::NodeProto& node : function.node()) {
      const onnx::NodeProto copy = copied(node, call, function, names);
      bytes_ += copy.SpaceUsedLong();
      if (bytes_ > kMostBytes) {
        refuse(call, function, "its nodes and those of other calls are more than 2^28 bytes; call fewer functions");
      }
      add(copy, result);
    }
    active_.pop_back();
  }

  [[noreturn]] static void refuse(const onnx::NodeProto& call, const onnx::FunctionProto& function,
                                  const std::string& problem) {
    user_error(OnnxNode(call).name() + ": calls the function " + function.name() + ": " + problem);
  }

  void check_call(const onnx::NodeProto& call, const onnx::FunctionProto& function) const {
    const auto check = [&](bool condition, const std::string& problem) {
      if (!condition) {
        refuse(call, function, problem);
      }
    };
    check(std::ranges::count(active_, &function) == 0, "it calls itself; unroll the recursion");
    check(active_.size() < kMostDepth,
          "functions call each other " + std::to_string(kMostDepth) + " deep; fewer levels work");
    check(call.input_size() <= function.input_size(),
          "it takes " + std::to_string(function.input_size()) + " inputs, not " + std::to_string(call.input_size()));
    check(call.output_size() <= function.output_size(),
          "it makes " + std::to_string(function.output_size()) + " outputs, not " + std::to_string(call.output_size()));
    for (const onnx::OperatorSetIdProto& opset : function.opset_import()) {
      const bool is_standard = opset.domain().empty() || opset.domain() == "ai.onnx";
      check(!is_standard || (opset.version() >= kLeastOpset && opset.version() <= kMostOpset),
            "opset " + std::to_string(opset.version()) + " is not supported; " + std::to_string(kLeastOpset) + " to " +
                std::to_string(kMostOpset) + " are");
    }
    std::set<std::string> made;
    for (const onnx::NodeProto& node : function.node()) {
      made.insert(node.output().begin(), node.output().end());
    }
    for (const std::string& output : function.output()) {
      check(made.count(output) != 0, "its output " + output + " is made by none of its nodes; export the model again");
    }
  }

  /// What the function's inputs and outputs are called where it is called; "" for an input that is left out.
  static std::map<std::string, std::string> names_of_ports(const onnx::NodeProto& call,
                                                           const onnx::FunctionProto& function) {
    std::map<std::string, std::string> names{{"", ""}};
    for (int i = 0; i < function.input_size(); ++i) {
      names[function.input(i)] = i < call.input_size() ? call.input(i) : "";
    }
    for (int i = 0; i < call.output_size(); ++i) {
      if (!call.output(i).empty()) {
        names[function.output(i)] = call.output(i);
      }
    }
    return names;
  }

  /// A node of the function, in the call's names. \param names  Of values, by those within the function; grows.
  onnx::NodeProto copied(const onnx::NodeProto& node, const onnx::NodeProto& call, const onnx::FunctionProto& function,
                         std::map<std::string, std::string>& names) {
    const std::string front = OnnxNode(call).name() + "/";
    const auto name = [&](const std::string& inside) {
      const auto [found, is_new] = names.emplace(inside, "");
      return found->second = is_new ? unused(front + inside) : found->second;
    };
    onnx::NodeProto copy = node;
    if (!node.name().empty()) {
      copy.set_name(front + node.name());
    }
    for (std::string& input : *copy.mutable_input()) {
      input = name(input);
    }
    for (std::string& output : *copy.mutable_output()) {
      output = name(output);
    }
    copy.clear_attribute();
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      if (std::optional<onnx::AttributeProto> given = resolved(attribute, call, function)) {
        *copy.add_attribute() = *std::move(given);
      }
    }
    return copy;
  }

  std::string unused(std::string name) {
    while (!names_.insert(name).second) {
      name += "_";
    }
    return name;
  }

  /// An attribute, or what it refers to; nothing where that is neither given nor has a default.
  static std::optional<onnx::AttributeProto> resolved(const onnx::AttributeProto& attribute,
                                                      const onnx::NodeProto& call,
                                                      const onnx::FunctionProto& function) {
    const std::string& reference = attribute.ref_attr_name();
    if (reference.empty()) {
      return attribute;
    }
    const auto named = [&](const onnx::AttributeProto& each) -> std::optional<onnx::AttributeProto> {
      if (each.name() != reference) {
        return std::nullopt;
      }
      onnx::AttributeProto given = each;
      given.set_name(attribute.name());
      return given;
    };
    for (const onnx::AttributeProto& given : call.attribute()) {
      if (auto found = named(given)) {
        return found;
      }
    }
    for (const std::string& bytes : unknown_values(function, kFunctionDefaults)) {
      onnx::AttributeProto fallback;
      if (fallback.ParseFromString(bytes)) {
        if (auto found = named(fallback)) {
          return found;
        }
      }
    }
    return std::nullopt;
  }

  const onnx::GraphProto& graph_;
  std::map<std::string, const onnx::FunctionProto*> functions_;
  bool has_calls_ = false;
  std::set<std::string> names_;                     ///< Of all values so far.
  std::vector<const onnx::FunctionProto*> active_;  ///< Called, one by the other.
  std::size_t bytes_ = 0;                           ///< Of copies.
};

}  // namespace

std::optional<onnx::GraphProto> inline_functions(const onnx::ModelProto& model, const onnx::GraphProto& graph) {
  return Inlining(model, graph).inlined();
}

}  // namespace fovea
