// SPDX-License-Identifier: Apache-2.0
/// \file
/// A network while it is drawn: random numbers, the values so far, and scales that keep new ones alive.
#pragma once

#include <functional>
#include <optional>
#include <random>

#include "operator_row.h"

namespace fovea {

class NetworkDrawing {
 public:
  NetworkDrawing(uint64_t seed, DrawnScales scales);

  /// Uniform in first to last.
  int64_t between(int64_t first, int64_t last);
  bool one_in(int64_t n) { return between(1, n) == 1; }

  const DrawnNetwork& network() const { return network_; }
  const std::vector<int64_t>& shape(ValueId id) const { return network_.nodes[id].shape; }

  /// A value that fits: a late one or one that nothing reads yet rather than others.
  std::optional<ValueId> pick(const std::function<bool(ValueId)>& fits);
  /// All values that fit.
  std::vector<ValueId> all(const std::function<bool(ValueId)>& fits) const;

  /// A float32 input with its QuantizeLinear.
  ValueId add_input(const std::vector<int64_t>& shape);
  /// A node whose row, inputs, shape and weights are set: gives it a name and, unless it keeps its input's, a scale.
  ValueId add(DrawnNode node);

  /// Gives a node of set shape its weights, which use all of int8 or few bits of it, their scale, and often biases.
  /// \param taps  Products in a sum.
  void draw_weights(DrawnNode& node, int64_t taps);

  /// Values that nothing reads.
  std::vector<ValueId> unread() const;
  void set_outputs(std::vector<ValueId> outputs) { network_.outputs = std::move(outputs); }

 private:
  ValueQuant draw_quant(const DrawnNode& node);
  /// ... at which the row is sure of its answer.
  ValueQuant draw_sure_quant(DrawnNode& node);
  void draw_weight_scales(DrawnNode& node);
  void draw_clip(DrawnNode& node);
  /// Whether the next scale is a power of two.
  bool draws_power_of_two() { return powers_of_two_ == 1 || one_in(powers_of_two_); }
  /// A number from 1 to 2.
  double one_to_two() { return 1 + static_cast<double>(between(0, 1 << 20)) / (1 << 20); }

  std::mt19937_64 source_;
  int64_t powers_of_two_ = 1;  ///< One scale in so many is one.
  DrawnNetwork network_;
  Values values_;
  std::vector<uint32_t> readers_;
};

/// A branch for Add and Concat to join: a convolution that keeps rows and columns, or a fully connected layer.
ValueId draw_branch(NetworkDrawing& drawing, ValueId from, int64_t channels);

/// A Gemm or MatMul of a value [1, C].
ValueId draw_fully_connected(NetworkDrawing& drawing, ValueId from, int64_t outputs);

}  // namespace fovea
