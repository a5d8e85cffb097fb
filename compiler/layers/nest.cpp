// SPDX-License-Identifier: Apache-2.0
/// \file
/// Operators that have a definition, on values that nothing quantizes, one or several: their loops, as a C function.
#include <algorithm>

#include "device_form.h"
#include "float_end.h"
#include "ir/quantization.h"
#include "loops/lower.h"
#include "loops/verify_nest.h"
#include "move_definition.h"
#include "nest_group.h"
#include "on_integers.h"
#include "ops/definition.h"
#include "ops/operator.h"
#include "tensor/error.h"

namespace fovea {
namespace in_nest {

/// Whether a call takes what it reads for the numbers that they are. 8-bit integers are activations too, which have
/// kinds of their own where something is a function of one, or a pool of them. What quantizes has such kinds, unless
/// its scale is computed.
bool is_of_numbers(const Match& match) {
  const Node& call = match["op"];
  if (is_call(call, "qnn.quantize") || is_call(call, "qnn.dequantize")) {
    return !has_constant_quantization(match.graph(), call);
  }
  const bool has_own_kind = call.op->unary != nullptr || call.op->name.starts_with("nn.") || is_call(call, "argmax");
  return !has_own_kind ||
         std::ranges::none_of(call.inputs, [&](NodeId input) { return is_8_bit(match.graph()[input].type.element); });
}

/// A fusion for each operator that has a definition, and one for those of the user; of two operands it takes along what
/// dequantizes them.
std::vector<Fusion> single_fusions() {
  std::vector<Fusion> all;
  for (const Operator& row : operators()) {
    if (row.define != nullptr || row.unary != nullptr || row.binary != nullptr) {
      const std::string name = "cpu.nest_" + row.name.substr(row.name.find('.') + 1);
      const Pattern input = either({any(), constant()});
      if (row.is_variadic) {
        all.push_back({name, op_of_all(row.name, input).as("op").where(is_of_numbers)});
        continue;
      }
      std::vector<Pattern> inputs(row.inputs.size(), input);
      if (row.binary != nullptr) {
        inputs = {either({activation("a"), any(), constant()}), either({activation("b"), any(), constant()})};
      }
      all.push_back({name, op(row.name, inputs).as("op").where(is_of_numbers)});
    }
  }
  const Pattern own = group([](const Graph& graph, NodeId root) {
    return graph[root].own != nullptr ? Calls{{root}, {}} : Calls();
  });
  all.push_back({"cpu.nest_own", own.as("op").where(is_of_numbers)});
  return all;
}

/// Calls of a match as one definition.
struct Joined {
  Definition definition;
  std::vector<NodeId> reads;  ///< What its inputs are, in order.
  std::string name;
};

Joined join(const Match& match, const Node& call) {
  const Graph& graph = match.graph();
  Joined joined{definition_of_call(graph, call), call.inputs, call.op->name};
  for (std::size_t i = call.inputs.size(); i-- > 0;) {
    const Node& input = graph[call.inputs[i]];
    if (input.kind == NodeKind::kCall && match.inside().count(call.inputs[i]) != 0) {
      const Joined inner = join(match, input);
      joined.definition = composed(joined.definition, i, inner.definition);
      const auto place = joined.reads.erase(joined.reads.begin() + static_cast<std::ptrdiff_t>(i));
      joined.reads.insert(place, inner.reads.begin(), inner.reads.end());
      joined.name = inner.name + "." + joined.name;
    }
  }
  return joined;
}

LayerBody make(const Match& match, std::vector<NodeId>& inputs) {
  const Graph& graph = match.graph();
  const Node& call = match["op"];
  const Joined joined = join(match, call);
  const std::vector<std::string> names = call.op->inputs;
  const bool has_names = joined.name == call.op->name && !call.op->is_variadic;
  LoopNest body;
  std::vector<std::string> own_names;
  for (std::size_t i = 0; i < joined.reads.size(); ++i) {
    const Node& node = graph[joined.reads[i]];
    body.constants.push_back(node.kind == NodeKind::kConstant ? node.constant : nullptr);
    own_names.push_back(has_names ? names[i] : "x" + std::to_string(i));
    if (node.kind != NodeKind::kConstant) {
      inputs.push_back(joined.reads[i]);
    }
  }
  body.nest = lower(joined.name, joined.definition, own_names, call.type);
  verify_nest(body.nest);
  return body;
}

/// No command: only why, where it is not floats.
std::optional<DeviceForm> device_form(const Layer& layer) {
  const auto is_float = [](const TensorType& type) { return type.element == ElementType::kFloat32; };
  const bool is_of_floats = is_float(layer.output_type) || std::ranges::any_of(layer.input_types, is_float);
  return is_of_floats ? std::nullopt
                      : std::optional<DeviceForm>(DeviceForm{.refusal = "the accelerator has no such operation"});
}

LoopNest host_loops(const Layer& layer, dla_rounding) { return std::get<LoopNest>(layer.body); }

Calls nest_calls(const Graph& graph, NodeId root) { return {nest_group(graph, root), {}}; }

LayerKind kind_of(std::string_view name, std::vector<Fusion> fusions) {
  LayerKind kind{name, "op", true, std::move(fusions), make, kFloatIsTheCpus};
  kind.host_loops = host_loops;
  kind.device_form = device_form;
  return kind;
}

}  // namespace in_nest

LayerKind nest_group_kind() {
  using namespace in_nest;
  return kind_of("nest_group", {{"cpu.nest_group", group(nest_calls).as("op")}});
}

LayerKind nest_kind() {
  using namespace in_nest;
  LayerKind kind = kind_of("nest", single_fusions());
  kind.composite = [](const Match& match) {
    const Node& call = match["op"];
    return call.own == nullptr ? "" : "nest_" + call.op->name.substr(call.op->name.rfind('.') + 1);
  };
  return kind;
}

}  // namespace fovea
