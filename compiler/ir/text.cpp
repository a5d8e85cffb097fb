// SPDX-License-Identifier: Apache-2.0
/// \file
/// Prints graphs, line by line.
#include "text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <vector>

#include "checksum.h"
#include "ops/operator.h"

namespace fovea {
namespace {

/// Shortest text that reads back as the same number.
template <typename T>
std::string number_text(T value) {
  std::array<char, 64> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

/// A float always looks like one: "1.0", "1e-05", "inf".
std::string float_text(double value) {
  const std::string text = number_text(value);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

std::string quoted_text(std::string_view text) {
  std::string out = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') {
      out += '\\';
    }
    out += letter == '\n' ? std::string("\\n") : std::string(1, letter);
  }
  return out + "\"";
}

template <typename Items, typename Print>
std::string joined(const Items& items, Print print) {
  std::string text;
  for (const auto& item : items) {
    text += (text.empty() ? "" : ", ") + print(item);
  }
  return text;
}

struct AttributePrinter {
  std::string operator()(int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return float_text(value); }
  std::string operator()(const std::vector<int64_t>& values) const {
    return "[" + joined(values, [](int64_t value) { return std::to_string(value); }) + "]";
  }
  std::string operator()(const std::string& value) const { return quoted_text(value); }
};

std::string element_text(const Tensor& tensor, std::size_t index) {
  if (tensor.type().element == ElementType::kFloat32) {
    return number_text(tensor.values<float>()[index]);
  }
  return std::to_string(tensor.integer_at(index));
}

std::string_view literal_suffix(ElementType element) {
  switch (element) {
    case ElementType::kFloat32:
      return "f";
    case ElementType::kUint8:
      return "u8";
    case ElementType::kInt8:
      return "i8";
    case ElementType::kInt32:
      return "i32";
    case ElementType::kBool:
      return "b";
    case ElementType::kInt64:
      break;
  }
  return "i64";
}

bool has_equal_elements(const Tensor& tensor) {
  const std::size_t step = size_bytes(tensor.type().element);
  const auto bytes = tensor.bytes();
  return bytes.size() <= step || std::memcmp(bytes.data(), bytes.data() + step, bytes.size() - step) == 0;
}

std::string elements_text(const std::shared_ptr<const Tensor>& shared, std::size_t most_elements,
                          ConstantFile* long_constants) {
  const Tensor& tensor = *shared;
  const auto count = static_cast<std::size_t>(count_elements(tensor.type().shape));
  if (count > 0 && has_equal_elements(tensor)) {
    return element_text(tensor, 0);
  }
  if (count > most_elements && long_constants == nullptr) {
    return "...";
  }
  if (count > most_elements) {
    return "in " + quoted_text(long_constants->name()) + " at " + std::to_string(long_constants->add(shared)) +
           " crc32 " + std::to_string(checksum(tensor.bytes()));
  }
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += (i == 0 ? "" : ", ") + element_text(tensor, i);
  }
  return "[" + text + "]";
}

class Printer {
 public:
  Printer(std::size_t most_elements, ConstantFile* long_constants)
      : most_elements_(most_elements), long_constants_(long_constants) {}

  std::string print(const Graph& graph) {
    std::vector<std::string> names(graph.size());
    const std::string parameters = joined(graph.inputs(), [&](NodeId id) {
      names[id] = next_name();
      return names[id] + ": " + to_text(graph[id].type) + origin_text(graph[id]);
    });
    text_ = "fn (" + parameters + ") {\n";
    print_body(graph, names, "  ");
    return text_ + "}\n";
  }

 private:
  std::string next_name() { return "%" + std::to_string(next_++); }

  static std::string origin_text(const Node& node) {
    return node.origin.empty() ? "" : " from " + quoted_text(node.origin);
  }

