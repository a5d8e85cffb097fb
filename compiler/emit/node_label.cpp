// SPDX-License-Identifier: Apache-2.0
/// \file
/// Labels in Graphviz's own HTML: the name bold, what is less important smaller and grey.
#include "node_label.h"

#include <sstream>

#include "ops/operator.h"
#include "spec/shown_text.h"

namespace fovea {
namespace {

std::string escape(const std::string& text) {
  std::string out;
  for (const char letter : shown_text(text)) {
    switch (letter) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += letter;
    }
  }
  return out;
}

std::string bold(const std::string& text) { return "<b>" + escape(text) + "</b>"; }

std::string small(const std::string& text) {
  return "<br/><font point-size=\"9\" color=\"#5a6675\">" + escape(text) + "</font>";
}

struct AttributeText {
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const {
    std::ostringstream out;
    out << value;
    return out.str();
  }
  std::string operator()(const std::string& value) const { return value; }
  std::string operator()(const std::vector<std::int64_t>& values) const {
    std::string text;
    for (const std::int64_t value : values) {
      text += (text.empty() ? "" : ", ") + std::to_string(value);
    }
    return "[" + text + "]";
  }
};

/// A scalar's value.
std::string scalar_text(const Tensor& scalar) {
  if (scalar.type().element != ElementType::kFloat32) {
    return std::to_string(scalar.integer_at(0));
  }
  const float value = scalar.values<float>()[0];
  return AttributeText{}(static_cast<double>(value));
}

/// Scalar inputs by the names that the operator's row gives them: "scale 0.03125, zero_point 128".
std::string scalars_text(const Graph& graph, const Node& node) {
  std::string text;
  for (std::size_t i = 0; node.op != nullptr && i < node.inputs.size() && i < node.op->inputs.size(); ++i) {
    const Node& input = graph[node.inputs[i]];
    if (input.kind == NodeKind::kConstant && input.type.shape.empty()) {
      text += (text.empty() ? "" : ", ") + node.op->inputs[i] + " " + scalar_text(*input.constant);
    }
  }
  return text;
}

std::string attributes_text(const Node& node) {
  std::string text;
  for (const auto& [name, value] : node.attributes) {
    text += (text.empty() ? "" : ", ") + name + " " + std::visit(AttributeText{}, value);
  }
  return text;
}

/// "uint8 (1, 3, 32, 32)".
std::string type_text(const TensorType& type) { return std::string(to_text(type.element)) + " " + to_text(type.shape); }

}  // namespace

std::string title_label(const std::string& title) { return "<" + bold(title) + ">"; }

std::string node_label(const Graph& graph, const Node& node) {
  std::string text = "<" + bold(std::string(operation_of(node)));
  for (const std::string& line : {node.origin, scalars_text(graph, node), attributes_text(node)}) {
    text += line.empty() ? "" : small(line);
  }
  return text + "<br/>" + escape(type_text(node.type)) + ">";
}

std::string function_label(const Function& function, const std::string& layer) {
  std::string text = "<" + (layer.empty() ? "" : bold(layer) + "  ") + escape(function.name);
  if (!function.target.empty()) {
    text += escape(" on the " + std::string(function.target == "cpu" ? "CPU" : "accelerator"));
  }
  return text + (function.reason.empty() ? "" : small(function.reason)) + ">";
}

}  // namespace fovea
