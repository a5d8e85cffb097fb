// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds tensors by the layers that write them.
#include "network_tensors.h"

#include <algorithm>

#include "spec/dla_requant.h"

namespace fovea {
namespace {

/// Bytes of `to`'s shape from `offset` bytes on.
std::optional<Tensor> viewed(const Tensor& from, std::size_t offset, const TensorType& to) {
  Tensor result(to);
  if (offset + result.bytes().size() > from.bytes().size()) {
    return std::nullopt;
  }
  std::ranges::copy(from.bytes().subspan(offset, result.bytes().size()), result.bytes().begin());
  return result;
}

/// A tensor as the network has it. \param quantization  The network's.
std::optional<Tensor> converted(const Tensor& value, const TensorType& type,
                                const std::optional<Quantization>& quantization) {
  if (count_elements(value.type().shape) != count_elements(type.shape)) {
    return std::nullopt;
  }
  if (value.type().element == type.element) {
    return viewed(value, 0, type);
  }
  Tensor result(type);
  const auto count = static_cast<std::size_t>(count_elements(type.shape));
  for (std::size_t i = 0; i < count; ++i) {
    if (type.element == ElementType::kUint8 && value.type().element == ElementType::kInt8) {
      result.set_integer(i, value.integer_at(i) + 128);
    } else if (type.element == ElementType::kUint8 && value.type().element == ElementType::kFloat32 && quantization) {
      result.set_integer(i, dla_quantize_f32(static_cast<float>(value.at(i)), quantization->scale(),
                                             static_cast<uint8_t>(quantization->zero_point())));
    } else {
      return std::nullopt;
    }
  }
  return result;
}

}  // namespace

NetworkTensors::NetworkTensors(const NetworkNotes& notes, std::vector<const LayerValue*> value_of_layer,
                               const std::vector<Tensor>& inputs)
    : notes_(notes), value_of_layer_(std::move(value_of_layer)), inputs_(inputs) {}

std::optional<Tensor> NetworkTensors::find(TensorId tensor) const {
  const Network& network = notes_.network;
  const auto input = std::ranges::find(network.inputs, tensor, &NetworkEnd::tensor);
  if (input != network.inputs.end()) {
    const auto place = static_cast<std::size_t>(input - network.inputs.begin());
    return place < inputs_.size() ? std::optional(inputs_[place]) : std::nullopt;
  }
  const auto writer = std::ranges::find(network.layers, tensor, &Layer::output);
  return writer == network.layers.end() ? std::nullopt
                                        : find_output(static_cast<std::size_t>(writer - network.layers.begin()));
}

std::optional<Tensor> NetworkTensors::find_output(std::size_t place) const {
  const Layer& layer = notes_.network.layers[place];
  if (const LayerValue* value = value_of_layer_.at(place); value != nullptr) {
    const TensorType type{without_batch(layer.output_type.shape), layer.output_type.element};
    return converted(value->values, type, notes_.layers.at(place).quantization);
  }
  return find_viewed(layer);
}

std::optional<Tensor> NetworkTensors::find_viewed(const Layer& layer) const {
  const TensorType type{without_batch(layer.output_type.shape), layer.output_type.element};
  if (const auto* view = std::get_if<View>(&layer.body)) {
    const std::optional<Tensor> from = find(layer.inputs.at(0));
    return from ? viewed(*from, static_cast<std::size_t>(view->offset), type) : std::nullopt;
  }
  const auto* concat = std::get_if<Qconcat>(&layer.body);
  if (concat == nullptr || !layer.is_view()) {
    return std::nullopt;
  }
  Tensor result(type);
  std::size_t outer = 1, begin = 0;
  for (std::size_t axis = 0; axis < concat->axis; ++axis) {
    outer *= static_cast<std::size_t>(layer.output_type.shape[axis]);
  }
  const std::size_t row = result.bytes().size() / outer;
  for (const TensorId input : layer.inputs) {
    const std::optional<Tensor> part = find(input);
    if (!part) {
      return std::nullopt;
    }
    const std::size_t part_row = part->bytes().size() / outer;
    for (std::size_t i = 0; i < outer; ++i) {
      std::ranges::copy(part->bytes().subspan(i * part_row, part_row),
                        result.bytes().subspan(i * row + begin, part_row).begin());
    }
    begin += part_row;
  }
  return result;
}

}  // namespace fovea
