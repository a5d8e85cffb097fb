// SPDX-License-Identifier: Apache-2.0
/// \file
/// Convolutions and fully connected layers in float32, fast enough for many calibration inputs.
#pragma once

#include <span>
#include <vector>

#include "ir/graph.h"
#include "ops/window.h"

namespace fovea {

/// An nn.conv2d or nn.dense with its weights, packed once for many inputs. Sums are of float32, each in the order of
/// the taps: exact where all are integers below 2^24, which quantized values and weights are.
class PackedProduct {
 public:
  /// \param input, weight  Types of the call's.   \param weights  [M, C / groups, R, S] or [M, C], as float32.
  PackedProduct(const Node& call, const TensorType& input, const TensorType& weight, std::span<const float> weights);

  /// y = x * w. \param x  As the input's type.   \param y  As the call's.
  void run(std::span<const float> x, std::span<float> y) const;

 private:
  void run_group(const float* x, int64_t group, float* y) const;
  void run_channelwise(const float* x, int64_t group, float* y) const;
  void pack(const float* x, int64_t first, float* packed) const;

  bool is_dense_ = false;
  int64_t batch_ = 1, groups_ = 1;
  int64_t channels_ = 1, filters_ = 1;  ///< Of a group.
  int64_t rows_ = 1, columns_ = 1;      ///< Of the input.
  int64_t out_rows_ = 1, out_columns_ = 1;
  int64_t depth_ = 1;  ///< Products in a sum.
  Window window_;
  std::vector<float> weights_;  ///< As given; of a dense in panels.
};

/// c [rows, columns] = a [rows, depth] * b [depth, columns], all dense.
void multiply_matrices(const float* a, const float* b, int64_t rows, int64_t depth, int64_t columns, float* c);

}  // namespace fovea
