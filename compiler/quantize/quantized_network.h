// SPDX-License-Identifier: Apache-2.0
/// \file
/// A float network with the numbers that make it a quantized one: scales, integer weights and biases.
#pragma once

#include <map>
#include <vector>

#include "ir/quantization.h"
#include "plan.h"

namespace fovea {

/// A convolution or fully connected layer on integers.
struct QuantizedProduct {
  NodeId product;                    ///< nn.conv2d or nn.dense.
  std::vector<float> chosen_scales;  ///< Of its weights, by the weights alone: one, or one a filter.
  std::vector<float> scales;         ///< ... large enough for the bias too.
  std::vector<float> bias;           ///< A real number a filter, [M]; 0 where there is no bias.
  bool has_bias = false;

  std::vector<int8_t> weights;      ///< As the float ones.
  std::vector<int32_t> bias_steps;  ///< At bias_scale().

  float weight_scale(std::size_t filter) const { return scales[scales.size() == 1 ? 0 : filter]; }
};

class QuantizedNetwork {
 public:
  /// Chooses the scales of weights. What is referred to must stay.
  QuantizedNetwork(const Graph& graph, const QuantizationPlan& plan, const QuantizeOptions& options);

  /// Takes scales of activations, one for each of the plan's; makes integers of weights and biases.
  void set_scales(std::vector<Quantization> scales);
  const std::vector<Quantization>& scales() const { return scales_; }

  /// Adds to the real bias of a product, a number a filter. \param end  The node that ends it.
  void correct_bias(NodeId end, const std::vector<double>& correction);

  const Graph& graph() const { return *graph_; }
  const QuantizationPlan& plan() const { return *plan_; }
  /// By the nodes that end them.
  const std::map<NodeId, QuantizedProduct>& products() const { return products_; }

  /// The scale of a value; nothing where it stays float.
  const Quantization* quantization_of(NodeId id) const;
  /// What a step of a bias is: input scale times weight scale, in float32.
  float bias_scale(const QuantizedProduct& product, std::size_t filter) const;

 private:
  void make_integers(QuantizedProduct& product) const;
  void round_bias(QuantizedProduct& product) const;
  float input_scale(const QuantizedProduct& product) const;

  const Graph* graph_;
  const QuantizationPlan* plan_;
  const QuantizeOptions* options_;
  std::vector<Quantization> scales_;
  std::map<NodeId, QuantizedProduct> products_;
};

/// Real numbers as steps of a scale less the zero point, by QuantizeLinear's rule; steps are small integers as float32.
Tensor to_steps(const Tensor& reals, const Quantization& quantization);

/// Steps as real numbers again.
Tensor to_reals(const Tensor& steps, const Quantization& quantization);

}  // namespace fovea
