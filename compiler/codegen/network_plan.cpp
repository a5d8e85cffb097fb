// SPDX-License-Identifier: Apache-2.0
/// \file
/// Plans memory from the layers' order, maps the device layers and lays their filters out.
#include "network_plan.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "crc32.h"
#include "ir/error.h"
#include "mapping/linear_mapping.h"

namespace fovea {
namespace {

/// For each tensor, the tensor whose bytes it has: itself, or what a view views.
std::vector<TensorId> resolve_views(const Network& network) {
  std::vector<TensorId> base(network.tensors.size());
  std::iota(base.begin(), base.end(), TensorId{0});
  for (const Layer& layer : network.layers) {
    if (layer.kind == LayerKind::kFlatten) {
      base[layer.output] = base[layer.input];
    }
  }
  return base;
}

/// Finds each tensor's place and the lifetimes of those in the arena.
class PlaceFinder {
 public:
  explicit PlaceFinder(const Network& network)
      : network_(network), base_(resolve_views(network)), places_(network.tensors.size()) {
    if (base_[network.input] == base_[network.output]) {
      user_error(network.name + ": its output is its input; there is nothing to compile");
    }
    places_[base_[network.input]] = {Memory::kHostInput, 0};
    places_[base_[network.output]] = {Memory::kHostOutput, 0};
    for (std::size_t i = 0; i < network.layers.size(); ++i) {
      visit(network.layers[i], i);
    }
  }

  TensorPlace place(TensorId id) const { return places_[base_[id]]; }
  std::vector<ArenaBuffer> take_buffers() { return std::move(buffers_); }

 private:
  void visit(const Layer& layer, std::size_t index) {
    const TensorId read = base_[layer.input];
    if (places_[read].memory == Memory::kArena) {
      internal_check(written_.count(read) != 0, layer.name + " reads a tensor that no layer has written");
      buffers_[places_[read].buffer].life.last = index;
    }
    if (layer.kind == LayerKind::kFlatten) {
      return;
    }
    const TensorId write = base_[layer.output];
    internal_check(written_.insert(write).second, layer.name + " writes a tensor that was written before");
    if (places_[write].memory == Memory::kArena) {
      places_[write].buffer = buffers_.size();
      buffers_.push_back({layer.name, {size_bytes(network_.tensors[write].type), index, index}, 0});
    }
  }

