// SPDX-License-Identifier: Apache-2.0
/// \file
/// Keeps values for as long as a node still reads them.
#include "layerwise_run.h"

#include <algorithm>

#include "float_value.h"
#include "mapping/side_by_side.h"
#include "ops/operator.h"

namespace fovea {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;

PackedProduct make_product(const Graph& graph, NodeId id, std::span<const float> weights) {
  const Node& node = graph[id];
  return {node, graph[node.inputs[0]].type, graph[node.inputs[1]].type, weights};
}

/// Whether a node is computed under the bias that reads it.
bool is_under_bias(const Graph& graph, const QuantizationPlan& plan, NodeId id) {
  return is_product(graph[id]) && plan.nodes[id].is_on_integers && !product_ending_at(graph, plan, id);
}

std::size_t input_number(const Graph& graph, NodeId id) {
  return static_cast<std::size_t>(std::find(graph.inputs().begin(), graph.inputs().end(), id) - graph.inputs().begin());
}

}  // namespace

std::vector<NodeId> last_readers(const Graph& graph, const QuantizationPlan& plan) {
  std::vector<NodeId> last(graph.size());
  for (NodeId id = 0; id < graph.size(); ++id) {
    last[id] = id;
    const auto product = product_ending_at(graph, plan, id);
    for (const NodeId input : graph[product.value_or(id)].inputs) {
      last[input] = id;
    }
  }
  for (const NodeId output : graph.outputs()) {
    last[output] = graph.size();
  }
  return last;
}

std::size_t inputs_at_a_time(const Graph& graph, const QuantizationPlan& plan) {
  const std::vector<NodeId> last = last_readers(graph, plan);
  std::size_t most = 1;
  for (NodeId id = 0; id < graph.size(); ++id) {
    std::size_t alive = 0;
    for (NodeId other = 0; other <= id; ++other) {
      const bool is_held = graph[other].kind != NodeKind::kConstant && last[other] >= id;
      alive += is_held ? 3 * size_bytes(graph[other].type) : 0;  // As float, in steps, and what is read of it.
    }
    most = std::max(most, alive);
  }
  return std::max(most_threads(), kMostBytes / most);
}

const Tensor& ValueBank::at(NodeId id, std::size_t input) const {
  const Node& node = (*graph_)[id];
  return values_[id].empty() && node.kind == NodeKind::kConstant ? *node.constant : values_[id].at(input);
}

void ValueBank::fill(NodeId id, const std::function<Tensor(std::size_t input)>& compute) {
  values_[id].assign(inputs_, Tensor({{0}, ElementType::kFloat32}));
  run_side_by_side(inputs_, [&](std::size_t input, std::size_t) { values_[id][input] = compute(input); });
}

void ValueBank::change(NodeId id, const std::function<void(Tensor& value, std::size_t input)>& change) {
  run_side_by_side(inputs_, [&](std::size_t input, std::size_t) { change(values_[id][input], input); });
}

FloatRun::FloatRun(const Graph& graph, const QuantizationPlan& plan) : graph_(&graph), plan_(&plan) {
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (const auto found = product_ending_at(graph, plan, id)) {
      const auto weights = graph[graph[*found].inputs[1]].constant->values<float>();
      products_.emplace(id, make_product(graph, *found, weights));
    } else if (is_product(graph[id]) && graph[graph[id].inputs[1]].kind == NodeKind::kConstant &&
               !plan.nodes[id].is_on_integers) {
      products_.emplace(id, make_product(graph, id, graph[graph[id].inputs[1]].constant->values<float>()));
    }
  }
}

void FloatRun::begin(std::span<const CalibrationInput> inputs) {
  inputs_ = inputs;
  bank_.emplace(*graph_, inputs.size());
}

void FloatRun::compute(NodeId id) {
  const Node& node = (*graph_)[id];
  if (node.kind == NodeKind::kConstant || is_under_bias(*graph_, *plan_, id)) {
    return;
  }
  const auto product = products_.find(id);
  bank_->fill(id, [&](std::size_t input) {
    if (node.kind == NodeKind::kInput) {
      return inputs_[input].at(input_number(*graph_, id));
    }
    if (product != products_.end()) {
      const NodeId product_id = product_ending_at(*graph_, *plan_, id).value_or(id);
      Tensor sums((*graph_)[product_id].type);
      product->second.run(bank_->at((*graph_)[product_id].inputs[0], input).values<float>(), sums.values<float>());
      if (product_id != id) {
        add_bias(sums, (*graph_)[node.inputs[1]].constant->values<float>());
      }
      return sums;
    }
    std::vector<const Tensor*> arguments;
    for (const NodeId argument : node.inputs) {
      arguments.push_back(&bank_->at(argument, input));
    }
    return float_value(node, arguments);
  });
}

