// SPDX-License-Identifier: Apache-2.0
/// \file
/// Adds up layers by the region that they are in.
#include "regions.h"

#include <algorithm>
#include <map>
#include <set>

#include "layers/host_loops.h"
#include "tensor_places.h"

namespace fovea {
namespace {

/// The target of the layer whose call writes each tensor; "" where none does.
std::vector<std::string> find_writers(const Network& network) {
  std::vector<std::string> writers(network.tensors.size());
  for (const Layer& layer : network.layers) {
    if (!layer.is_view()) {
      writers[layer.output] = layer.target;
    }
  }
  return writers;
}

/// Products of layers by the reason that they have.
using MacsByReason = std::map<std::string, std::uint64_t>;

void add_layer(const Layer& layer, RegionSummary& region, MacsByReason& macs) {
  region.layers.push_back(layer.name);
  region.macs += count_macs(layer);
  if (!layer.reason.empty() && macs.count(layer.reason) == 0) {
    region.reasons.push_back(layer.reason);
  }
  macs[layer.reason] += count_macs(layer);
}

bool is_among(const std::vector<NetworkEnd>& ends, TensorId tensor) {
  return std::any_of(ends.begin(), ends.end(), [&](const NetworkEnd& end) { return end.tensor == tensor; });
}

/// Whether a tensor is an input of the network, or the same bytes in another shape; likewise is_output().
bool is_input(const Network& network, TensorId tensor) {
  return is_among(network.inputs, tensor) ||
         std::any_of(network.layers.begin(), network.layers.end(), [&](const Layer& layer) {
           return layer.is_view() && layer.output == tensor && is_input(network, layer.inputs.at(0));
         });
}

bool is_output(const Network& network, TensorId tensor) {
  return is_among(network.outputs, tensor) ||
         std::any_of(network.layers.begin(), network.layers.end(), [&](const Layer& layer) {
           return layer.is_view() && layer.inputs.at(0) == tensor && is_output(network, layer.output);
         });
}

}  // namespace

std::vector<RegionSummary> summarize_regions(const Network& network) {
  const std::vector<std::vector<TensorId>> sources = find_sources(network);
  const std::vector<std::string> writers = find_writers(network);
  std::vector<RegionSummary> regions;
  std::map<std::string, std::size_t> places;
  std::vector<std::set<TensorId>> crossing;
  std::vector<MacsByReason> macs;
  for (const Layer& layer : network.layers) {
    const auto [place, is_new] = places.emplace(layer.region, regions.size());
    if (is_new) {
      regions.push_back({layer.region, layer.target, {}, {}, 0, 0});
      crossing.emplace_back();
      macs.emplace_back();
    }
    RegionSummary& region = regions[place->second];
    add_layer(layer, region, macs[place->second]);
    for (const TensorId input : layer.inputs) {
      for (const TensorId source : sources[input]) {
        if (!writers[source].empty() && writers[source] != layer.target &&
            crossing[place->second].insert(source).second) {
          region.bytes_in += static_cast<std::uint64_t>(size_bytes(network.tensors[source].type));
        }
      }
    }
  }
  for (std::size_t i = 0; i < regions.size(); ++i) {
    std::stable_sort(regions[i].reasons.begin(), regions[i].reasons.end(),
                     [&](const std::string& a, const std::string& b) { return macs[i][a] > macs[i][b]; });
  }
  return regions;
}

MacShare count_macs(const Network& network) {
  MacShare share;
  for (const Layer& layer : network.layers) {
    share.all += count_macs(layer);
    share.accelerated += layer.target == "cpu" ? 0 : count_macs(layer);
  }
  return share;
}

bool is_on_host(const Network& network, const Layer& layer) {
  const bool is_conversion = (std::holds_alternative<Quantize>(layer.body) && is_input(network, layer.inputs.at(0))) ||
                             (std::holds_alternative<Dequantize>(layer.body) && is_output(network, layer.output));
  return layer.target == "cpu" && !layer.is_view() && !is_conversion;
}

std::uint64_t count_host_bytes(const Layer& layer) {
  int64_t bytes = size_bytes(layer.output_type);
  std::set<TensorId> read;
  for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
    bytes += read.insert(layer.inputs[i]).second ? size_bytes(layer.input_types[i]) : 0;
  }
  for (const HostConstant& constant : host_constants_of(layer, kDlaNearestEven)) {
    bytes += size_bytes(constant.tensor->type());
  }
  return static_cast<std::uint64_t>(bytes);
}

}  // namespace fovea
