// SPDX-License-Identifier: Apache-2.0
/// \file
/// Labels in Graphviz's own HTML, and the words in them.
#include "node_label.h"

#include <algorithm>
#include <map>
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

constexpr std::size_t kLineLetters = 52;

std::string small(const std::string& text) {
  return "<font point-size=\"9\" color=\"#5a6675\">" + escape(text) + "</font>";
}

/// Broken at spaces; of a word that is still too long the end is kept, where names of nodes differ.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    word = word.size() > kLineLetters ? "..." + word.substr(word.size() - kLineLetters + 3) : word;
    if (lines.empty() || lines.back().size() + 1 + word.size() > kLineLetters) {
      lines.push_back(word);
    } else {
      lines.back() += " " + word;
    }
  }
  return lines;
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
    const bool is_one = !values.empty() && std::ranges::count(values, values[0]) == std::ranges::ssize(values);
    std::string text;
    for (const std::int64_t value : values) {
      text += (text.empty() ? "" : ", ") + std::to_string(value);
    }
    return is_one ? std::to_string(values[0]) : "[" + text + "]";
  }
};

/// A scalar's value.
std::string scalar_text(const Tensor& scalar) {
  if (scalar.type().element != ElementType::kFloat32) {
    return std::to_string(scalar.integer_at(0));
  }
  return AttributeText{}(static_cast<double>(scalar.values<float>()[0]));
}

/// "16x3x3x3" from a dimension on.
std::string shape_text(const Shape& shape, std::size_t from) {
  std::string text;
  for (std::size_t i = from; i < shape.size(); ++i) {
    text += (text.empty() ? "" : "x") + std::to_string(shape[i]);
  }
  return text;
}

/// What an attribute mostly is, as attributes_text() says it.
const std::map<std::string, std::string> kUsual = {{"strides", "1"}, {"pads", "0"},      {"dilations", "1"},
                                                   {"groups", "1"},  {"ceil_mode", "0"}, {"axis", "1"}};

}  // namespace

std::string operator_text(const Node& node) {
  const std::string_view name = operation_of(node);
  return std::string(name.substr(name.find('.') == name.npos ? 0 : name.find('.') + 1));
}

std::string attributes_text(const Node& node) {
  std::string text;
  for (const auto& [name, value] : node.attributes) {
    const std::string shown = std::visit(AttributeText{}, value);
    if (const auto usual = kUsual.find(name); usual == kUsual.end() || usual->second != shown) {
      text += (text.empty() ? "" : ", ") + name + " " + shown;
    }
  }
  return text;
}

std::string constant_text(const Node& constant) {
  return constant.type.shape.empty()
             ? scalar_text(*constant.constant)
             : std::string(to_text(constant.type.element)) + " " + shape_text(constant.type.shape, 0);
}

std::string scales_text(const Graph& graph, const Node& node) {
  const Node &scale = graph[node.inputs[1]], &zero_point = graph[node.inputs[2]];
  if (scale.kind != NodeKind::kConstant || zero_point.kind != NodeKind::kConstant) {
    return "scales that are computed";
  }
  if (count_elements(scale.type.shape) != 1) {
    return std::to_string(count_elements(scale.type.shape)) + " scales";
  }
  const bool has_zero_point = count_elements(zero_point.type.shape) != 1 || zero_point.constant->integer_at(0) != 0;
  return "scale " + scalar_text(*scale.constant) +
         (has_zero_point ? ", zero point " + constant_text(zero_point) : std::string());
}

std::string value_text(const TensorType& type) {
  const bool has_batch = type.shape.size() > 1 && type.shape[0] == 1;
  return std::string(to_text(type.element)) + " " + shape_text(type.shape, has_batch ? 1 : 0);
}

std::string box_label(const std::string& title, const std::string& line, const std::vector<std::string>& more) {
  std::string text = title.empty() ? "" : "<b>" + escape(title) + "</b>";
  if (!line.empty()) {
    text += (title.empty() ? "" : "  ") + escape(line);
  }
  for (const std::string& paragraph : more) {
    for (const std::string& part : lines_of(paragraph)) {
      text += (text.empty() ? "" : "<br/>") + small(part);
    }
  }
  return "<" + text + ">";
}

}  // namespace fovea
