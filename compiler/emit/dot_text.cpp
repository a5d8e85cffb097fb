// SPDX-License-Identifier: Apache-2.0
/// \file
/// Folds a graph into boxes and edges, and writes those as Graphviz text.
#include "dot_text.h"

#include <algorithm>
#include <map>
#include <sstream>

#include "ir/results.h"
#include "node_label.h"
#include "ops/operator.h"

namespace fovea {
namespace {

/// A value: the box that makes it and what runs along edges from there; or a constant, which has no box but words.
struct Value {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::size_t box = kNone;
  std::string words;   ///< Of a constant: "int8 16x3x3x3, 16 scales".
  TensorType type;     ///< Of what is stored: the integers, where they stand for numbers.
  std::string scales;  ///< What the integers stand for, else "".
};

/// A box: operators of which each is the only one that reads the one before.
struct Box {
  std::string name, style, title, line;
  std::vector<std::string> more;
  std::size_t cluster;
  bool can_grow = false;
};

/// A region, or the whole graph.
struct Cluster {
  std::string label, style;
  std::size_t parent;
  std::vector<std::string> edges = {};
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

bool is_conversion(const Node& node) {
  const std::string_view name = operation_of(node);
  return name == "qnn.quantize" || name == "qnn.dequantize";
}

/// At most one axis has several elements: a bias, but no weights.
bool is_vector(const TensorType& type) {
  return std::ranges::count_if(type.shape, [](int64_t size) { return size != 1; }) <= 1;
}

/// With `between` where there is something on both sides.
void append(std::string& text, const std::string& word, const char* between) {
  text += text.empty() || word.empty() ? word : between + word;
}

/// Names of the operators of a composite, those that only convert left out, and what the first says.
std::string operators_text(const Graph& body) {
  std::string text, attributes;
  for (const Node& node : body.nodes()) {
    if (node.kind == NodeKind::kCall && !is_conversion(node)) {
      append(text, operator_text(node), " + ");
      append(attributes, attributes_text(node), ", ");
    }
  }
  return text + (attributes.empty() ? "" : ": " + attributes);
}

class Drawing {
 public:
  Drawing(std::ostream& out, const DrawnGraph& drawn, std::string prefix)
      : out_(out), layers_(drawn.layers), prefix_(std::move(prefix)) {
    clusters_.push_back({box_label(drawn.title, "", {}), "color=transparent;\n", 0});
    const Graph& graph = drawn.graph;
    const std::vector<Value> outputs = draw(graph, {}, 0);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const std::string name = i < graph.output_names().size() ? graph.output_names()[i] : "";
      const std::string type = value_text(graph[graph.outputs()[i]].type);
      connect({outputs[i]}, add_box({"", "class=output, shape=oval", "output", name, {type}, 0}));
    }
  }

  void write() const { write_cluster(0); }

 private:
  /// The nodes of a graph whose inputs are `arguments` (none: they are drawn here). \return its outputs.
  std::vector<Value> draw(const Graph& graph, const std::vector<Value>& arguments, std::size_t cluster) {
    std::vector<Value> values(graph.size());
    for (std::size_t i = 0; i < graph.inputs().size(); ++i) {
      const Node& input = graph[graph.inputs()[i]];
      values[graph.inputs()[i]] =
          i < arguments.size()
              ? arguments[i]
              : Value{
                    add_box({"", "class=input, shape=oval", "input", input.origin, {value_text(input.type)}, cluster}),
                    "", input.type, ""};
    }
    std::map<NodeId, std::vector<Value>> results;  // Of regions.
    for (NodeId id = 0; id < graph.size(); ++id) {
      const Node& node = graph[id];
      if (node.kind == NodeKind::kFunction && node.function->is_region) {
        results[id] = draw_region(*node.function, arguments_of(node, values), cluster);
        values[id] = results[id].at(0);
      } else if (const auto result = result_read(graph, id); result && results.contains(node.inputs[0])) {
        values[id] = results[node.inputs[0]].at(*result);
      } else if (node.kind != NodeKind::kInput) {
        values[id] = draw_node(graph, id, values, cluster);
      }
    }
    std::vector<Value> outputs;
    for (const NodeId id : graph.outputs()) {
      outputs.push_back(values[id]);
    }
    return outputs;
  }

