// SPDX-License-Identifier: Apache-2.0
/// \file
/// Views, and joins whose inputs are in their places already.
#include "tensor_bytes.h"

#include <algorithm>
#include <optional>

#include "tensor/error.h"

namespace fovea {
namespace {

/// For each tensor, the one that its bytes are part of, if there is one.
std::vector<std::optional<TensorBytes>> find_wholes(const Network& network) {
  std::vector<std::optional<TensorBytes>> wholes(network.tensors.size());
  const auto viewed = [&](TensorId id) {
    return std::ranges::find_if(network.layers, [id](const Layer& layer) {
      return layer.output == id && std::holds_alternative<View>(layer.body);
    });
  };
  for (const Layer& layer : network.layers) {
    if (const auto* view = std::get_if<View>(&layer.body)) {
      wholes[layer.output] = {layer.inputs.at(0), static_cast<std::uint64_t>(view->offset)};
    } else if (std::holds_alternative<Rearrange>(layer.body) && layer.is_view()) {
      wholes[layer.output] = {layer.inputs.at(0), 0};
    }
    std::uint64_t offset = 0;
    const auto* concat = std::get_if<Qconcat>(&layer.body);
    for (std::size_t i = 0; concat != nullptr && i < layer.inputs.size(); ++i) {
      TensorId input = layer.inputs[i];
      for (auto view = viewed(input); view != network.layers.end(); view = viewed(input)) {
        input = view->inputs.at(0);
      }
      if (concat->is_in_place(i)) {
        internal_check(!wholes[input], layer.name + ": joins bytes that are part of another tensor");
        wholes[input] = {layer.output, offset};
      }
      offset += static_cast<std::uint64_t>(size_bytes(network.tensors[layer.inputs[i]].type));
    }
  }
  return wholes;
}

}  // namespace

std::vector<TensorBytes> resolve_bytes(const Network& network) {
  const std::vector<std::optional<TensorBytes>> wholes = find_wholes(network);
  std::vector<TensorBytes> bytes(network.tensors.size());
  for (TensorId id = 0; id < bytes.size(); ++id) {
    bytes[id].whole = id;
    for (auto next = wholes[id]; next; next = wholes[next->whole]) {
      bytes[id] = {next->whole, bytes[id].offset + next->offset};
    }
  }
  return bytes;
}

}  // namespace fovea
