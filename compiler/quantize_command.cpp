// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads, quantizes, writes, and prints what came of it.
#include "quantize_command.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>
#include <tuple>

#include "compile.h"
#include "dataset/labels.h"
#include "export/export_graph.h"
#include "files/output_folder.h"
#include "number_text.h"
#include "progress_line.h"
#include "quantize/quantize.h"
#include "spec/json_file.h"

namespace fovea {
namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

std::string decibel_text(double decibels) { return std::isinf(decibels) ? "exact" : with_digits(decibels, 1); }

}  // namespace

std::string_view to_text(Calibration method) {
  return method == Calibration::kMinMax ? "minmax" : method == Calibration::kPercentile ? "percentile" : "mse";
}

namespace {

std::string scale_text(float scale) {
  std::ostringstream text;
  text << scale;
  return text.str();
}

void print_layers(const QuantizationReport& report, std::ostream& out) {
  Rows rows = {{"value", "operator", "scale", "zero point", "method", "SQNR dB"}};
  for (const QuantizedLayer& layer : report.layers) {
    rows.push_back({layer.name, layer.operation, scale_text(layer.quantization.scale()),
                    std::to_string(layer.quantization.zero_point()), std::string(to_text(layer.method)),
                    decibel_text(layer.decibels)});
  }
  print_columns(rows, out, "llrrlr");
}

void print_floats(const QuantizationReport& report, std::ostream& out) {
  for (const FloatLayer& layer : report.floats) {
    out << "stays float: " << layer.name << " (" << layer.operation << "): " << layer.why << "\n";
  }
}

void print_outputs(const QuantizationReport& report, std::ostream& out) {
  for (const QuantizedOutput& output : report.outputs) {
    out << output.name << ": SQNR " << decibel_text(output.decibels) << " dB on " << report.inputs << " inputs";
    if (output.elements > 1) {
      out << ", the largest of " << output.elements << " is the float network's for " << output.same_largest;
    }
    out << "\n";
  }
}

void print_text(const CommandLine& line, const QuantizationReport& report, std::ostream& out) {
  print_layers(report, out);
  print_floats(report, out);
  print_outputs(report, out);
  out << (report.note.empty() ? "" : "note: " + report.note + "\n");
  out << "written: " << line.output.string() << "\n";
}

/// null where nothing differs.
Json decibel_json(double decibels) { return std::isinf(decibels) ? Json() : Json(decibels); }

Json to_json(const CommandLine& line, const QuantizationReport& report) {
  Json json = {{"model", line.model.string()}, {"written", line.output.string()}, {"inputs", report.inputs},
               {"note", report.note},          {"layers", Json::array()},         {"floats", Json::array()},
               {"outputs", Json::array()}};
  for (const QuantizedLayer& layer : report.layers) {
    Json parts = Json::array();
    for (const QuantizedPart& part : layer.parts) {
      parts.push_back({{"node", part.name}, {"operation", part.operation}});
    }
    json["layers"].push_back({{"name", layer.name},
                              {"operation", layer.operation},
                              {"parts", parts},
                              {"moves", layer.moves},
                              {"scale", layer.quantization.scale()},
                              {"zero_point", layer.quantization.zero_point()},
                              {"method", to_text(layer.method)},
                              {"sqnr_db", decibel_json(layer.decibels)}});
  }
  for (const FloatLayer& layer : report.floats) {
    json["floats"].push_back({{"name", layer.name}, {"operation", layer.operation}, {"why", layer.why}});
  }
  for (const QuantizedOutput& output : report.outputs) {
    json["outputs"].push_back({{"name", output.name},
                               {"elements", output.elements},
                               {"same_largest", output.same_largest},
                               {"sqnr_db", decibel_json(output.decibels)}});
  }
  return json;
}

using Path = std::filesystem::path;

Path labels_file(const Path& model) { return Path(model).replace_extension(".json"); }

/// How pictures are normalized: as said, else as the file beside the network says.
CalibrationSource with_normalization(const CommandLine& line, const Graph& network) {
  const auto outputs = static_cast<std::size_t>(count_elements(network[network.outputs().at(0)].type.shape));
  const Labels labels = read_labels(line.model, outputs);
  CalibrationSource source = line.calibration;
  source.mean = source.mean.value_or(labels.mean);
  source.deviation = source.deviation.value_or(labels.deviation);
  return source;
}

/// 0.1F as 0.1, not as the double that it is nearest to.
Json shortest(const std::array<float, 3>& numbers) {
  Json json = Json::array();
  for (const float number : numbers) {
    std::array<char, 64> text{};
    std::to_chars(text.data(), text.data() + text.size(), number);
    json.push_back(std::strtod(text.data(), nullptr));
  }
  return json;
}

/// The same beside what is written, so that all that reads pictures for it normalizes them likewise. Where nothing but
/// CIFAR-10's is said, none is needed.
void write_labels(const CommandLine& line, const CalibrationSource& source) {
  const Path from = labels_file(line.model), to = labels_file(line.output);
  const bool is_said = line.calibration.mean || line.calibration.deviation;
  if (!is_said && (!std::filesystem::exists(from) || from == to)) {
    return;
  }
  Json json = Json::object();
  if (std::filesystem::exists(from)) {
    std::ifstream file(from);
    json = Json::parse(file);
  }
  for (const auto& [name, said, numbers] : {std::tuple("mean", line.calibration.mean, source.mean),
                                            std::tuple("std", line.calibration.deviation, source.deviation)}) {
    if (said || !json.contains(name)) {
      json[name] = shortest(*numbers);
    }
  }
  OutputFolder files(to.parent_path());  // As nobody named it.
  files.add(to.filename().string(), json_text(json));
  files.commit();
}

}  // namespace

QuantizationReport quantize_to_file(const CommandLine& line) {
  struct Line {
    ~Line() { show_progress(""); }  // Also where something is refused.
  };
  QuantizationResult result;
  CalibrationSource source;
  {
    const Line progress;
    const Graph network = simplify_float_network(load_network(line.model));
    source = with_normalization(line, network);
    const std::vector<CalibrationInput> inputs = read_calibration_inputs(source, network);
    result = quantize_network(network, inputs, line.quantize, show_progress);
  }
  result.report.note = note_on_pictures(source);
  write_labels(line, source);
  write_file(line.output, export_graph(result.graph, line.model.stem().string()));
  return result.report;
}

void quantize(const CommandLine& line, std::ostream& out) {
  const QuantizationReport report = quantize_to_file(line);
  if (line.prints_json) {
    out << json_text(to_json(line, report));
  } else {
    print_text(line, report, out);
  }
}

}  // namespace fovea
