// SPDX-License-Identifier: Apache-2.0
/// \file
/// Networks of one operator whose scales, zero points and accumulators are at their edges, with ties by construction.
#include <cmath>
#include <random>
#include <stdexcept>

#include "network_values.h"
#include "operator_row.h"
#include "random_network.h"

namespace fovea {
namespace {

constexpr int64_t kFilters = 32;

struct Edge {
  ValueQuant x, y;
  const OperatorRow* row;
};

DrawnNode input_of(const Edge& edge) {
  DrawnNode input;
  input.row = &kInputRow;
  input.name = "input_0";
  input.shape = edge.row == &kConvRow ? std::vector<int64_t>{1, 4, 2, 2} : std::vector<int64_t>{1, 16};
  input.quant = edge.x;
  for (int i = 0; i < 16; ++i) {
    const float step = static_cast<float>(i * 17) + (i % 2 == 0 ? 0.5F : 0.25F);
    input.data.push_back((step - static_cast<float>(edge.x.zero_point)) * edge.x.scale);
  }
  return input;
}

/// Weights, and biases that take every second filter's accumulators above 2^24.
void set_weights(DrawnNode& node, int64_t taps, std::mt19937_64& random) {
  for (int64_t i = 0; i < kFilters * taps; ++i) {
    node.weights.push_back(static_cast<int8_t>(random() % 255) - 127);
  }
  for (int64_t m = 0; m < kFilters; ++m) {
    const auto bias = static_cast<int32_t>(m % 2 == 0 ? random() % 5000 : (1 << 24) + random() % (1 << 29));
    node.biases.push_back(m % 4 < 2 ? bias : -bias);
  }
}

/// The weight scale, of those next to it, at which an accumulator becomes exactly a tie; 0 where there is none.
float scale_of_tie(int64_t acc, double tie, const Edge& edge) {
  auto scale = static_cast<float>(tie / static_cast<double>(acc) * static_cast<double>(edge.y.scale) /
                                  static_cast<double>(edge.x.scale));
  for (int i = 0; i < 8; ++i) {
    scale = std::nextafter(scale, 0.0F);
  }
  for (int i = 0; i < 16; ++i, scale = std::nextafter(scale, INFINITY)) {
    const float steps = static_cast<float>(acc) * (edge.x.scale * scale / edge.y.scale);
    if (static_cast<double>(steps) == tie) {
      return scale;
    }
  }
  return 0;
}

DrawnNetwork edge_network(const Edge& edge, uint64_t seed) {
  std::mt19937_64 random(seed);
  DrawnNetwork network;
  network.nodes = {input_of(edge)};
  DrawnNode node;
  node.row = edge.row;
  node.name = std::string(edge.row->name) + "_1";
  node.inputs = {0};
  node.shape = network.nodes[0].shape;
  node.shape[1] = kFilters;
  node.quant = edge.y;
  set_weights(node, network.nodes[0].shape[1], random);
  // At a scale of 1 the results are accumulators, but for the input's scale.
  const std::vector<double> reals = edge.row->reals(network, node, evaluate_network(network));
  const std::size_t filter_sums = reals.size() / kFilters;
  std::vector<float> scales;
  std::size_t ties = 0;
  for (std::size_t m = 0; m < kFilters; ++m) {
    const auto acc = static_cast<int64_t>(std::llround(reals[m * filter_sums] / static_cast<double>(edge.x.scale)));
    const double tie = static_cast<double>(random() % 200) + 0.5;
    const float scale = acc == 0 ? 0 : scale_of_tie(acc, acc < 0 ? -tie : tie, edge);
    ties += scale != 0 ? 1 : 0;
    scales.push_back(scale != 0 ? scale : edge.y.scale / edge.x.scale / 1024);
  }
  if (ties < kFilters / 2) {
    throw std::logic_error("only " + std::to_string(ties) + " filters of an edge network have a tie");
  }
  node.weight_scales = scales;
  network.nodes.push_back(std::move(node));
  network.outputs = {1};
  return network;
}

}  // namespace

std::vector<DrawnNetwork> edge_networks() {
  std::vector<DrawnNetwork> networks;
  for (const OperatorRow* row : {&kConvRow, &kGemmRow}) {
    for (const float x : {1e-6F, 0.3F, 1e6F}) {
      for (const float y : {1e-6F, 1e6F}) {
        for (const int zero_point : {0, 128, 255}) {
          networks.push_back(edge_network({{x, 255 - zero_point}, {y, zero_point}, row}, networks.size()));
        }
      }
    }
  }
  return networks;
}

}  // namespace fovea