  const Network& network_;
  std::vector<TensorId> base_;
  std::vector<TensorPlace> places_;
  std::vector<ArenaBuffer> buffers_;
  std::set<TensorId> written_;
};

void plan_arena(NetworkPlan& plan) {
  std::vector<Buffer> lives;
  for (const ArenaBuffer& buffer : plan.buffers) {
    lives.push_back(buffer.life);
  }
  const MemoryPlan memory = plan_memory(lives);
  if (memory.peak_bytes > UINT32_MAX) {
    user_error(plan.network->name + ": its activations need " + std::to_string(memory.peak_bytes) +
               " bytes at once; the device's 32-bit memory holds less");
  }
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    plan.buffers[i].offset = memory.offsets[i];
  }
  plan.arena_bytes = memory.peak_bytes;
  plan.naive_arena_bytes = memory.naive_bytes;
}

/// The shape of a device layer, of one group of it, and its mapping.
ShapeChoice choose_shape(const Network& network, const Layer& layer, const EmitOptions& options) {
  if (layer.kind == LayerKind::kQlinear) {
    const Shape& filter = layer.weight->type().shape;
    return options.mapper->choose_linear(static_cast<std::uint32_t>(filter.at(1)),
                                         static_cast<std::uint32_t>(filter.at(0)));
  }
  const dla_shape shape = device_shape(network, layer);
  return {shape, options.mapper->choose(shape)};
}

/// Maps one group of a layer and adds its filter stream.
DeviceCall plan_device_call(const Network& network, const Layer& layer, std::size_t group, const EmitOptions& options,
                            WeightFile& weights) {
  const dla_machine& machine = options.mapper->machine().geometry;
  DeviceCall call;
  const ShapeChoice choice = choose_shape(network, layer, options);
  internal_check(choice.mapping.plan.has_value(),
                 layer.name + " was put on the accelerator, but " + choice.mapping.reason);
  call.shape = choice.shape;
  call.plan = *choice.mapping.plan;
  call.is_recorded = choice.mapping.is_recorded;
  const dla_passes passes = dla_derive_passes(&machine, &call.shape, &call.plan.mapping);
  call.ifmap_skip = std::uint64_t{group} * call.shape.C * call.shape.H * call.shape.W;
  call.ofmap_skip = std::uint64_t{group} * call.shape.M * passes.ofmap_rows * passes.ofmap_cols;
  call.name = layer.name + (layer.groups > 1 ? "_group" + std::to_string(group) : "");
  call.filter = call.name + "_filter";
  const std::size_t filter_skip = group * std::size_t{call.shape.M} * call.shape.C * call.shape.R * call.shape.S;
  std::vector<std::byte> stream(dla_filter_stream_bytes(&machine, &call.shape, &call.plan.mapping));
  dla_lay_out_filters(
      &machine, &call.shape, &call.plan.mapping, layer.weight->values<std::int8_t>().data() + filter_skip,
      layer.bias->values<std::int32_t>().data() + group * call.shape.M, reinterpret_cast<std::uint8_t*>(stream.data()));
  weights.add(call.filter, stream);
  return call;
}

void plan_constants(const Network& network, const EmitOptions& options, LayerPlan& plan, WeightFile& weights) {
  const Layer& layer = *plan.layer;
  if (layer.target == Target::kDla && !plan.is_view()) {
    internal_check(layer.kind == LayerKind::kQconv2d || layer.kind == LayerKind::kQlinear,
                   layer.name + ": the accelerator has no " + layer.composite);
    internal_check(options.mapper != nullptr, layer.name + " is on the accelerator, but there is no machine");
    for (std::int64_t group = 0; group < layer.groups; ++group) {
      plan.device_calls.push_back(plan_device_call(network, layer, static_cast<std::size_t>(group), options, weights));
    }
  } else if (layer.weight != nullptr) {
    plan.filter = layer.name + "_filter";
    plan.bias = layer.name + "_bias";
    weights.add(plan.filter, layer.weight->bytes());
    weights.add(plan.bias, layer.bias->bytes());
  }
}

/// What weight.bin was laid out for: the mapping of each device layer and the payload itself.
std::uint32_t make_model_key(const NetworkPlan& plan) {
  std::string text = plan.network->name + "|" + plan.machine + "|";
  for (const LayerPlan& layer : plan.layers) {
    for (const DeviceCall& call : layer.device_calls) {
      text += call.filter + ":" + to_text(call.plan.mapping) + ";";
    }
  }
  text += "crc32=" + std::to_string(crc32(plan.weights.payload()));
  return crc32(std::as_bytes(std::span(text)));
}

}  // namespace

NetworkPlan plan_network(const Network& network, const EmitOptions& options) {
  NetworkPlan plan;
  plan.network = &network;
  PlaceFinder finder(network);
  for (const Layer& layer : network.layers) {
    plan.layers.push_back({&layer, finder.place(layer.input), finder.place(layer.output), {}, "", ""});
    plan_constants(network, options, plan.layers.back(), plan.weights);
    if (!plan.layers.back().device_calls.empty()) {
      plan.machine = options.mapper->machine().name;
    }
  }
  plan.buffers = finder.take_buffers();
  plan_arena(plan);
  plan.model_key = make_model_key(plan);
  return plan;
}

std::vector<std::uint32_t> shape_without_batch(const TensorType& type) {
  internal_check(type.shape.size() >= 2 && type.shape.size() <= 5, "an activation has no batch or too many dimensions");
  return {type.shape.begin() + 1, type.shape.end()};
}

}  // namespace fovea
