// SPDX-License-Identifier: Apache-2.0
/// \file
/// Adds up layers by the region that they are in.
#include "regions.h"

#include <algorithm>
#include <map>
#include <set>

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

}  // namespace fovea
