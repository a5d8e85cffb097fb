// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the values of a drawn network hold, by the float32 formulas that ONNX Runtime follows.
#pragma once

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

/// Places in a plane of H by W that a window covers at one position, row by row; without the padding.
std::vector<std::size_t> covered(const DrawnWindow& window, int64_t e, int64_t f, int64_t H, int64_t W);

/// Maximum under each position of a window on [1, C, H, W], of bytes or real numbers; padding never wins.
template <typename T>
std::vector<T> max_pool(const std::vector<T>& x, const std::vector<int64_t>& shape, const DrawnWindow& window);

/// Positions of a window along rows (axis 0) or columns (axis 1).
int64_t window_positions(int64_t size, const DrawnWindow& window, int axis);

/// Whether ceil_mode leaves out a last window that starts in the padding: ONNX Runtime's kernels do, its shape
/// inference does not.
bool leaves_out_window(const DrawnWindow& window, int64_t size, int axis);

/// [1, channels, E, F] of a window on `x`; zero or less where it does not fit.
std::vector<int64_t> windowed_shape(const std::vector<int64_t>& x, int64_t channels, const DrawnWindow& window);

}  // namespace fovea