  static std::vector<Value> arguments_of(const Node& node, const std::vector<Value>& values) {
    std::vector<Value> arguments;
    for (const NodeId input : node.inputs) {
      arguments.push_back(values[input]);
    }
    return arguments;
  }

  Value draw_node(const Graph& graph, NodeId id, const std::vector<Value>& values, std::size_t cluster) {
    const Node& node = graph[id];
    const std::vector<Value> arguments = arguments_of(node, values);
    if (node.kind == NodeKind::kConstant) {
      return {Value::kNone, constant_text(node), node.type, ""};
    }
    if (node.kind == NodeKind::kFunction) {
      return draw_composite(node, arguments, cluster);
    }
    if (is_conversion(node) && can_fold(graph, node, arguments)) {
      return fold(graph, node, arguments[0]);
    }
    const std::size_t box = can_join(graph, node, arguments) ? arguments[0].box : begin_box(node, arguments, cluster);
    append(boxes_[box].title, operator_text(node), " + ");
    boxes_[box].more.push_back(attributes_text(node));
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const bool is_named = node.op != nullptr && i < node.op->inputs.size();
      if (!arguments[i].words.empty()) {
        boxes_[box].more.push_back((is_named ? node.op->inputs[i] + " " : "") + arguments[i].words);
      }
    }
    return {box, "", node.type, moved_scales(node, values)};
  }

  /// Whether a conversion only says what the value it reads stands for. Another scale than before is an operator.
  static bool can_fold(const Graph& graph, const Node& node, const std::vector<Value>& arguments) {
    return arguments[1].box == Value::kNone && arguments[2].box == Value::kNone &&
           (arguments[0].scales.empty() || arguments[0].scales == scales_text(graph, node));
  }

  static Value fold(const Graph& graph, const Node& node, Value value) {
    const bool quantizes = operation_of(node) == "qnn.quantize";
    value.scales = scales_text(graph, node);
    value.type = quantizes ? node.type : value.type;
    if (value.box == Value::kNone) {
      append(value.words, value.scales, ", ");
      value.scales = "";
    }
    return value;
  }

  /// Whether an operator goes on with one value and constants where nothing else reads it, element by element.
  bool can_join(const Graph& graph, const Node& node, const std::vector<Value>& arguments) const {
    const Value first = arguments.empty() ? Value{} : arguments[0];
    const bool goes_on = first.box != Value::kNone && boxes_[first.box].can_grow && first.scales.empty() &&
                         graph.is_read_once(node.inputs[0]) && first.type == node.type;
    return goes_on && std::all_of(arguments.begin() + 1, arguments.end(), [](const Value& other) {
             return other.box == Value::kNone && is_vector(other.type);
           });
  }

  std::size_t begin_box(const Node& node, const std::vector<Value>& arguments, std::size_t cluster) {
    const std::size_t box = add_box({"", "class=operator", "", "", {node.origin}, cluster, true});
    connect(arguments, box);
    return box;
  }

  std::size_t add_box(Box box) {
    box.name = prefix_ + std::to_string(boxes_.size());
    boxes_.push_back(std::move(box));
    return boxes_.size() - 1;
  }

  void connect(const std::vector<Value>& from, std::size_t to) {
    for (const Value& value : from) {
      if (value.box != Value::kNone) {
        // In the region of both, so that its frame has room for the label.
        const std::size_t cluster = boxes_[value.box].cluster == boxes_[to].cluster ? boxes_[to].cluster : 0;
        clusters_[cluster].edges.push_back(boxes_[value.box].name + " -> " + boxes_[to].name + " [label=" +
                                           box_label("", "", {value_text(value.type), value.scales}) + "];\n");
      }
    }
  }

  std::vector<Value> draw_region(const Function& function, const std::vector<Value>& arguments, std::size_t cluster) {
    const BoxStyle style = style_of(function);
    const std::string& target = function.target;
    const std::string where = target.empty()    ? ""
                              : target == "cpu" ? "the CPU"
                              : target == "dla" ? "the accelerator"
                                                : target;
    clusters_.push_back({box_label("", function.name + (where.empty() ? "" : " on " + where), {function.reason}),
                         "class=" + std::string(style.kind) + ";\ncolor=\"" + style.line + "\";\nfontcolor=\"" +
                             style.line + "\";\nstyle=\"rounded,dashed\";\n",
                         cluster});
    return draw(function.body, arguments, clusters_.size() - 1);
  }

