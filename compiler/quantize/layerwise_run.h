// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs a network on many inputs, each node on all of them before the next: as float, or as it is quantized.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "product.h"
#include "quantized_network.h"

namespace fovea {

/// One tensor an input of the network.
using CalibrationInput = std::vector<Tensor>;

/// Called with what is being done, for a person who waits.
using SayProgress = std::function<void(const std::string& text)>;

/// For each node, the last node whose computation needs its value; itself where none does.
std::vector<NodeId> last_readers(const Graph& graph, const QuantizationPlan& plan);

/// Inputs that fit into 1 GiB together, where a float value and a quantized one of each are held as long as needed.
std::size_t inputs_at_a_time(const Graph& graph, const QuantizationPlan& plan);

/// The values of some nodes on some inputs.
class ValueBank {
 public:
  ValueBank(const Graph& graph, std::size_t inputs) : graph_(&graph), values_(graph.size()), inputs_(inputs) {}
  bool has(NodeId id) const { return !values_[id].empty(); }
  /// Of a constant, the one value that it has.
  const Tensor& at(NodeId id, std::size_t input) const;
  /// Computes the value of a node for every input, side by side.
  void fill(NodeId id, const std::function<Tensor(std::size_t input)>& compute);
  void change(NodeId id, const std::function<void(Tensor& value, std::size_t input)>& change);
  void release(NodeId id) { values_[id] = {}; }

 private:
  const Graph* graph_;
  std::vector<std::vector<Tensor>> values_;
  std::size_t inputs_;
};

/// The float network. Nodes are computed in order; a product and its bias in one, under the bias.
class FloatRun {
 public:
  FloatRun(const Graph& graph, const QuantizationPlan& plan);
  void begin(std::span<const CalibrationInput> inputs);
  void compute(NodeId id);
  const ValueBank& values() const { return *bank_; }
  void release(NodeId id) { bank_->release(id); }

 private:
  const Graph* graph_;
  const QuantizationPlan* plan_;
  std::map<NodeId, PackedProduct> products_;  ///< By the nodes that end them.
  std::span<const CalibrationInput> inputs_;
  std::optional<ValueBank> bank_;
};

/// Runs the float network on all inputs, as many together as fit. \param look  Called with each node once it is
/// computed, in order, and how many inputs `values` has. \param doing  What progress() says of it.
void run_float(const Graph& graph, const QuantizationPlan& plan, std::span<const CalibrationInput> inputs,
               const std::function<void(NodeId id, const ValueBank& values, std::size_t inputs)>& look,
               const std::string& doing, const SayProgress& progress);

/// The quantized network: integers where it has them. Sums of products are exact up to 2^24; where ONNX Runtime's one
/// rounding to an integer is at a tie, this may be a step apart.
class QuantizedRun {
 public:
  explicit QuantizedRun(const QuantizedNetwork& network) : network_(&network) {}
  void begin(std::span<const CalibrationInput> inputs);
  /// Before it is quantized.
  void compute(NodeId id);
  void quantize(NodeId id);
  const Tensor& real(NodeId id, std::size_t input) const { return reals_->at(id, input); }
  /// Adds to what a product makes, a number a filter, before it is quantized.
  void add(NodeId id, const std::vector<float>& bias);
  /// The value's integers, less the zero point. \pre It has a scale.
  const Tensor& steps(NodeId id, std::size_t input) const { return steps_->at(id, input); }
  /// The value as its integers say. \pre It has a scale.
  Tensor dequantized(NodeId id, std::size_t input) const {
    return to_reals(steps_->at(id, input), *network_->quantization_of(id));
  }
  /// The value that nodes which read it as float see.
  Tensor seen(NodeId id, std::size_t input) const;
  void release(NodeId id);

 private:
  Tensor run_product(NodeId end, const PackedProduct& product, std::size_t input) const;
  std::vector<Tensor> arguments(const Node& node, bool on_integers, std::size_t input) const;

  const QuantizedNetwork* network_;
  std::span<const CalibrationInput> inputs_;
  std::optional<ValueBank> reals_, steps_;
};

}  // namespace fovea
