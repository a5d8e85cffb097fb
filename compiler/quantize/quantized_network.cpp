// SPDX-License-Identifier: Apache-2.0
/// \file
/// Rounds weights and biases.
#include "quantized_network.h"

#include <algorithm>
#include <cmath>

#include "choose_scale.h"
#include "mapping/side_by_side.h"
#include "ops/operator.h"

namespace fovea {
namespace {

/// Biases are below this many steps: sums of them and of the products stay near what a float32 holds exactly.
constexpr double kMostBiasSteps = 1 << 23;

std::size_t filters_of(const Tensor& weight) { return static_cast<std::size_t>(weight.type().shape[0]); }

}  // namespace

QuantizedNetwork::QuantizedNetwork(const Graph& graph, const QuantizationPlan& plan, const QuantizeOptions& options)
    : graph_(&graph), plan_(&plan), options_(&options) {
  std::vector<QuantizedProduct*> all;
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (const auto found = product_ending_at(graph, plan, id)) {
      QuantizedProduct product;
      product.product = *found;
      product.has_bias = *found != id;
      const Tensor& weight = *graph[graph[*found].inputs[1]].constant;
      product.bias.resize(filters_of(weight));
      if (product.has_bias) {
        const auto bias = graph[graph[id].inputs[1]].constant->values<float>();
        product.bias.assign(bias.begin(), bias.end());
      }
      all.push_back(&products_.emplace(id, std::move(product)).first->second);
    }
  }
  run_side_by_side(all.size(), [&](std::size_t i, std::size_t) {
    const auto weights = graph[graph[all[i]->product].inputs[1]].constant->values<float>();
    const std::size_t count = options.is_per_channel ? all[i]->bias.size() : 1, taps = weights.size() / count;
    for (std::size_t filter = 0; filter < count; ++filter) {
      all[i]->chosen_scales.push_back(choose_weight_scale(weights.subspan(filter * taps, taps), 0, options));
    }
  });
}

float QuantizedNetwork::input_scale(const QuantizedProduct& product) const {
  return quantization_of((*graph_)[product.product].inputs[0])->scale();
}

float QuantizedNetwork::bias_scale(const QuantizedProduct& product, std::size_t filter) const {
  return input_scale(product) * product.weight_scale(filter);
}

void QuantizedNetwork::round_bias(QuantizedProduct& product) const {
  product.bias_steps.clear();
  for (std::size_t filter = 0; filter < product.bias.size(); ++filter) {
    const double steps = std::nearbyint(product.bias[filter] / double{bias_scale(product, filter)});
    product.bias_steps.push_back(static_cast<int32_t>(std::clamp(steps, -2.0 * kMostBiasSteps, 2.0 * kMostBiasSteps)));
  }
}

void QuantizedNetwork::make_integers(QuantizedProduct& product) const {
  const auto weights = (*graph_)[(*graph_)[product.product].inputs[1]].constant->values<float>();
  product.scales = product.chosen_scales;
  for (std::size_t filter = 0; filter < product.bias.size(); ++filter) {
    float& scale = product.scales[product.scales.size() == 1 ? 0 : filter];
    const double least = std::abs(double{product.bias[filter]}) / (double{input_scale(product)} * kMostBiasSteps);
    if (least > double{scale}) {
      scale = choose_weight_scale({}, static_cast<float>(least), *options_);
    }
  }
  const std::size_t taps = weights.size() / product.bias.size();
  product.weights.resize(weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const float steps = std::nearbyint(weights[i] / product.weight_scale(i / taps));
    product.weights[i] = static_cast<int8_t>(std::clamp(steps, -127.0F, 127.0F));
  }
  round_bias(product);
}

void QuantizedNetwork::set_scales(std::vector<Quantization> scales) {
  scales_ = std::move(scales);
  for (auto& [end, product] : products_) {
    make_integers(product);
  }
}

void QuantizedNetwork::correct_bias(NodeId end, const std::vector<double>& correction) {
  QuantizedProduct& product = products_.at(end);
  for (std::size_t filter = 0; filter < product.bias.size(); ++filter) {
    product.bias[filter] = static_cast<float>(product.bias[filter] + correction[filter]);
  }
  round_bias(product);
}

const Quantization* QuantizedNetwork::quantization_of(NodeId id) const {
  const auto scale = plan_->nodes[id].scale;
  return scale ? &scales_.at(*scale) : nullptr;
}

Tensor to_steps(const Tensor& reals, const Quantization& quantization) {
  Tensor steps(reals.type());
  const auto from = reals.values<float>();
  const auto to = steps.values<float>();
  const float scale = quantization.scale();
  const auto least = static_cast<float>(least_integer(quantization.element) - quantization.zero_point());
  const float most = least + 255;
  constexpr float kToInteger = 0x1.8p23F;  // Beside it a float32 has no fraction: adding it rounds to nearest, even.
  for (std::size_t i = 0; i < to.size(); ++i) {
    const float steps_exactly = from[i] / scale;
    const float clamped = steps_exactly < least ? least : steps_exactly > most ? most : steps_exactly;
    to[i] = (clamped + kToInteger) - kToInteger;
  }
  return steps;
}

Tensor to_reals(const Tensor& steps, const Quantization& quantization) {
  Tensor reals(steps.type());
  const auto from = steps.values<float>();
  const auto to = reals.values<float>();
  const float scale = quantization.scale();
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i] = from[i] * scale;
  }
  return reals;
}

}  // namespace fovea
