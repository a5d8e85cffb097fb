// SPDX-License-Identifier: Apache-2.0
/// \file
/// Evaluates a drawn network, node by node.
#include "network_values.h"

#include <algorithm>
#include <cmath>

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

int64_t window_positions(int64_t size, int64_t kernel, int64_t stride, int64_t pad) {
  return (size + 2 * pad - kernel) / stride + 1;
}

Bytes max_pool(const Bytes& x, const std::vector<int64_t>& shape, const int64_t (&kernel)[2], int64_t stride,
               int64_t pad) {
  const int64_t C = shape[1], H = shape[2], W = shape[3];
  const int64_t E = window_positions(H, kernel[0], stride, pad), F = window_positions(W, kernel[1], stride, pad);
  Bytes out;
  for (int64_t c = 0; c < C; ++c) {
    for (int64_t e = 0; e < E; ++e) {
      for (int64_t f = 0; f < F; ++f) {
        uint8_t best = 0;
        for (int64_t h = std::max<int64_t>(e * stride - pad, 0); h < std::min(e * stride - pad + kernel[0], H); ++h) {
          for (int64_t w = std::max<int64_t>(f * stride - pad, 0); w < std::min(f * stride - pad + kernel[1], W); ++w) {
            best = std::max(best, x[static_cast<std::size_t>((c * H + h) * W + w)]);
          }
        }
        out.push_back(best);
      }
    }
  }
  return out;
}

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
  return node.pool ? max_pool(bytes, unpooled_shape(network, node), {2, 2}, 2, 0) : bytes;
}

Values evaluate_network(const DrawnNetwork& network) {
  Values values;
  for (const DrawnNode& node : network.nodes) {
    values.push_back(evaluate_node(network, node, values));
  }
  return values;
}

}  // namespace fovea
