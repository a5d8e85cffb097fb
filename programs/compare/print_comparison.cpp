// SPDX-License-Identifier: Apache-2.0
/// \file
/// Lays out columns.
#include "print_comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iomanip>
#include <nlohmann/json.hpp>

#include "spec/json_file.h"

namespace fovea {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string number_text(double number, int digits = 6) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, number);
  return text;
}

/// Columns as wide as they need be: the first `texts` to the left, the others to the right.
void print_columns(const Rows& rows, std::size_t texts, std::ostream& out) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string gap(widths[i] - row[i].size(), ' ');
      line += (i == 0 ? "" : "  ") + (i < texts ? row[i] + gap : gap + row[i]);
    }
    out << line.substr(0, line.find_last_not_of(' ') + 1) << "\n";
  }
}

std::string noise_text(double noise_ratio) {
  char text[40];
  std::snprintf(text, sizeof text, "%.1f dB", noise_ratio);
  return std::isinf(noise_ratio) && noise_ratio > 0 ? "" : text;
}

/// "uint8", or of two types both.
std::string types_text(const LayerValue& a, const LayerValue& b) {
  const std::string x(to_text(a.values.type().element)), y(to_text(b.values.type().element));
  return x == y ? x : x + ", " + y;
}

std::string remark(const Difference& difference, bool is_first) {
  const std::string text = is_first ? "<- the first" : "";
  return difference.quantization_differs ? text + (is_first ? ", " : "") + "scale or zero point differ" : text;
}

void print_rest(const char* side, const std::vector<std::string>& names, std::ostream& out) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? " " : ", ") + name;
  }
  if (!names.empty()) {
    out << "in " << side << " only:" << text << "\n";
  }
}

std::string quantization_text(const std::optional<Quantization>& quantization) {
  return quantization
             ? "(" + number_text(quantization->scale()) + ", " + std::to_string(quantization->zero_point()) + ")"
             : "";
}

std::string value_text(const ElementOfSide& element) {
  const std::string text = number_text(element.value, 9);
  return element.quantization
             ? text + " = " +
                   number_text(element.quantization->scale() *
                               (element.value - static_cast<double>(element.quantization->zero_point())))
             : text;
}

/// "12345 = 0.75"; of several the largest, which a pool takes.
std::string accumulator_text(const ElementOfSide& element) {
  if (element.accumulators.empty()) {
    return "";
  }
  const double largest = *std::ranges::max_element(element.accumulators);
  return number_text(largest, 10) + (element.step == 1 ? "" : " = " + number_text(largest * element.step));
}

std::string requantized_text(const ElementOfSide& element) {
  return element.requantized ? std::to_string(*element.requantized) : "";
}

/// "channel 3", "channels 0 to 63".
std::string range_text(const std::string& one, const Interval& range) {
  return range.low == range.high ? one + " " + std::to_string(range.low)
                                 : one + "s " + std::to_string(range.low) + " to " + std::to_string(range.high);
}

std::string field_text(const InputField& field) {
  if (field.size() == 0) {
    return "padding only";
  }
  static const std::vector<std::string> kAxes = {"picture", "channel", "row", "column"};
  std::string text;
  const std::size_t count = field.axes.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = count == 3 || count == 4 ? kAxes[i + 4 - count]
                             : count == 1             ? "element"
                                                      : "axis " + std::to_string(i) + ": place";
    text += (i == 0 ? "" : ", ") + range_text(name, field.axes[i]);
  }
  return text;
}

void print_fields(const Explanation& e, std::ostream& out) {
  for (const ComparedField& field : e.fields) {
    out << "  depends on " << field.from << " " << shape_text(field.field.shape) << ": " << field_text(field.field);
    if (field.differing) {
      out << "; " << *field.differing << " of these " << field.field.size() << " differ";
    }
    out << "\n";
  }
}

void print_settings(const Explanation& e, std::ostream& out) {
  std::string text;
  for (const std::string& setting : e.settings) {
    text += (text.empty() ? "" : ", ") + setting;
  }
  if (!text.empty()) {
    out << "  the networks differ here in: " << text << "\n";
  }
}

}  // namespace

