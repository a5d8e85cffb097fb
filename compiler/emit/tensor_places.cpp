// SPDX-License-Identifier: Apache-2.0
/// \file
/// Walks the layers once and notes who writes and reads each tensor.
#include "tensor_places.h"

#include <algorithm>

#include "tensor/error.h"

namespace fovea {

std::vector<std::vector<TensorId>> find_sources(const Network& network) {
  std::vector<std::vector<TensorId>> sources(network.tensors.size());
  for (TensorId id = 0; id < sources.size(); ++id) {
    sources[id] = {id};
  }
  for (const Layer& layer : network.layers) {
    if (layer.is_view()) {
      sources[layer.output].clear();
      for (const TensorId input : layer.inputs) {
        sources[layer.output].insert(sources[layer.output].end(), sources[input].begin(), sources[input].end());
      }
    }
  }
  return sources;
}

TensorPlaces::TensorPlaces(const Network& network)
    : network_(network),
      bytes_(resolve_bytes(network)),
      places_(network.tensors.size()),
      is_written_(network.tensors.size()) {
  place_ends();
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    visit(network.layers[i], i);
  }
  for (const ArenaBuffer& buffer : buffers_) {
    buffer_names_.push_back(buffer.name);
  }
  is_used_.resize(buffers_.size());
}

std::vector<ArenaBuffer> TensorPlaces::take_buffers() {
  std::vector<ArenaBuffer> used;
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (is_used_[i]) {
      used.push_back(std::move(buffers_[i]));
    }
  }
  return used;
}

void TensorPlaces::place_ends() {
  for (std::size_t i = 0; i < network_.inputs.size(); ++i) {
    places_[bytes_[network_.inputs[i].tensor].whole] = {Memory::kHostInput, i};
    is_written_[network_.inputs[i].tensor] = true;
  }
  for (std::size_t i = 0; i < network_.outputs.size(); ++i) {
    Place& place = places_[bytes_[network_.outputs[i].tensor].whole];
    if (place.memory == Memory::kHostInput) {
      user_error(network_.name + ": " +
                 (has_single_ends(network_)
                      ? "its output is its input; there is nothing to compile"
                      : "the output " + network_.outputs[i].name + " is the input " +
                            network_.inputs[place.index].name + "; a network whose outputs are computed works"));
    }
    internal_check(place.memory == Memory::kArena, network_.name + ": two outputs share their bytes");
    place = {Memory::kHostOutput, i};
  }
}

void TensorPlaces::visit(const Layer& layer, std::size_t index) {
  for (const TensorId input : layer.inputs) {
    const Place& read = places_[bytes_[input].whole];
    internal_check(is_written_[input], layer.name + " reads a tensor that no layer has written");
    if (read.memory == Memory::kArena) {
      buffers_[read.index].life.last = index;
    }
  }
  internal_check(!is_written_[layer.output], layer.name + " writes a tensor that was written before");
  is_written_[layer.output] = true;
  const TensorId whole = bytes_[layer.output].whole;
  Place& written = places_[whole];
  if (written.memory == Memory::kArena && !written.has_buffer) {
    written = {Memory::kArena, buffers_.size(), true};
    const Activation& tensor = network_.tensors[whole];
    buffers_.push_back({tensor.name, {size_bytes(tensor.type), index, index}, 0});
  }
}

std::string TensorPlaces::arena(TensorId id) {
  const auto [whole, offset] = bytes_[id];
  const Place& place = places_[whole];
  internal_check(place.memory == Memory::kArena, "a layer that works in the arena reads or writes host memory");
  is_used_[place.index] = true;
  return "ARENA(" + buffer_names_[place.index] + ")" + (offset == 0 ? "" : " + " + std::to_string(offset));
}

/// A float tensor may be one of the network's ends; `_host` fields name that memory.
std::string TensorPlaces::float_end(const std::string& field, TensorId id) {
  const Place& place = places_[bytes_[id].whole];
  if (place.memory == Memory::kArena) {
    return "." + field + " = " + arena(id);
  }
  const std::string end = place.memory == Memory::kHostInput ? "input" : "output";
  return "." + field + "_host = " + (has_single_ends(network_) ? end : end + "s[" + std::to_string(place.index) + "]");
}

Places TensorPlaces::texts(dla_rounding rounding) {
  return {[this](TensorId id) { return arena(id); },
          [this](const std::string& field, TensorId id) { return float_end(field, id); }, rounding};
}

bool has_single_ends(const Network& network) { return network.inputs.size() == 1 && network.outputs.size() == 1; }

}  // namespace fovea
