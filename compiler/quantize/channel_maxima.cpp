// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs the float network and looks at what each Clip reads.
#include "channel_maxima.h"

#include <algorithm>
#include <limits>

#include "ops/operator.h"

namespace fovea {
namespace {

/// Raises `maxima` to what a value [N, C, ...] has.
void raise(std::vector<double>& maxima, const Tensor& value) {
  const auto numbers = value.values<float>();
  const std::size_t channels = maxima.size();
  const std::size_t plane = numbers.size() / channels / static_cast<std::size_t>(value.type().shape[0]);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    double& most = maxima[i / plane % channels];
    most = std::max(most, double{numbers[i]});
  }
}

}  // namespace

bool is_bounded_relu(const Node& node) {
  return is_call(node, "clip") && node.type.shape.size() >= 2 && float_attribute(node, "min", -1) == 0;
}

ChannelMaxima find_channel_maxima(const Graph& graph, const QuantizationPlan& plan,
                                  std::span<const CalibrationInput> inputs, const SayProgress& progress) {
  ChannelMaxima found;
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (is_bounded_relu(graph[id])) {
      const auto channels = static_cast<std::size_t>(graph[id].type.shape[1]);
      found.emplace(id, std::vector<double>(channels, -std::numeric_limits<double>::infinity()));
    }
  }
  if (found.empty()) {
    return found;
  }
  const auto look = [&](NodeId id, const ValueBank& values, std::size_t count) {
    const auto maxima = found.find(id);
    for (std::size_t input = 0; maxima != found.end() && input < count; ++input) {
      raise(maxima->second, values.at(graph[id].inputs[0], input));
    }
  };
  run_float(graph, plan, inputs, look, "equalizing", progress);
  return found;
}

}  // namespace fovea
