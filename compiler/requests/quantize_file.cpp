// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads, quantizes, writes.
#include "quantize_file.h"

#include <array>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <tuple>

#include "check.h"
#include "compile.h"
#include "dataset/labels.h"
#include "export/export_graph.h"
#include "files/output_folder.h"
#include "files/scratch_folder.h"
#include "progress_line.h"
#include "spec/json_file.h"
#include "tensor/error.h"

namespace fovea {

std::string_view to_text(Calibration method) {
  return method == Calibration::kMinMax ? "minmax" : method == Calibration::kPercentile ? "percentile" : "mse";
}

namespace {

using Json = nlohmann::ordered_json;
using Path = std::filesystem::path;

Path labels_file(const Path& model) { return Path(model).replace_extension(".json"); }

/// How pictures are normalized: as said, else as the file beside the network says.
CalibrationSource with_normalization(const QuantizeRequest& request, const Graph& network) {
  const auto outputs = static_cast<std::size_t>(count_elements(network[network.outputs().at(0)].type.shape));
  const Labels labels = read_labels(request.model, outputs);
  CalibrationSource source = request.calibration;
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

/// The same beside what is written, so that all that reads pictures for it normalizes them likewise. Where nothing is
/// said, none is needed.
void write_labels(const QuantizeRequest& request, const CalibrationSource& source) {
  const Path from = labels_file(request.model), to = labels_file(request.output);
  const bool is_said = request.calibration.mean || request.calibration.deviation;
  if (!is_said && (!std::filesystem::exists(from) || from == to)) {
    return;
  }
  Json json = Json::object();
  if (std::filesystem::exists(from)) {
    std::ifstream file(from);
    json = Json::parse(file);
  }
  for (const auto& [name, said, numbers] : {std::tuple("mean", request.calibration.mean, source.mean),
                                            std::tuple("std", request.calibration.deviation, source.deviation)}) {
    if (said || !json.contains(name)) {
      json[name] = shortest(*numbers);
    }
  }
  OutputFolder files(to.parent_path());  // As nobody named it.
  files.add(to.filename().string(), json_text(json));
  files.commit();
}

/// UserError where the compiler would refuse what is written.
void check_written(const std::string& model, const std::string& name) {
  const ScratchFolder folder;
  NetworkRequest request;
  request.model = folder / name;
  request.placement.target = "cpu";
  write_file(request.model, model);
  const CheckedNetwork checked = check_network(request);
  if (!checked.refusals.empty()) {
    const PlacedRefusal& first = checked.refusals.front();
    user_error(first.message + "; what was quantized would not compile, so nothing is written; --keep-float " +
               (first.node.empty() ? "NODE" : first.node) + " leaves a node as it is");
  }
}

}  // namespace

QuantizationReport quantize_file(const QuantizeRequest& request) {
  struct Line {
    ~Line() { show_progress(""); }  // Also where something is refused.
  };
  QuantizationResult result;
  CalibrationSource source;
  {
    const Line progress;
    const Graph network = simplify_float_network(load_network(request.model, request.import));
    source = with_normalization(request, network);
    const std::vector<CalibrationInput> inputs = read_calibration_inputs(source, network);
    result = quantize_network(network, inputs, request.options, show_progress);
  }
  result.report.note = note_on_pictures(source);
  const std::string model = export_graph(result.graph, request.model.stem().string());
  check_written(model, request.output.filename().string());
  write_labels(request, source);
  write_file(request.output, model);
  return result.report;
}

}  // namespace fovea
