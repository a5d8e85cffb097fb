// SPDX-License-Identifier: Apache-2.0
/// \file
/// The IR's meaning: computes values from constants, operator by operator.
#pragma once

#include <optional>
#include <vector>

#include "graph.h"
#include "tensor/tensor.h"

namespace fovea {

/// Counts what values that are computed from constants take, so that a small file takes little memory and time.
class ConstantBudget {
 public:
  /// Bytes that may be computed from few: 16 MiB. From more, four times as many as there are.
  static constexpr std::size_t kLeastBytes = std::size_t{16} << 20, kTimes = 4;
  /// Steps, as count_steps() has them, from few constants: 2^23. From more, 256 for each of their elements.
  static constexpr std::size_t kLeastSteps = std::size_t{1} << 23, kStepsEach = 256;

  /// A constant that values are computed from.
  void add_given(const Node& constant);
  /// A value that is computed next. \throws UserError naming the call where that is too much.
  void add_computed(const Node& call, const std::vector<const Tensor*>& inputs);

 private:
  std::size_t bytes_ = 0, most_bytes_ = kLeastBytes;
  double steps_ = 0, most_steps_ = kLeastSteps;
};

/// Runs a graph, functions included. Slow and plain: for tests and small constants.
/// \param arguments  One tensor an input of the graph, of its type.   \return One tensor an output.
std::vector<Tensor> evaluate(const Graph& graph, const std::vector<Tensor>& arguments);

/// Value of one node where Graph::is_constant() holds; nothing elsewhere.
/// \throws UserError where computing it takes more than ConstantBudget allows.
std::optional<Tensor> evaluate_constant(const Graph& graph, NodeId id);

}  // namespace fovea