void print_layers(const Side& a, const Side& b, const Comparison& comparison, std::ostream& out) {
  out << "A: " << a.label << "\nB: " << b.label << "\n";
  Rows rows = {{"layer", "shape", "type", "equal", "elements", "largest |a - b|", "mean", "signal to noise"}};
  for (std::size_t i = 0; i < comparison.layers.size(); ++i) {
    const ComparedLayer& layer = comparison.layers[i];
    const Difference& d = layer.difference;
    const LayerValue &x = a.values[layer.a], &y = b.values[layer.b];
    rows.push_back({a.network || !b.network ? x.name : y.name, shape_text(x.values.type().shape), types_text(x, y),
                    std::to_string(d.equal), std::to_string(d.elements), number_text(d.largest), number_text(d.mean),
                    noise_text(d.noise_ratio), remark(d, comparison.first == i)});
  }
  print_columns(rows, 3, out);
  print_rest("A", comparison.only_a, out);
  print_rest("B", comparison.only_b, out);
  const auto differing =
      std::ranges::count_if(comparison.layers, [](const auto& x) { return !x.difference.is_none(); });
  out << differing << " of " << comparison.layers.size() << " layers differ\n";
}

void print_explanation(const Explanation& e, std::ostream& out) {
  out << "first difference: " << e.layer << (e.operation.empty() ? "" : " = " + e.operation)
      << (e.onnx_name.empty() ? "" : ", ONNX: " + e.onnx_name) << ", element " << shape_text(e.at) << " of "
      << shape_text(e.shape) << "\n";
  Rows rows = {{"", "A", "B"}, {"  output", value_text(e.a), value_text(e.b)}};
  if (e.a.quantization || e.b.quantization) {
    rows.push_back({"  scale, zero point", quantization_text(e.a.quantization), quantization_text(e.b.quantization)});
  }
  if (!e.a.accumulators.empty() || !e.b.accumulators.empty()) {
    const std::size_t count = std::max(e.a.accumulators.size(), e.b.accumulators.size());
    rows.push_back({"  accumulator" + (count > 1 ? ", the largest of " + std::to_string(count) : ""),
                    accumulator_text(e.a), accumulator_text(e.b)});
  }
  if (e.a.requantized || e.b.requantized) {
    rows.push_back({"  requantized by its layer", requantized_text(e.a), requantized_text(e.b)});
  }
  print_columns(rows, 3, out);
  print_fields(e, out);
  print_settings(e, out);
  out << "  " << e.verdict << "\n";
}

namespace {

using OrderedJson = nlohmann::ordered_json;

/// Type and shape of each side's tensor, and how far they are apart.
OrderedJson layer_json(const Side& a, const Side& b, const ComparedLayer& layer) {
  const LayerValue &x = a.values[layer.a], &y = b.values[layer.b];
  const Difference& d = layer.difference;
  return {{"layer", x.name},
          {"in_b", y.name},
          {"shape", x.values.type().shape},
          {"type_a", to_text(x.values.type().element)},
          {"type_b", to_text(y.values.type().element)},
          {"elements", d.elements},
          {"equal", d.equal},
          {"largest", d.largest},
          {"mean", d.mean},
          {"sqnr_db", std::isinf(d.noise_ratio) ? OrderedJson() : OrderedJson(d.noise_ratio)},
          {"quantization_differs", d.quantization_differs},
          {"is_equal", d.is_none()}};
}

OrderedJson element_json(const ElementOfSide& element) {
  OrderedJson json = {
      {"value", element.value}, {"accumulators", element.accumulators}, {"accumulator_step", element.step}};
  if (element.quantization) {
    json["scale"] = element.quantization->scale();
    json["zero_point"] = element.quantization->zero_point();
  }
  if (element.requantized) {
    json["requantized"] = *element.requantized;
  }
  return json;
}

OrderedJson explanation_json(const Explanation& e) {
  OrderedJson json = {{"layer", e.layer},
                      {"operation", e.operation},
                      {"onnx_name", e.onnx_name},
                      {"shape", e.shape},
                      {"at", e.at},
                      {"a", element_json(e.a)},
                      {"b", element_json(e.b)},
                      {"depends_on", OrderedJson::array()},
                      {"settings", e.settings},
                      {"verdict", e.verdict}};
  for (const ComparedField& field : e.fields) {
    json["depends_on"].push_back({{"tensor", field.from},
                                  {"elements", field.field.size()},
                                  {"differing", field.differing ? OrderedJson(*field.differing) : OrderedJson()}});
  }
  return json;
}

}  // namespace

void print_comparison_json(const Side& a, const Side& b, const Comparison& comparison, const Explanation* explanation,
                           std::ostream& out) {
  OrderedJson json = {{"a", a.label}, {"b", b.label}, {"layers", OrderedJson::array()}};
  std::size_t differing = 0;
  for (const ComparedLayer& layer : comparison.layers) {
    json["layers"].push_back(layer_json(a, b, layer));
    differing += layer.difference.is_none() ? 0 : 1;
  }
  json["differing_layers"] = differing;
  json["only_a"] = comparison.only_a;
  json["only_b"] = comparison.only_b;
  json["first_difference"] = explanation == nullptr ? OrderedJson() : explanation_json(*explanation);
  out << json_text(json);
}

}  // namespace fovea