void run_float(const Graph& graph, const QuantizationPlan& plan, std::span<const CalibrationInput> inputs,
               const std::function<void(NodeId id, const ValueBank& values, std::size_t inputs)>& look,
               const std::string& doing, const SayProgress& progress) {
  const std::vector<NodeId> last = last_readers(graph, plan);
  const std::size_t together = inputs_at_a_time(graph, plan);
  FloatRun run(graph, plan);
  for (std::size_t first = 0; first < inputs.size(); first += together) {
    const auto part = inputs.subspan(first, std::min(together, inputs.size() - first));
    run.begin(part);
    for (NodeId id = 0; id < graph.size(); ++id) {
      run.compute(id);
      look(id, run.values(), part.size());
      for (NodeId other = 0; other <= id; ++other) {
        if (last[other] == id) {
          run.release(other);
        }
      }
      progress(doing + ": inputs up to " + std::to_string(first + part.size()) + " of " +
               std::to_string(inputs.size()) + ", node " + std::to_string(id + 1) + " of " +
               std::to_string(graph.size()));
    }
  }
}

void QuantizedRun::begin(std::span<const CalibrationInput> inputs) {
  inputs_ = inputs;
  reals_.emplace(network_->graph(), inputs.size());
  steps_.emplace(network_->graph(), inputs.size());
}

Tensor QuantizedRun::run_product(NodeId end, const PackedProduct& product, std::size_t input) const {
  const QuantizedProduct& numbers = network_->products().at(end);
  const Node& node = network_->graph()[numbers.product];
  Tensor sums(node.type);
  const auto values = sums.values<float>();
  product.run(steps_->at(node.inputs[0], input).values<float>(), values);
  const std::size_t filters = numbers.bias.size();
  const std::size_t inner = values.size() / static_cast<std::size_t>(node.type.shape[0]) / filters;
  for (std::size_t i = 0; i < values.size(); i += inner) {
    const std::size_t filter = i / inner % filters;
    const auto bias = static_cast<float>(numbers.bias_steps[filter]);
    const float scale = network_->bias_scale(numbers, filter);
    for (std::size_t k = 0; k < inner; ++k) {
      values[i + k] = (values[i + k] + bias) * scale;
    }
  }
  return sums;
}

Tensor QuantizedRun::seen(NodeId id, std::size_t input) const {
  const bool is_made_on_integers = network_->plan().nodes[id].is_on_integers;
  return network_->quantization_of(id) != nullptr && is_made_on_integers ? dequantized(id, input)
                                                                         : reals_->at(id, input);
}

/// What a node reads: on integers, each quantized value as its integers say.
std::vector<Tensor> QuantizedRun::arguments(const Node& node, bool on_integers, std::size_t input) const {
  const std::vector<std::size_t> places = activation_inputs(node);
  std::vector<Tensor> result;
  for (std::size_t place = 0; place < node.inputs.size(); ++place) {
    const NodeId id = node.inputs[place];
    const bool is_activation = std::find(places.begin(), places.end(), place) != places.end();
    const bool is_quantized = on_integers && is_activation && network_->quantization_of(id) != nullptr;
    result.push_back(is_quantized ? dequantized(id, input) : seen(id, input));
  }
  return result;
}

void QuantizedRun::compute(NodeId id) {
  const Graph& graph = network_->graph();
  const Node& node = graph[id];
  if (node.kind == NodeKind::kConstant || is_under_bias(graph, network_->plan(), id)) {
    return;
  }
  const auto found = network_->products().find(id);
  if (found != network_->products().end()) {
    const std::vector<float> weights(found->second.weights.begin(), found->second.weights.end());
    const PackedProduct product = make_product(graph, found->second.product, weights);
    reals_->fill(id, [&](std::size_t input) { return run_product(id, product, input); });
    return;
  }
  std::optional<PackedProduct> kept;  // A product that stays float.
  if (is_product(node) && graph[node.inputs[1]].kind == NodeKind::kConstant) {
    kept = make_product(graph, id, graph[node.inputs[1]].constant->values<float>());
  }
  const bool on_integers = network_->plan().nodes[id].is_on_integers;
  reals_->fill(id, [&](std::size_t input) {
    if (node.kind == NodeKind::kInput) {
      return inputs_[input].at(input_number(graph, id));
    }
    const std::vector<Tensor> values = arguments(node, on_integers, input);
    if (kept) {
      Tensor sums(node.type);
      kept->run(values[0].values<float>(), sums.values<float>());
      return sums;
    }
    std::vector<const Tensor*> pointers;
    for (const Tensor& value : values) {
      pointers.push_back(&value);
    }
    return float_value(node, pointers);
  });
}

void QuantizedRun::add(NodeId id, const std::vector<float>& bias) {
  reals_->change(id, [&](Tensor& value, std::size_t) { add_bias(value, bias); });
}

void QuantizedRun::quantize(NodeId id) {
  const Quantization* quantization = network_->quantization_of(id);
  if (quantization == nullptr) {
    return;
  }
  steps_->fill(id, [&](std::size_t input) { return to_steps(reals_->at(id, input), *quantization); });
  if (network_->plan().nodes[id].is_on_integers) {
    reals_->release(id);
  }
}

void QuantizedRun::release(NodeId id) {
  reals_->release(id);
  steps_->release(id);
}

}  // namespace fovea
