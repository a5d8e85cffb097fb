// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the values of a drawn network hold, by the float32 formulas that ONNX Runtime follows.
#ifndef FOVEA_TESTBENCH_ONNXRUNTIME_NETWORK_VALUES_H_
#define FOVEA_TESTBENCH_ONNXRUNTIME_NETWORK_VALUES_H_

#include "random_network.h"

namespace fovea {

/// What one node makes of the values before it, ReLU and fused pool included.
Bytes evaluate_node(const DrawnNetwork& network, const DrawnNode& node, const Values& values);

/// What every value of a network holds.
Values evaluate_network(const DrawnNetwork& network);

/// scale * (x - zero point).
std::vector<float> dequantize_bytes(const Bytes& bytes, const ValueQuant& quant);

/// round_to_nearest_even(x) + zero_point, within 0 to 255.
uint8_t quantize_outside(float x, int32_t zero_point);

/// What a node's clip lets through, quantized.
std::pair<uint8_t, uint8_t> clip_bytes(const DrawnNode& node);

/// f32(sx * sw) of filter m, the scale of its products.
float product_scale(const DrawnNetwork& network, const DrawnNode& node, std::size_t m);

/// What sums of products with a node's weights stand for, and what they become in its scale.
std::vector<double> real_sums(const DrawnNetwork& network, const DrawnNode& node, const std::vector<int64_t>& sums);
Bytes requantize_sums(const DrawnNetwork& network, const DrawnNode& node, const std::vector<int64_t>& sums);

/// A table for any change of scale and zero point.
Bytes rescale(const Bytes& bytes, const ValueQuant& from, const ValueQuant& to);

/// Maximum under each position of a window on [1, C, H, W]; padding never wins.
Bytes max_pool(const Bytes& x, const std::vector<int64_t>& shape, const int64_t (&kernel)[2], int64_t stride,
               int64_t pad);

/// Positions of a window along an axis.
int64_t window_positions(int64_t size, int64_t kernel, int64_t stride, int64_t pad);

}  // namespace fovea

#endif  // FOVEA_TESTBENCH_ONNXRUNTIME_NETWORK_VALUES_H_
