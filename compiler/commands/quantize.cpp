// SPDX-License-Identifier: Apache-2.0
/// \file
/// quantize: a row for each value that became integers, what stayed float and why, and how near the outputs are to the
/// float network's.
#include <array>
#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "command.h"
#include "dataset/labels.h"
#include "number_text.h"
#include "options.h"
#include "requests/quantize_file.h"
#include "spec/json_file.h"

namespace fovea {
namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

std::string decibel_text(double decibels) { return std::isinf(decibels) ? "exact" : with_digits(decibels, 1); }

std::string scale_text(float scale) {
  std::ostringstream text;
  text << scale;
  return text.str();
}

constexpr std::size_t kLongestName = 60;

/// A longer name without its middle; --json has the whole.
std::string fitted(const std::string& name) {
  if (name.size() <= kLongestName) {
    return name;
  }
  const auto is_inside = [&](std::size_t at) { return (static_cast<unsigned char>(name[at]) & 0xC0) == 0x80; };
  std::size_t head = kLongestName / 2 - 1, tail = name.size() - kLongestName / 2 + 2;
  while (is_inside(head)) {
    --head;
  }
  while (tail < name.size() && is_inside(tail)) {
    ++tail;
  }
  return name.substr(0, head) + "..." + name.substr(tail);
}

void print_layers(const QuantizationReport& report, std::ostream& out) {
  Rows rows = {{"value", "operator", "scale", "zero point", "method", "SQNR dB"}};
  for (const QuantizedLayer& layer : report.layers) {
    rows.push_back({fitted(layer.name), layer.operation, scale_text(layer.quantization.scale()),
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
    out << (output.name.empty() ? "output" : output.name) << ": SQNR " << decibel_text(output.decibels) << " dB on "
        << report.inputs << " inputs";
    if (output.elements > 1) {
      out << ", the largest of " << output.elements << " is the float network's for " << output.same_largest;
    }
    out << "\n";
  }
}

void print_text(const QuantizeRequest& request, const QuantizationReport& report, std::ostream& out) {
  print_layers(report, out);
  print_floats(report, out);
  print_outputs(report, out);
  out << (report.note.empty() ? "" : "note: " + report.note + "\n");
  out << "written: " << request.output.string() << "\n";
}

/// null where nothing differs.
Json decibel_json(double decibels) { return std::isinf(decibels) ? Json() : Json(decibels); }

Json to_json(const QuantizeRequest& request, const QuantizationReport& report) {
  Json json = {{"model", request.model.string()}, {"written", request.output.string()},
               {"inputs", report.inputs},         {"note", report.note},
               {"layers", Json::array()},         {"floats", Json::array()},
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

void add_channels_option(CLI::App& app, const std::string& name, std::optional<std::array<float, 3>>& value,
                         bool is_positive, const std::string& description) {
  app.add_option_function<std::string>(
         name,
         [&value, name, is_positive](const std::string& text) { value = parse_channels(name, text, is_positive); },
         description)
      ->type_name("R,G,B");
}

}  // namespace

Action describe_quantize(CLI::App& app) {
  struct Options {
    QuantizeRequest request;
    bool prints_json = false;
  };
  const auto o = std::make_shared<Options>();
  QuantizeOptions& options = o->request.options;
  CalibrationSource& calibration = o->request.calibration;
  app.add_option("model", o->request.model, "The float network: ONNX, or an IR (.txt, .fovea, .json)")
      ->type_name("FILE")
      ->required();
  add_shape_option(app, o->request.import);
  add_batch_option(app, o->request.import);
  add_extern_option(app, o->request.import);
  app.add_option("-o,--output", o->request.output, "The ONNX file (default: output/<network>_quantized.onnx)")
      ->type_name("FILE");
  app.add_option("--calibrate", calibration.path,
                 "Calibration inputs: a folder of pictures, an input.bin, or raw float32")
      ->type_name("FOLDER|FILE")
      ->required();
  app.add_option("--inputs", calibration.most, "Take the first N inputs (default: all)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000).description(""));
  add_channels_option(app, "--mean", calibration.mean, false,
                      "Mean of the pixels, from 0 to 1 (default: <model>.json's, else 0)");
  add_channels_option(app, "--std", calibration.deviation, true,
                      "Their standard deviation (default: likewise, else 1)");
  add_choice<ScaleForm>(app, "--scales", options.scales, {{"any", ScaleForm::kAny}, {"power2", ScaleForm::kPowerOfTwo}},
                        "Any scales, or powers of two (default: any)");
  app.add_flag("--per-channel", options.is_per_channel, "Weights have a scale a filter, not one for all");
  add_choice<ElementType>(app, "--activations", options.activations,
                          {{"uint8", ElementType::kUint8}, {"int8", ElementType::kInt8}},
                          "The type of activations (default: uint8)");
  add_choice<Calibration>(app, "--method", options.calibration,
                          {{"minmax", Calibration::kMinMax},
                           {"percentile", Calibration::kPercentile},
                           {"mse", Calibration::kMse},
                           {"best", Calibration::kBest}},
                          "How ranges are chosen; best tries the others for each scale (default: mse)");
  app.add_option("--percentile", options.percentile, "Percentage of values in range (default: 99.99)")
      ->type_name("PERCENT")
      ->check(CLI::Range(50.0, 100.0).description(""));
  app.add_flag("--equalize", options.equalizes, "Balance channels between layers first; for one scale a layer");
  app.add_flag_callback(
      "--no-bias-correction", [&options] { options.corrects_bias = false; }, "Do not correct biases");
  app.add_flag("--quantize-softmax", options.quantizes_softmax, "Quantize softmax too");
  app.add_option("--keep-float", options.kept, "ONNX names of nodes that stay float")->type_name("NODE");
  app.add_option("--only", options.only, "ONNX names of the only nodes to quantize")->type_name("NODE");
  add_json_option(app, o->prints_json);
  return [o] {
    if (o->request.output.empty()) {
      o->request.output = "output/" + o->request.model.stem().string() + "_quantized.onnx";
    }
    return within_memory(o->request.model, [&] {
      const QuantizationReport report = quantize_file(o->request);
      if (o->prints_json) {
        std::cout << json_text(to_json(o->request, report));
      } else {
        print_text(o->request, report, std::cout);
      }
      return kDone;
    });
  };
}

}  // namespace fovea
