// SPDX-License-Identifier: Apache-2.0
/// \file
/// Slices, pads, transposes, resizes, ...: operators that only move elements, as one index map as far as they go in a
/// row.
#include <algorithm>
#include <bit>

#include "codegen/c_text.h"
#include "host_fields.h"
#include "ops/operator.h"
#include "tensor/error.h"

namespace fovea {
namespace in_index_map {

/// Loops that a call takes (DLA_INDEX_MAP_LOOPS), and entries of tables that are worth a layer less.
constexpr std::size_t kMostLoops = 8;
constexpr int64_t kMostEntries = 1 << 14;

/// What operators in a row make of the first one's input; nothing where that is no index map.
std::optional<IndexMap> compose(const Graph& graph, const std::vector<NodeId>& calls) {
  IndexMap map(graph[graph[calls[0]].inputs[0]].type.shape);
  for (const NodeId id : calls) {
    std::vector<const Tensor*> inputs;
    for (const NodeId input : graph[id].inputs) {
      inputs.push_back(graph[input].constant.get());
    }
    if (!graph[id].op->move(graph[id], inputs, map)) {
      return std::nullopt;
    }
  }
  return map;
}

/// Whether a map is one call, and, of several operators, whether its tables are smaller than what they save.
bool is_worth_it(const IndexMap& map, std::size_t calls) {
  return (calls == 1 || map.count_entries() <= kMostEntries) && map.loops().loops.size() <= kMostLoops;
}

/// How many operators from `root` down are one index map, of a tensor if some are; 0 where they are none, or reshapes
/// only: those cost nothing.
std::size_t count_composed(const Graph& graph, NodeId root) {
  std::vector<NodeId> calls;
  for (NodeId id = root; moves_elements(graph[id]); id = graph[id].inputs[0]) {
    const auto is_constant = [&](NodeId input) { return graph[input].kind == NodeKind::kConstant; };
    const std::vector<NodeId>& inputs = graph[id].inputs;
    if (!std::all_of(inputs.begin() + 1, inputs.end(), is_constant) || size_bytes(graph[inputs[0]].type) == 0 ||
        size_bytes(graph[id].type) == 0) {
      break;
    }
    calls.insert(calls.begin(), id);
  }
  const auto is_view = [&](NodeId id) { return is_call(graph[id], "reshape"); };
  std::size_t most = 0;
  for (; !std::all_of(calls.begin(), calls.end(), is_view); calls.erase(calls.begin())) {
    const auto map = compose(graph, calls);
    if (!map || !is_worth_it(*map, calls.size())) {
      continue;
    }
    most = std::max(most, calls.size());
    if (is_tensor_shape(graph[graph[calls[0]].inputs[0]].type.shape)) {
      return calls.size();
    }
  }
  return most;
}

/// Operators that others read too are computed in each map; but a last reshape of such a value is a view of it, if that
/// is a tensor.
Pattern rearranged() {
  const Pattern calls =
      in_a_row([](const Node& node) { return moves_elements(node); }, count_composed, any()).as("last");
  const auto ends_in_view = [](const Match& match) {
    const Node& last = match["last"];
    return is_call(last, "reshape") && is_tensor_shape(match.graph()[last.inputs[0]].type.shape);
  };
  return either(
      {calls.or_copied().where([=](const Match& match) { return !ends_in_view(match); }), calls.where(ends_in_view)});
}

/// The operators of a match, the first one first.
std::vector<NodeId> calls_of(const Match& match) {
  std::vector<NodeId> calls(match.inside().begin(), match.inside().end());
  std::erase_if(calls, [&](NodeId id) { return !moves_elements(match.graph()[id]); });
  return calls;
}

LayerBody make(const Match& match, std::vector<NodeId>& inputs) {
  const Graph& graph = match.graph();
  const std::vector<NodeId> calls = calls_of(match);
  inputs = {graph[calls[0]].inputs[0]};
  const auto map = compose(graph, calls);
  internal_check(map.has_value(), "what is matched is an index map");
  return Rearrange{map->loops(), map->fill().value_or(0)};
}

/// Where a map's elements begin, if they follow each other in the source as in the result; else nothing.
std::optional<int64_t> find_run(const IndexMap& map) {
  const MapLoops result = map.loops();
  const bool is_run = std::ranges::all_of(result.loops, [&](const MapLoop& loop) {
    return result.loops.size() == 1 && loop.table.empty() && loop.to_step == 1 && loop.from_step == 1 &&
           loop.first == 0 && loop.last == loop.size;
  });
  return is_run && !map.fill() && result.start >= 0 ? std::optional(result.start) : std::nullopt;
}

std::optional<int64_t> find_run(const Match& match) {
  const auto map = compose(match.graph(), calls_of(match));
  return map ? find_run(*map) : std::nullopt;
}

/// Activations only: of those, no one needs an address that is a multiple of more than a byte.
bool is_slice(const Match& match) {
  return match["last"].type.element == ElementType::kUint8 && find_run(match).has_value();
}

LayerBody make_slice(const Match& match, std::vector<NodeId>& inputs) {
  inputs = {match.graph()[calls_of(match)[0]].inputs[0]};
  return View{*find_run(match)};
}

std::string table_name(std::size_t loop) { return "places" + std::to_string(loop); }

std::string loop_fields(const Layer& layer, std::size_t place) {
  const MapLoop& loop = std::get<Rearrange>(layer.body).map.loops[place];
  const std::string fields =
      "\n          {.size = " + std::to_string(loop.size) + ", .output_step = " + std::to_string(loop.to_step);
  if (!loop.table.empty()) {
    return fields + ", .has_table = true, .table = WEIGHT(" + layer.name + "_" + table_name(place) + ")},";
  }
  return fields + ", .input_step = " + std::to_string(loop.from_step) +
         (loop.first == 0 ? "" : ", .first = " + std::to_string(loop.first)) +
         ", .last = " + std::to_string(loop.last) + "},";
}

/// An element's bits.
std::string fill_bits(const Rearrange& rearrange, ElementType element) {
  if (element == ElementType::kFloat32) {
    return std::to_string(std::bit_cast<uint32_t>(static_cast<float>(rearrange.fill)));
  }
  const auto bits = static_cast<uint64_t>(static_cast<int64_t>(rearrange.fill));
  return std::to_string(bits & (~uint64_t{0} >> (64 - 8 * size_bytes(element)))) +
         (size_bytes(element) == 8 ? "u" : "");
}

CallText host_call(const Layer& layer, const Places& places) {
  const auto& rearrange = std::get<Rearrange>(layer.body);
  const TensorType &from = layer.input_types[0], &to = layer.output_type;
  std::string list;
  for (std::size_t place = 0; place < rearrange.map.loops.size(); ++place) {
    list += loop_fields(layer, place);
  }
  return {
      "dla_index_map_cpu",
      "dla_index_map_cpu",
      {name_field(layer), places.float_end("input", layer.inputs[0]) + ", " + places.float_end("output", layer.output),
       shape_fields(to),
       type_fields(to) + ", .input_elements = " + std::to_string(count_elements(from.shape)) +
           ", .start = " + std::to_string(rearrange.map.start) + ", .fill = " + fill_bits(rearrange, to.element),
       ".loops = (const struct dla_index_map_loop[]){" + list + "\n      }",
       ".count = " + std::to_string(rearrange.map.loops.size())}};
}

std::vector<HostConstant> host_constants(const Layer& layer, dla_rounding) {
  std::vector<HostConstant> constants;
  const std::vector<MapLoop>& loops = std::get<Rearrange>(layer.body).map.loops;
  for (std::size_t place = 0; place < loops.size(); ++place) {
    if (!loops[place].table.empty()) {
      constants.push_back({table_name(place), std::make_shared<const Tensor>(
                                                  Tensor::of<int32_t>({loops[place].size}, loops[place].table))});
    }
  }
  return constants;
}

}  // namespace in_index_map

/// Elements that lie one behind another in the input: its bytes, from a place on.
LayerKind slice_kind() {
  using namespace in_index_map;
  return {"slice", "last", true, {{"dla.slice", rearranged().where(is_slice)}}, make_slice, ""};
}

LayerKind index_map_kind() {
  using namespace in_index_map;
  return {"index_map", "last",
          true,        {{"cpu.index_map", rearranged()}},
          make,        "the accelerator computes with elements where they lie; it moves none",
          host_call,   host_constants};
}

}  // namespace fovea
