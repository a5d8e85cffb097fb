// SPDX-License-Identifier: Apache-2.0
/// \file
/// Walks the layers once and notes who writes and reads each tensor.
#include "tensor_places.h"

#include <numeric>

#include "ir/error.h"

namespace fovea {

std::vector<TensorId> resolve_views(const Network& network) {
  std::vector<TensorId> base(network.tensors.size());
  std::iota(base.begin(), base.end(), TensorId{0});
  for (const Layer& layer : network.layers) {
    if (layer.is_view()) {
      base[layer.output] = base[layer.inputs.at(0)];
    }
  }
  return base;
}

TensorPlaces::TensorPlaces(const Network& network)
    : network_(network), base_(resolve_views(network)), places_(network.tensors.size()) {
  place_ends();
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    visit(network.layers[i], i);
  }
  for (const ArenaBuffer& buffer : buffers_) {
    buffer_names_.push_back(buffer.name);
  }
}

void TensorPlaces::place_ends() {
  for (std::size_t i = 0; i < network_.inputs.size(); ++i) {
    places_[base_[network_.inputs[i].tensor]] = {Memory::kHostInput, i, true};
  }
  for (std::size_t i = 0; i < network_.outputs.size(); ++i) {
    Place& place = places_[base_[network_.outputs[i].tensor]];
    if (place.memory == Memory::kHostInput) {
      user_error(network_.name + ": " +
                 (has_single_ends(network_)
                      ? "its output is its input; there is nothing to compile"
                      : "the output " + network_.outputs[i].name + " is the input " +
                            network_.inputs[place.index].name + "; a network whose outputs are computed works"));
    }
    internal_check(place.memory == Memory::kArena, network_.name + ": two outputs share their bytes");
    place = {Memory::kHostOutput, i, false};
  }
}

void TensorPlaces::visit(const Layer& layer, std::size_t index) {
  for (const TensorId input : layer.inputs) {
    const Place& read = places_[base_[input]];
    internal_check(read.is_written, layer.name + " reads a tensor that no layer has written");
    if (read.memory == Memory::kArena) {
      buffers_[read.index].life.last = index;
    }
  }
  if (layer.is_view()) {
    return;
  }
  Place& written = places_[base_[layer.output]];
  internal_check(!written.is_written, layer.name + " writes a tensor that was written before");
  written.is_written = true;
  if (written.memory == Memory::kArena) {
    written.index = buffers_.size();
    buffers_.push_back({layer.name, {size_bytes(network_.tensors[base_[layer.output]].type), index, index}, 0});
  }
}

std::string TensorPlaces::arena(TensorId id) const {
  const Place& place = places_[base_[id]];
  internal_check(place.memory == Memory::kArena, "a layer that works in the arena reads or writes host memory");
  return "ARENA(" + buffer_names_[place.index] + ")";
}

/// A float tensor may be one of the network's ends; `_host` fields name that memory.
std::string TensorPlaces::float_end(const std::string& field, TensorId id) const {
  const Place& place = places_[base_[id]];
  if (place.memory == Memory::kArena) {
    return "." + field + " = " + arena(id);
  }
  const std::string end = place.memory == Memory::kHostInput ? "input" : "output";
  return "." + field + "_host = " + (has_single_ends(network_) ? end : end + "s[" + std::to_string(place.index) + "]");
}

Places TensorPlaces::texts(dla_rounding rounding) const {
  return {[this](TensorId id) { return arena(id); },
          [this](const std::string& field, TensorId id) { return float_end(field, id); }, rounding};
}

bool has_single_ends(const Network& network) { return network.inputs.size() == 1 && network.outputs.size() == 1; }

}  // namespace fovea
