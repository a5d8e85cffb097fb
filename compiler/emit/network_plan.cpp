// SPDX-License-Identifier: Apache-2.0
/// \file
/// Plans memory from the layers' order, and has each layer planned by its target.
#include "network_plan.h"

#include <algorithm>
#include <set>

#include "ir/checksum.h"
#include "tensor/error.h"

namespace fovea {
namespace {

/// Bytes of the device's memory, and of the CPU's for a network, less what lists and alignment take of them.
constexpr std::uint64_t kSpareBytes = 1 << 20, kMemoryBytes = (std::uint64_t{1} << 31) - kSpareBytes,
                        kHostMemoryBytes = UINT32_MAX - 2 * kSpareBytes;

void check_memory(const NetworkPlan& plan, std::uint64_t arena_bytes) {
  const std::uint64_t weights = plan.weights.payload().size();
  const std::uint64_t memory = plan.target == "cpu" ? kHostMemoryBytes : kMemoryBytes;
  if (arena_bytes + weights <= memory) {
    return;
  }
  const std::int64_t pictures = count_pictures(*plan.network);
  user_error(plan.network->name + ": its weights are " + std::to_string(weights) + " bytes and its activations " +
             std::to_string(arena_bytes) +
             (pictures == 1 ? "" : ", of " + std::to_string(pictures) + " pictures at once") + "; memory holds " +
             std::to_string(memory));
}

void plan_arena(NetworkPlan& plan) {
  std::vector<Buffer> lives;
  for (const ArenaBuffer& buffer : plan.buffers) {
    lives.push_back(buffer.life);
  }
  const MemoryPlan memory = plan_memory(lives, plan.alignment);
  check_memory(plan, memory.peak_bytes);
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    plan.buffers[i].offset = memory.offsets[i];
  }
  plan.arena_bytes = memory.peak_bytes;
  plan.naive_arena_bytes = memory.naive_bytes;
}

/// Layers that take turns all run until the last of them has.
void lengthen_lives(const std::vector<std::vector<std::string>>& together, NetworkPlan& plan) {
  const auto place_of = [&](const std::string& name) {
    const auto found = std::find_if(plan.layers.begin(), plan.layers.end(),
                                    [&](const PlannedLayer& layer) { return layer.layer->name == name; });
    return static_cast<std::size_t>(found - plan.layers.begin());
  };
  for (const std::vector<std::string>& group : together) {
    const std::size_t first = place_of(group.front()), last = place_of(group.back());
    for (ArenaBuffer& buffer : plan.buffers) {
      Buffer& life = buffer.life;
      life.first = first <= life.first && life.first <= last ? first : life.first;
      life.last = first <= life.last && life.last <= last ? last : life.last;
    }
  }
}

void check_rounding(const Network& network, dla_rounding rounding) {
  std::vector<std::string> refusals;
  for (const Layer& layer : network.layers) {
    const auto is_at_shifts = layer.kind->is_at_shifts;
    if (rounding == kDlaFloor && is_at_shifts != nullptr && !is_at_shifts(layer)) {
      refusals.push_back(layer.name +
                         ": has scales that are not powers of two, and only those can be rounded down; "
                         "--rounding nearest_even takes any");
    }
  }
  refuse_all(refusals);
}

Target& find_target(const EmitOptions& options, const Layer& layer) {
  const auto found = std::find_if(options.targets.begin(), options.targets.end(),
                                  [&](const NamedTarget& target) { return target.name == layer.target; });
  if (found == options.targets.end()) {
    user_error(layer.name + ": is for the target " + layer.target + ", which this network is not compiled for");
  }
  return *found->target;
}

/// What weight.bin was laid out for: the mapping of each device layer and the payload itself.
std::uint32_t make_model_key(const NetworkPlan& plan) {
  std::string text = plan.network->name + "|" + plan.machine + "|";
  for (const PlannedLayer& layer : plan.layers) {
    text += layer.layout;
  }
  for (const auto& [name, source] : plan.files) {
    text += name + ":" + std::to_string(checksum(std::as_bytes(std::span(source)))) + ";";
  }
  text += "crc32=" + std::to_string(checksum(plan.weights.payload()));
  return checksum(std::as_bytes(std::span(text)));
}

void note_header(const std::string& header, NetworkPlan& plan) {
  if (std::find(plan.headers.begin(), plan.headers.end(), header) == plan.headers.end()) {
    plan.headers.push_back(header);
  }
}

/// Adds a target's own files. \throws UserError where another one's has the name.
void note_files(const Layer& layer, const Target& target, NetworkPlan& plan) {
  for (const auto& [name, text] : target.files()) {
    if (const auto [place, is_new] = plan.files.emplace(name, text); !is_new && place->second != text) {
      user_error(layer.target + ": " + name + " is a file of another target too, with another text; rename one");
    }
  }
}

void note_target(const Layer& layer, const Target& target, NetworkPlan& plan) {
  note_files(layer, target, plan);
  if (!target.machine().empty()) {
    plan.target = layer.target;
    plan.machine = target.machine();
    plan.mapping_mode = target.mapping_mode();
  }
  note_header(target.header(), plan);
  if (plan.layers.back().own_cycles) {
    note_header("dla_target.h", plan);
  }
  const std::vector<CallText>& calls = plan.layers.back().calls;
  if (std::any_of(calls.begin(), calls.end(), [](const CallText& call) { return !call.definition.empty(); })) {
    note_header("spec/dla_real.h", plan);
  }
  if (std::any_of(calls.begin(), calls.end(), [](const CallText& call) {
        return call.definition.find("DLA_WIDEST_VECTORS") != std::string::npos ||
               call.definition.find("DLA_EXACT_PRODUCTS") != std::string::npos;
      })) {
    note_header("dla_widest_vectors.h", plan);
  }
}

}  // namespace

std::int64_t count_pictures(const Network& network) {
  std::set<std::int64_t> first;
  for (const auto& ends : {network.inputs, network.outputs}) {
    for (const NetworkEnd& end : ends) {
      const Shape& shape = network.tensors[end.tensor].type.shape;
      first.insert(shape.empty() ? 1 : shape[0]);
    }
  }
  return first.size() == 1 ? *first.begin() : 1;
}

NetworkPlan plan_network(const Network& network, const EmitOptions& options) {
  NetworkPlan plan;
  plan.network = &network;
  plan.cpu = options.cpu;
  plan.alignment = alignment_of(options.targets);
  plan.weights = WeightFile(plan.alignment);
  plan.headers = {"dla_runtime.h"};
  TensorPlaces places(network);
  const Places texts = places.texts(options.rounding);
  check_rounding(network, options.rounding);
  for (const NamedTarget& target : options.targets) {
    target.target->begin(network);
  }
  for (const Layer& layer : network.layers) {
    Target& target = find_target(options, layer);
    plan.layers.push_back(target.plan(layer, texts, plan.weights));
    if (!plan.layers.back().calls.empty()) {
      note_target(layer, target, plan);
    }
  }
  plan.buffers = places.take_buffers();
  for (const NamedTarget& target : options.targets) {
    lengthen_lives(target.target->together(), plan);
    if (nlohmann::ordered_json on_chip = target.target->on_chip(); !on_chip.is_null()) {
      plan.on_chip = std::move(on_chip);
    }
  }
  plan_arena(plan);
  plan.model_key = make_model_key(plan);
  return plan;
}

}  // namespace fovea
