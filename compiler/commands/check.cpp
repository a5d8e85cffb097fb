// SPDX-License-Identifier: Apache-2.0
/// \file
/// check: what of a network runs where, and what is in the way.
#include "requests/check.h"

#include <iostream>
#include <map>
#include <memory>
#include <sstream>

#include "command.h"
#include "emit/regions.h"
#include "emit/summary.h"
#include "number_text.h"
#include "options.h"
#include "report.h"
#include "spec/json_file.h"

namespace fovea {
namespace {

using Json = nlohmann::ordered_json;

/// "3x32x32", of several tensors "16x8x8 + 16x8x8".
std::string shapes_text(const std::vector<TensorType>& types) {
  std::ostringstream text;
  const char* gap = "";
  for (const TensorType& type : types) {
    for (std::size_t axis = 1; axis < type.shape.size(); ++axis) {
      text << (axis == 1 ? gap : "x") << type.shape[axis];
    }
    gap = " + ";
  }
  return text.str();
}

std::vector<std::string> layer_row(const Layer& layer) {
  return {layer.name,
          layer.composite,
          shapes_text(layer.input_types),
          shapes_text({layer.output_type}),
          layer.target,
          with_commas(count_macs(layer)),
          layer.onnx_name + (layer.onnx_name.empty() || layer.reason.empty() ? "" : ": ") + layer.reason};
}

void print_rows(const CheckedNetwork& checked, std::ostream& out) {
  std::vector<std::vector<std::string>> rows = {
      {"layer", "composite", "input", "output", "on", "MACs", "ONNX node, and why it is not on the accelerator"}};
  auto refusal = checked.refusals.begin();
  const auto add_refused = [&](std::size_t before_layer) {
    for (; refusal != checked.refusals.end() && refusal->before_layer <= before_layer; ++refusal) {
      rows.push_back(
          {"", refusal->operation, "", shapes_text({refusal->output_type}), "refused", "", refusal->message});
    }
  };
  for (std::size_t i = 0; i < checked.network.layers.size(); ++i) {
    add_refused(i);
    rows.push_back(layer_row(checked.network.layers[i]));
  }
  add_refused(checked.network.layers.size());
  print_columns(rows, out, "lllllrl");
}

/// A line for each reason, with the layers that have it: "6 layers, conv1 to fc7: ...".
void print_float_in_onnx_runtime(const CheckedNetwork& checked, std::ostream& out) {
  std::map<std::string, std::vector<std::string>> layers;
  for (const FloatInOnnxRuntime& each : checked.float_in_onnx_runtime) {
    layers[each.why].push_back(each.layer);
  }
  if (!layers.empty()) {
    out << "ONNX Runtime computes these in float32, so that a value beside a tie may be a step away; "
           "--exact-to ort does as it does:\n";
  }
  for (const auto& [why, names] : layers) {
    const std::size_t count = names.size();
    out << "  " << (count == 1 ? names[0] : std::to_string(count) + " layers, " + names.front() + " to " + names.back())
        << ": " << why << "\n";
  }
}

void print_text(const CheckedNetwork& checked, std::ostream& out) {
  print_rows(checked, out);
  print_regions(checked.network, out);
  print_float_in_onnx_runtime(checked, out);
  const std::size_t count = checked.refusals.size();
  const bool has_data = checked.missing_data.empty();
  const char* compiles = has_data ? "it compiles" : "its shapes compile";
  out << (has_data ? "" : checked.missing_data + "\n")
      << (count == 0 ? compiles : "it does not compile: " + std::to_string(count) + " refused") << "\n";
}

Json to_json(const Placement& placement, const CheckedNetwork& checked) {
  const MacShare share = count_macs(checked.network);
  Json json = {{"model", checked.network.name},
               {"target", placement.target},
               {"compiles", checked.refusals.empty()},
               {"macs", share.all},
               {"accelerated_macs", share.accelerated},
               {"layers", Json::array()},
               {"regions", regions_json(checked.network)},
               {"float_in_onnx_runtime", Json::array()},
               {"refusals", Json::array()}};
  if (!checked.missing_data.empty()) {
    json["missing_data"] = checked.missing_data;
  }
  for (const Layer& layer : checked.network.layers) {
    json["layers"].push_back(layer_json(checked.network, layer));
  }
  for (const FloatInOnnxRuntime& each : checked.float_in_onnx_runtime) {
    json["float_in_onnx_runtime"].push_back({{"layer", each.layer}, {"node", each.node}, {"why", each.why}});
  }
  for (const PlacedRefusal& refusal : checked.refusals) {
    json["refusals"].push_back({{"node", refusal.node},
                                {"operation", refusal.operation},
                                {"before_layer", refusal.before_layer},
                                {"message", refusal.message}});
  }
  return json;
}

}  // namespace

/// A row a layer, and a row for each thing that can't be compiled; then the regions and the accelerator's share of the
/// MACs; or all of it as one JSON document.
Action describe_check(CLI::App& app) {
  struct Options {
    NetworkRequest network;
    bool prints_json = false, times_passes = false;
  };
  const auto o = std::make_shared<Options>();
  add_model_option(app, o->network.model)->required();
  add_import_options(app, o->network.import);
  add_placement_options(app, o->network.placement);
  add_rounding_option(app, o->network.placement.rounding);
  add_pass_options(app, o->network.passes, o->times_passes, add_json_option(app, o->prints_json));
  return [o] {
    settle_passes(o->network.passes, o->times_passes, std::cout);
    return within_memory(o->network.model, [&] {
      const CheckedNetwork checked = check_network(settled(o->network));
      if (o->prints_json) {
        std::cout << json_text(to_json(o->network.placement, checked));
      } else if (checked.network.layers.empty() && !checked.refusals.empty()) {
        refuse_all(checked.refusals);  // There is no table of a network that can't be read.
      } else {
        print_text(checked, std::cout);
      }
      return checked.refusals.empty() ? kDone : kFailed;
    });
  };
}

}  // namespace fovea
