// SPDX-License-Identifier: Apache-2.0
/// \file
/// From a float network to one on 8-bit integers.
#include "quantize/quantize.h"

#include <pybind11/stl.h>

#include <array>
#include <map>
#include <string>
#include <vector>

#include "bindings.h"
#include "progress.h"
#include "requests/progress_line.h"
#include "requests/quantize_file.h"

namespace py = pybind11;

namespace fovea {
namespace {

using namespace py::literals;

const std::map<std::string, Calibration>& methods() {
  static const std::map<std::string, Calibration> named = {{"minmax", Calibration::kMinMax},
                                                           {"percentile", Calibration::kPercentile},
                                                           {"mse", Calibration::kMse},
                                                           {"best", Calibration::kBest}};
  return named;
}

py::dict report_of(const QuantizationReport& report) {
  py::list layers, floats, outputs;
  for (const QuantizedLayer& layer : report.layers) {
    layers.append(py::dict("value"_a = layer.name, "operator"_a = layer.operation,
                           "scale"_a = layer.quantization.scale(), "zero_point"_a = layer.quantization.zero_point(),
                           "method"_a = to_text(layer.method), "sqnr_db"_a = layer.decibels));
  }
  for (const FloatLayer& layer : report.floats) {
    floats.append(py::dict("node"_a = layer.name, "operator"_a = layer.operation, "why"_a = layer.why));
  }
  for (const QuantizedOutput& output : report.outputs) {
    outputs.append(py::dict("output"_a = output.name, "sqnr_db"_a = output.decibels,
                            "same_largest"_a = output.same_largest, "elements"_a = output.elements));
  }
  return py::dict("layers"_a = layers, "floats"_a = floats, "outputs"_a = outputs, "inputs"_a = report.inputs);
}

/// \param options  Checked in Python but for the numbers' ranges.
py::dict quantize_model(const std::string& model, const std::string& output, const std::string& calibration,
                        const py::dict& options, const py::object& progress) {
  QuantizeRequest request;
  request.model = model;
  request.output = output;
  request.import.shapes = options["shapes"].cast<std::map<std::string, Shape>>();
  request.calibration.path = calibration;
  request.calibration.most = options["inputs"].cast<std::size_t>();
  request.calibration.mean = options["mean"].cast<std::optional<std::array<float, 3>>>();
  request.calibration.deviation = options["std"].cast<std::optional<std::array<float, 3>>>();
  QuantizeOptions& quantize = request.options;
  quantize.scales = options["scales"].cast<std::string>() == "any" ? ScaleForm::kAny : ScaleForm::kPowerOfTwo;
  quantize.is_per_channel = options["per_channel"].cast<bool>();
  quantize.activations =
      options["activations"].cast<std::string>() == "int8" ? ElementType::kInt8 : ElementType::kUint8;
  quantize.calibration = methods().at(options["method"].cast<std::string>());
  quantize.percentile = options["percentile"].cast<double>();
  quantize.corrects_bias = options["bias_correction"].cast<bool>();
  quantize.equalizes = options["equalize"].cast<bool>();
  quantize.quantizes_softmax = options["quantize_softmax"].cast<bool>();
  quantize.kept = options["keep_float"].cast<std::vector<std::string>>();
  QuantizationReport report;
  {
    const py::gil_scoped_release unlocked;
    const ProgressListener listener([&](const std::string& text) { tell_python(progress, text); });
    report = quantize_file(request);
  }
  return report_of(report);
}

}  // namespace

void bind_quantize(py::module_& module) {
  std::vector<std::string> names;
  for (const auto& [name, method] : methods()) {
    names.push_back(name);
  }
  module.attr("calibration_methods") = names;
  module.def("quantize", quantize_model, py::arg("model"), py::arg("output"), py::arg("calibration"),
             py::arg("options"), py::arg("progress"));
}

}  // namespace fovea
