// SPDX-License-Identifier: Apache-2.0
/// \file
/// A table with columns as wide as their longest entry.
#include "report.h"

#include <algorithm>
#include <fstream>
#include <iomanip>
#include <ostream>

#include "emit/network_plan.h"
#include "emit/regions.h"
#include "number_text.h"
#include "tensor/error.h"

namespace fovea {
namespace {

/// One row a layer: its name, its call, where it runs, and the mapping or the reason.
void print_layers(const Placement& placement, const Network& network, const EmitReport& report, std::ostream& out) {
  std::size_t name_width = 5, composite_width = 9;
  for (const EmittedLayer& layer : report.layers) {
    name_width = std::max(name_width, layer.name.size());
    composite_width = std::max(composite_width, layer.composite.size());
  }
  const auto row = [&](const std::string& name, const std::string& composite, const std::string& target,
                       const std::string& cycles, const std::string& why) {
    out << std::left << std::setw(static_cast<int>(name_width)) << name << "  "
        << std::setw(static_cast<int>(composite_width)) << composite << "  " << target << std::right << std::setw(12)
        << cycles << (why.empty() ? "" : "  ") << why << "\n";
  };
  row("layer", "composite", "on ", "cycles", "mapping, or ONNX node and why it is on the CPU");
  for (std::size_t i = 0; i < report.layers.size(); ++i) {
    const EmittedLayer& layer = report.layers[i];
    const bool is_asked = placement.target == "cpu";
    const std::string why =
        network.layers.at(i).onnx_name + (layer.reason.empty() || is_asked ? "" : ": " + layer.reason);
    row(layer.name, layer.composite, layer.target,
        layer.predicted_cycles == 0 ? "" : with_commas(layer.predicted_cycles),
        layer.mapping.empty() ? why : layer.mapping + (layer.reason.empty() ? "" : "; " + layer.reason));
  }
}

void print_totals(const std::filesystem::path& folder, const EmitReport& report, std::ostream& out) {
  if (report.predicted_cycles > 0) {
    out << "predicted: " << with_commas(report.predicted_cycles) << " cycles of the accelerator\n";
  }
  out << "arena: " << with_commas(report.arena_bytes) << " bytes at its peak, " << with_commas(report.naive_arena_bytes)
      << " with a buffer a tensor\n"
      << "weights: " << with_commas(report.weights_bytes) << " bytes\n"
      << "written: " << folder.string() << "\n";
}

std::string layers_of(const RegionSummary& region) {
  return region.layers.size() == 1 ? region.layers[0] : region.layers.front() + " to " + region.layers.back();
}

/// The reason of the most MACs; the layers' rows have all.
std::string why(const RegionSummary& region) {
  const std::size_t count = region.reasons.size();
  return count == 0 ? "" : region.reasons[0] + (count == 1 ? "" : "; and " + std::to_string(count - 1) + " more");
}

}  // namespace

void print_regions(const Network& network, std::ostream& out) {
  std::vector<std::vector<std::string>> rows = {{"region", "layers", "MACs", "bytes in", "why it is on the CPU"}};
  for (const RegionSummary& region : summarize_regions(network)) {
    rows.push_back(
        {region.name, layers_of(region), with_commas(region.macs), with_commas(region.bytes_in), why(region)});
  }
  print_columns(rows, out, "llrrl");
  const MacShare share = count_macs(network);
  if (share.all == 0) {
    return;
  }
  out << "MACs: " << with_commas(share.all) << ", " << with_digits(share.percent(), 1)
      << " % of them on the accelerator\n";
}

void print_batch(const Network& network, std::ostream& out) {
  if (const std::int64_t pictures = count_pictures(network); pictures != 1) {
    out << "on chip: of " << pictures << " pictures, only tensors between layers that are one command for all\n";
  }
}

void print_report(const CompileRequest& request, const Network& network, const EmitReport& report, std::ostream& out) {
  print_layers(request.network.placement, network, report, out);
  print_regions(network, out);
  if (request.network.placement.keeps_tensors) {
    print_batch(network, out);
  }
  print_totals(request.output, report, out);
}

void print_report_json(const std::filesystem::path& folder, const Network& network, std::ostream& out) {
  std::ifstream summary(folder / (network.name + ".json"));
  internal_check(summary.good(), "a summary beside the C");
  out << summary.rdbuf();
}

}  // namespace fovea
