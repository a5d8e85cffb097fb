// SPDX-License-Identifier: Apache-2.0
/// \file
/// Two runs in step.
#include "compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "mapping/side_by_side.h"

namespace fovea {
namespace {

void add(Noise& to, const Noise& noise) {
  to.signal += noise.signal;
  to.noise += noise.noise;
}

/// Sum of term(0) to term(count - 1), by four sums side by side: one would wait for each addition.
template <typename Term>
double sum_of(std::size_t count, Term term) {
  std::array<double, 4> sums{};
  std::size_t i = 0;
  for (; i + sums.size() <= count; i += sums.size()) {
    for (std::size_t k = 0; k < sums.size(); ++k) {
      sums[k] += term(i + k);
    }
  }
  for (; i < count; ++i) {
    sums[0] += term(i);
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// \param scale  By which `actual` is multiplied.
Noise noise_of(std::span<const float> expected, std::span<const float> actual, float scale) {
  const auto square = [](double x) { return x * x; };
  return {
      sum_of(expected.size(), [&](std::size_t i) { return square(expected[i]); }),
      sum_of(expected.size(), [&](std::size_t i) { return square(double{actual[i] * scale} - double{expected[i]}); })};
}

/// Mean of what `expected` has more than `actual`, a filter each. Both are [N, M, ...].
std::vector<double> mean_difference(const Tensor& expected, const Tensor& actual, std::size_t filters) {
  std::vector<double> sums(filters);
  const auto a = expected.values<float>(), b = actual.values<float>();
  const std::size_t inner = a.size() / static_cast<std::size_t>(expected.type().shape[0]) / filters;
  for (std::size_t first = 0; first < a.size(); first += inner) {
    sums[first / inner % filters] +=
        sum_of(inner, [&](std::size_t i) { return double{a[first + i]} - double{b[first + i]}; });
  }
  for (double& sum : sums) {
    sum *= static_cast<double>(filters) / static_cast<double>(a.size());
  }
  return sums;
}

std::size_t place_of_largest(std::span<const float> values) {
  return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

class SideBySide {
 public:
  SideBySide(QuantizedNetwork& network, bool corrects_bias)
      : network_(network),
        graph_(network.graph()),
        corrects_bias_(corrects_bias),
        floats_(graph_, network.plan()),
        quantized_(network),
        last_(last_readers(graph_, network.plan())) {
    comparison_.nodes.resize(graph_.size());
    comparison_.outputs.resize(graph_.outputs().size());
  }

  void run(std::span<const CalibrationInput> inputs, const SayProgress& progress, const std::string& what) {
    inputs_ = inputs.size();
    floats_.begin(inputs);
    quantized_.begin(inputs);
    for (NodeId id = 0; id < graph_.size(); ++id) {
      floats_.compute(id);
      quantized_.compute(id);
      if (corrects_bias_ && network_.products().contains(id)) {
        correct_bias(id);
      }
      quantized_.quantize(id);
      look_at(id);
      for (NodeId other = 0; other <= id; ++other) {
        if (last_[other] == id) {
          floats_.release(other);
          quantized_.release(other);
        }
      }
      progress(what + std::to_string(id + 1) + " of " + std::to_string(graph_.size()));
    }
    look_at_outputs();
    corrects_bias_ = false;
  }

  FloatComparison result() { return std::move(comparison_); }

 private:
  void correct_bias(NodeId id) {
    const std::vector<float> before = real_biases(id);
    std::vector<double> correction(before.size());
    for (std::size_t input = 0; input < inputs_; ++input) {
      const auto difference =
          mean_difference(floats_.values().at(id, input), quantized_.real(id, input), correction.size());
      for (std::size_t filter = 0; filter < correction.size(); ++filter) {
        correction[filter] += difference[filter] / static_cast<double>(inputs_);
      }
    }
    network_.correct_bias(id, correction);
    std::vector<float> change = real_biases(id);
    for (std::size_t filter = 0; filter < change.size(); ++filter) {
      change[filter] -= before[filter];
    }
    quantized_.add(id, change);
  }

  /// What the integers of a bias stand for.
  std::vector<float> real_biases(NodeId id) const {
    const QuantizedProduct& product = network_.products().at(id);
    std::vector<float> biases;
    for (std::size_t filter = 0; filter < product.bias_steps.size(); ++filter) {
      biases.push_back(static_cast<float>(product.bias_steps[filter]) * network_.bias_scale(product, filter));
    }
    return biases;
  }

  void look_at(NodeId id) {
    const bool is_made_quantized = network_.plan().nodes[id].is_on_integers || graph_[id].kind == NodeKind::kInput;
    if (network_.quantization_of(id) == nullptr || !is_made_quantized) {
      return;
    }
    std::vector<Noise> noises(inputs_);
    run_side_by_side(inputs_, [&](std::size_t input, std::size_t) {
      noises[input] = noise_of(floats_.values().at(id, input).values<float>(),
                               quantized_.steps(id, input).values<float>(), network_.quantization_of(id)->scale());
    });
    for (const Noise& noise : noises) {
      add(comparison_.nodes[id], noise);
    }
  }

  void look_at_outputs() {
    for (std::size_t i = 0; i < graph_.outputs().size(); ++i) {
      const NodeId id = graph_.outputs()[i];
      if (graph_[id].type.element != ElementType::kFloat32) {
        continue;
      }
      for (std::size_t input = 0; input < inputs_; ++input) {
        const Tensor actual = quantized_.seen(id, input);
        const auto expected = floats_.values().at(id, input).values<float>();
        add(comparison_.outputs[i].noise, noise_of(expected, actual.values<float>(), 1));
        comparison_.outputs[i].same_largest +=
            place_of_largest(expected) == place_of_largest(actual.values<float>()) ? 1 : 0;
      }
    }
  }

  QuantizedNetwork& network_;
  const Graph& graph_;
  bool corrects_bias_;
  FloatRun floats_;
  QuantizedRun quantized_;
  std::vector<NodeId> last_;
  std::size_t inputs_ = 0;
  FloatComparison comparison_;
};

}  // namespace

double Noise::decibels() const {
  return noise == 0 ? std::numeric_limits<double>::infinity() : 10 * std::log10(signal / noise);
}

FloatComparison compare_with_float(QuantizedNetwork& network, std::span<const CalibrationInput> inputs,
                                   bool corrects_bias, const SayProgress& progress) {
  const std::size_t together = inputs_at_a_time(network.graph(), network.plan());
  SideBySide both(network, corrects_bias);
  for (std::size_t first = 0; first < inputs.size(); first += together) {
    const auto part = inputs.subspan(first, std::min(together, inputs.size() - first));
    both.run(part, progress,
             "comparing: inputs up to " + std::to_string(first + part.size()) + " of " + std::to_string(inputs.size()) +
                 ", node ");
  }
  return both.result();
}

}  // namespace fovea