  /// Whether a value is a scalar that only operators read: it is written where it is read.
  static bool is_inline(const Graph& graph, NodeId id, const std::vector<NodeId>& users) {
    return graph[id].kind == NodeKind::kConstant && graph[id].type.shape.empty() && !graph.is_output(id) &&
           !users.empty() &&
           std::all_of(users.begin(), users.end(), [&](NodeId user) { return graph[user].kind == NodeKind::kCall; });
  }

  void print_body(const Graph& graph, std::vector<std::string>& names, const std::string& indent) {
    const auto& users = graph.users();
    for (NodeId id = 0; id < graph.size(); ++id) {
      const Node& node = graph[id];
      if (node.kind == NodeKind::kInput) {
        continue;
      }
      if (is_inline(graph, id, users[id])) {
        names[id] = element_text(*node.constant, 0) + std::string(literal_suffix(node.type.element));
        continue;
      }
      names[id] = next_name();
      print_value(node, names, id, indent);
    }
    text_ += indent + "return ";
    for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
      const std::string& name = graph.output_names()[i];
      const bool is_named = graph.outputs().size() > 1 && !name.empty();
      text_ += (i == 0 ? "" : ", ") + names[graph.outputs()[i]] + (is_named ? " " + quoted_text(name) : "");
    }
    text_ += "\n";
  }

  void print_value(const Node& node, const std::vector<std::string>& names, NodeId id, const std::string& indent) {
    text_ += indent + names[id] + " = ";
    const std::string inputs = joined(node.inputs, [&](NodeId input) { return names[input]; });
    if (node.kind == NodeKind::kConstant) {
      text_ += "constant " + elements_text(node.constant, most_elements_, long_constants_);
    } else if (node.kind == NodeKind::kCall) {
      text_ += std::string(operation_of(node)) + "(" + inputs + attributes_text(node, inputs.empty()) + ")";
    } else {
      text_ += std::string(node.function->is_region ? "region " : "composite ") + node.function->name + "(" + inputs +
               ")" + properties_text(*node.function);
    }
    text_ += " : " + to_text(node.type) + origin_text(node);
    if (node.kind == NodeKind::kFunction) {
      print_function(*node.function, node, names, indent);
    }
    text_ += "\n";
  }

  void print_function(const Function& function, const Node& call, const std::vector<std::string>& names,
                      const std::string& indent) {
    const Graph& body = function.body;
    std::vector<std::string> inner(body.size());
    for (std::size_t i = 0; i < call.inputs.size(); ++i) {
      inner[body.inputs().at(i)] = names[call.inputs[i]];
    }
    text_ += " {\n";
    print_body(body, inner, indent + "  ");
    text_ += indent + "}";
  }

  static std::string attributes_text(const Node& node, bool is_first) {
    std::string text;
    for (const AttributeSpec& spec : node.op->attributes) {
      text += (text.empty() && is_first ? "" : ", ") + spec.name + "=" +
              std::visit(AttributePrinter{}, node.attributes.at(spec.name));
    }
    return text;
  }

  static std::string properties_text(const Function& function) {
    std::vector<std::string> properties;
    if (!function.target.empty()) {
      properties.push_back("target=" + function.target);
    }
    const std::array<std::pair<const char*, const std::string*>, 4> texts{{{"layer", &function.layer},
                                                                           {"region", &function.region},
                                                                           {"reason", &function.reason},
                                                                           {"note", &function.note}}};
    for (const auto& [name, value] : texts) {
      if (!value->empty()) {
        properties.push_back(std::string(name) + "=" + quoted_text(*value));
      }
    }
    return properties.empty() ? "" : " [" + joined(properties, [](const std::string& text) { return text; }) + "]";
  }

  const std::size_t most_elements_;
  ConstantFile* const long_constants_;
  std::size_t next_ = 0;
  std::string text_;
};

}  // namespace

std::string print_graph(const Graph& graph, std::size_t most_elements, ConstantFile* long_constants) {
  return Printer(most_elements, long_constants).print(graph);
}

}  // namespace fovea