  Value draw_composite(const Node& node, const std::vector<Value>& arguments, std::size_t cluster) {
    const Function& function = *node.function;
    const BoxStyle style = style_of(function);
    const std::string layer = drawn_layers_ < layers_.size() ? layers_[drawn_layers_++] : "";
    const std::string link = layer.empty() ? "" : ", id=\"graph-" + layer + "\", URL=\"#layer-" + layer + "\"";
    const std::string look =
        "class=" + std::string(style.kind) + ", color=\"" + style.line + "\", fillcolor=\"" + style.fill + "\"" + link;
    const std::size_t box = add_box({"",
                                     look,
                                     layer,
                                     function.name,
                                     {node.origin == layer ? "" : node.origin, operators_text(function.body)},
                                     cluster});
    connect(arguments, box);
    return end_composite(function, arguments, box);
  }

  /// Its constants are words of its box; its value is what the last conversion says.
  Value end_composite(const Function& function, const std::vector<Value>& arguments, std::size_t box) {
    const Graph& body = function.body;
    std::vector<Value> values(body.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      values[body.inputs()[i]] = arguments[i];
    }
    for (NodeId id = 0; id < body.size(); ++id) {
      const Node& node = body[id];
      if (node.kind == NodeKind::kConstant) {
        values[id] = {Value::kNone, constant_text(node), node.type, ""};
      } else if (node.kind == NodeKind::kCall && is_conversion(node)) {
        values[id] = fold(body, node, values[node.inputs[0]]);
      } else if (node.kind == NodeKind::kCall) {
        for (const NodeId input : node.inputs) {
          boxes_[box].more.push_back(values[input].words);
        }
        values[id] = {box, "", node.type, moved_scales(node, values)};
      }
    }
    boxes_[box].more.push_back(function.reason);
    const NodeId output = body.outputs().at(0);
    if (body.outputs().size() > 1) {
      return {box, "", type_of_packed(results_of(body)), ""};
    }
    const bool is_float = body[output].type.element == ElementType::kFloat32;
    return {box, "", body[output].type, is_float ? "" : values[output].scales};
  }

  /// Integers that are only moved stand for what they did.
  static std::string moved_scales(const Node& node, const std::vector<Value>& values) {
    const Value first = node.inputs.empty() ? Value{} : values[node.inputs[0]];
    return node.type.element == first.type.element ? first.scales : "";
  }

  void write_cluster(std::size_t cluster) const {
    const Cluster& c = clusters_[cluster];
    out_ << "subgraph cluster_" << prefix_ << cluster << " {\nlabel=" << c.label << ";\n" << c.style;
    for (const Box& box : boxes_) {
      if (box.cluster == cluster) {
        out_ << box.name << " [" << box.style << ", label=" << box_label(box.title, box.line, box.more) << "];\n";
      }
    }
    for (std::size_t inner = cluster + 1; inner < clusters_.size(); ++inner) {
      if (clusters_[inner].parent == cluster) {
        write_cluster(inner);
      }
    }
    for (const std::string& edge : c.edges) {
      out_ << edge;
    }
    out_ << "}\n";
  }

  std::ostream& out_;
  const std::vector<std::string>& layers_;
  std::string prefix_;
  std::vector<Box> boxes_;
  std::vector<Cluster> clusters_;
  std::size_t drawn_layers_ = 0;
};

}  // namespace

std::string graphs_to_dot(const std::vector<DrawnGraph>& graphs) {
  std::ostringstream out;
  out << "digraph network {\nnewrank=true;\nranksep=0.2;\nnodesep=0.2;\nfontname=\"Helvetica\";\nfontsize=12;\nnode "
         "[shape=box, style=\"rounded,filled\", fillcolor=white, fontname=\"Helvetica\", fontsize=11, height=0.3, "
         "margin=\"0.1,0.04\"];\nedge [arrowsize=0.7, color=\"#5a6675\", fontname=\"Helvetica\"];\n";
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    Drawing(out, graphs[i], std::string(1, static_cast<char>('a' + i))).write();
  }
  out << "}\n";
  return out.str();
}

}  // namespace fovea
