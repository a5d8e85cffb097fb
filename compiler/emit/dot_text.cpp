// SPDX-License-Identifier: Apache-2.0
/// \file
/// Graphviz text by recursion over regions and composites.
#include "dot_text.h"

#include <sstream>

#include "node_label.h"

namespace fovea {
namespace {

/// A drawn value: its node's name, "" where it is not drawn, and whether it follows from an input.
struct Value {
  std::string name;
  bool is_data = false;
};

struct BoxStyle {
  const char* kind;  ///< Class of the SVG element.
  const char* line;
  const char* fill;
};

/// The accelerator is green, the CPU orange.
BoxStyle style_of(const Function& function) {
  if (function.target.empty()) {
    return {"unplaced", "#858c97", "#f4f5f7"};
  }
  return function.target == "cpu" ? BoxStyle{"cpu", "#b35c00", "#fdf3e7"} : BoxStyle{"dla", "#1b7f3b", "#edf7f0"};
}

const char* node_style(NodeKind kind) {
  switch (kind) {
    case NodeKind::kInput:
      return "class=input, shape=oval";
    case NodeKind::kConstant:
      return "class=constant, style=\"dashed,filled\"";
    default:
      return "class=operator";
  }
}

class DotWriter {
 public:
  DotWriter(std::ostream& out, const std::vector<std::string>& layers, std::string prefix)
      : out_(out), layers_(layers), prefix_(std::move(prefix)) {}

  /// Writes the nodes of a graph whose inputs are already drawn as `arguments` (none: they are drawn here).
  /// \return its outputs.
  std::vector<Value> draw(const Graph& graph, const std::vector<Value>& arguments) {
    std::vector<Value> values(graph.size());
    std::vector<bool> is_given(graph.size(), false);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      values[graph.inputs()[i]] = arguments[i];
      is_given[graph.inputs()[i]] = true;
    }
    for (NodeId id = 0; id < graph.size(); ++id) {
      if (!is_given[id]) {
        values[id] = draw_node(graph, graph[id], values);
      }
    }
    std::vector<Value> outputs;
    for (const NodeId id : graph.outputs()) {
      outputs.push_back(values[id]);
    }
    return outputs;
  }

 private:
  Value draw_node(const Graph& graph, const Node& node, const std::vector<Value>& values) {
    std::vector<Value> arguments;
    for (const NodeId input : node.inputs) {
      arguments.push_back(values[input]);
    }
    if (node.kind == NodeKind::kFunction) {
      return draw_function(*node.function, arguments);
    }
    if (node.kind == NodeKind::kConstant && node.type.shape.empty()) {
      return {};
    }
    Value value{prefix_ + std::to_string(next_++), node.kind == NodeKind::kInput};
    out_ << value.name << " [" << node_style(node.kind) << ", label=" << node_label(graph, node) << "];\n";
    for (const Value& argument : arguments) {
      draw_edge(argument, value);
    }
    if (node.kind == NodeKind::kConstant && !above_.empty()) {
      out_ << above_ << " -> " << value.name << " [style=invis, weight=0];\n";
    }
    return value;
  }

  /// Edges of data pull their ends into one line.
  void draw_edge(const Value& from, Value& to) {
    if (from.name.empty()) {
      return;
    }
    to.is_data = to.is_data || from.is_data;
    out_ << from.name << " -> " << to.name << (from.is_data ? " [weight=100, penwidth=1.6];\n" : ";\n");
  }

  Value draw_function(const Function& function, const std::vector<Value>& arguments) {
    const BoxStyle style = style_of(function);
    const std::string layer = !function.is_region && drawn_layers_ < layers_.size() ? layers_[drawn_layers_++] : "";
    out_ << "subgraph cluster_" << prefix_ << next_++ << " {\nclass=" << style.kind
         << ";\nlabel=" << function_label(function, layer) << ";\ncolor=\"" << style.line << "\";\nfontcolor=\""
         << style.line << "\";\n";
    if (function.is_region) {
      out_ << "style=\"rounded,dashed\";\n";
    } else {
      out_ << "style=\"rounded,filled\";\nfillcolor=\"" << style.fill << "\";\n";
    }
    if (!layer.empty()) {
      out_ << "id=\"graph-" << layer << "\";\nURL=\"#layer-" << layer << "\";\n";
    }
    const std::string outer = above_;
    for (const Value& argument : arguments) {
      above_ = argument.is_data ? argument.name : above_;
    }
    const std::vector<Value> outputs = draw(function.body, arguments);
    above_ = outer;
    out_ << "}\n";
    return outputs.at(0);
  }

  std::ostream& out_;
  const std::vector<std::string>& layers_;
  std::string prefix_;
  std::string above_;  ///< What the function being drawn reads: its constants stay below, and boxes stack.
  std::size_t next_ = 0, drawn_layers_ = 0;
};

}  // namespace

std::string graphs_to_dot(const std::vector<DrawnGraph>& graphs) {
  std::ostringstream out;
  out << "digraph network {\nnewrank=true;\nranksep=0.35;\nfontname=\"Helvetica\";\nfontsize=12;\nnode [shape=box, "
         "style=\"rounded,filled\", "
         "fillcolor=white, fontname=\"Helvetica\", fontsize=11];\nedge [arrowsize=0.7, color=\"#5a6675\"];\n";
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    const std::string prefix = std::string(1, static_cast<char>('a' + i));
    out << "subgraph cluster_" << prefix << " {\nlabel=" << title_label(graphs[i].title) << ";\ncolor=transparent;\n";
    DotWriter(out, graphs[i].layers, prefix).draw(graphs[i].graph, {});
    out << "}\n";
  }
  out << "}\n";
  return out.str();
}

}  // namespace fovea
