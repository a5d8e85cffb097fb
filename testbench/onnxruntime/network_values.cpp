// SPDX-License-Identifier: Apache-2.0
/// \file
/// Evaluates a drawn network, node by node.
#include "network_values.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "operator_row.h"

namespace fovea {

uint8_t quantize_outside(float x, int32_t zero_point) {
  return static_cast<uint8_t>(std::clamp(std::nearbyint(x) + static_cast<float>(zero_point), 0.0F, 255.0F));
}

std::vector<float> dequantize_bytes(const Bytes& bytes, const ValueQuant& quant) {
  std::vector<float> reals;
  for (const uint8_t byte : bytes) {
    reals.push_back(quant.scale * static_cast<float>(byte - quant.zero_point));
  }
  return reals;
}

Bytes rescale(const Bytes& bytes, const ValueQuant& from, const ValueQuant& to) {
  Bytes rescaled;
  for (const float real : dequantize_bytes(bytes, from)) {
    rescaled.push_back(quantize_outside(real / to.scale, to.zero_point));
  }
  return rescaled;
}

float product_scale(const DrawnNetwork& network, const DrawnNode& node, std::size_t m) {
  return network.nodes[node.inputs[0]].quant.scale * node.weight_scales[m % node.weight_scales.size()];
}

std::vector<double> real_sums(const DrawnNetwork& network, const DrawnNode& node, const std::vector<int64_t>& sums) {
  const std::size_t filter_sums = sums.size() / static_cast<std::size_t>(node.shape[1]);
  std::vector<double> reals;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    reals.push_back(static_cast<double>(sums[i]) * static_cast<double>(product_scale(network, node, i / filter_sums)));
  }
  return reals;
}

Bytes requantize_sums(const DrawnNetwork& network, const DrawnNode& node, const std::vector<int64_t>& sums) {
  const std::size_t filter_sums = sums.size() / static_cast<std::size_t>(node.shape[1]);
  Bytes bytes;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const float scale = product_scale(network, node, i / filter_sums) / node.quant.scale;
    bytes.push_back(quantize_outside(static_cast<float>(sums[i]) * scale, node.quant.zero_point));
  }
  return bytes;
}

int64_t window_positions(int64_t size, const DrawnWindow& window, int axis) {
  const int64_t before = window.pads[axis], padded = size + before + window.pads[axis + 2];
  const int64_t free = padded - window.dilations[axis] * (window.kernel[axis] - 1) - 1, stride = window.strides[axis];
  if (free < 0) {
    return 0;
  }
  const int64_t whole = free / stride + 1;
  const bool has_rest = window.ceil_mode && free % stride != 0 && whole * stride < size + before;
  return whole + (has_rest ? 1 : 0);
}

bool leaves_out_window(const DrawnWindow& window, int64_t size, int axis) {
  const int64_t free =
      size + window.pads[axis] + window.pads[axis + 2] - window.dilations[axis] * (window.kernel[axis] - 1) - 1;
  const int64_t stride = window.strides[axis];
  return (free + stride - 1) / stride + 1 != window_positions(size, window, axis);
}

std::vector<int64_t> windowed_shape(const std::vector<int64_t>& x, int64_t channels, const DrawnWindow& window) {
  return {1, channels, window_positions(x[2], window, 0), window_positions(x[3], window, 1)};
}

std::vector<std::size_t> covered(const DrawnWindow& window, int64_t e, int64_t f, int64_t H, int64_t W) {
  std::vector<std::size_t> places;
  for (int64_t r = 0; r < window.kernel[0]; ++r) {
    for (int64_t s = 0; s < window.kernel[1]; ++s) {
      const int64_t h = e * window.strides[0] - window.pads[0] + r * window.dilations[0];
      const int64_t w = f * window.strides[1] - window.pads[1] + s * window.dilations[1];
      if (h >= 0 && h < H && w >= 0 && w < W) {
        places.push_back(static_cast<std::size_t>(h * W + w));
      }
    }
  }
  return places;
}

template <typename T>
std::vector<T> max_pool(const std::vector<T>& x, const std::vector<int64_t>& shape, const DrawnWindow& window) {
  const std::vector<int64_t> out_shape = windowed_shape(shape, shape[1], window);
  const auto plane = static_cast<std::size_t>(shape[2] * shape[3]);
  std::vector<T> out;
  for (std::size_t c = 0; c < static_cast<std::size_t>(shape[1]); ++c) {
    for (int64_t e = 0; e < out_shape[2]; ++e) {
      for (int64_t f = 0; f < out_shape[3]; ++f) {
        out.push_back(std::numeric_limits<T>::lowest());
        for (const std::size_t place : covered(window, e, f, shape[2], shape[3])) {
          out.back() = std::max(out.back(), x[c * plane + place]);
        }
      }
    }
  }
  return out;
}

template Bytes max_pool(const Bytes& x, const std::vector<int64_t>& shape, const DrawnWindow& window);
template std::vector<double> max_pool(const std::vector<double>& x, const std::vector<int64_t>& shape,
                                      const DrawnWindow& window);

std::pair<uint8_t, uint8_t> clip_bytes(const DrawnNode& node) {
  const auto quantized = [&](float bound) { return quantize_outside(bound / node.quant.scale, node.quant.zero_point); };
  return {quantized(node.clip->first), quantized(node.clip->second)};
}

Bytes evaluate_node(const DrawnNetwork& network, const DrawnNode& node, const Values& values) {
  Bytes bytes = node.row->evaluate(network, node, values);
  if (node.relu) {
    for (uint8_t& byte : bytes) {
      byte = std::max(byte, static_cast<uint8_t>(node.quant.zero_point));
    }
  }
  if (node.clip) {
    const auto [low, high] = clip_bytes(node);
    for (uint8_t& byte : bytes) {
      byte = std::clamp(byte, low, high);
    }
  }
  return node.pool ? max_pool(bytes, unpooled_shape(network, node), node.pool_window) : bytes;
}

Values evaluate_network(const DrawnNetwork& network) {
  Values values;
  for (const DrawnNode& node : network.nodes) {
    values.push_back(evaluate_node(network, node, values));
  }
  return values;
}

}  // namespace fovea
