// SPDX-License-Identifier: Apache-2.0
/// \file
/// One scale at a time.
#include "choose_scales.h"

#include <algorithm>

#include "choose_scale.h"
#include "compare.h"

namespace fovea {
namespace {

constexpr std::size_t kMostInputs = 16;  ///< On which methods are tried.

/// Of all outputs, noise beside signal.
double output_noise(QuantizedNetwork& network, std::span<const CalibrationInput> inputs) {
  double sum = 0;
  for (const OutputAgreement& output : compare_with_float(network, inputs, false, [](const std::string&) {}).outputs) {
    sum += output.noise.signal == 0 ? 0 : output.noise.noise / output.noise.signal;
  }
  return sum;
}

}  // namespace

std::vector<Calibration> choose_scales(QuantizedNetwork& network, const std::vector<Histogram>& seen,
                                       std::span<const CalibrationInput> inputs, const QuantizeOptions& options,
                                       const SayProgress& progress) {
  const bool is_best = options.calibration == Calibration::kBest;
  std::vector<Calibration> methods(seen.size(), is_best ? Calibration::kMse : options.calibration);
  std::vector<Quantization> scales;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    scales.push_back(choose_activation_scale(seen[i], methods[i], options));
  }
  network.set_scales(scales);
  if (!is_best) {
    return methods;
  }
  const auto few = inputs.first(std::min(kMostInputs, inputs.size()));
  double least = output_noise(network, few);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    progress("choosing methods: scale " + std::to_string(i + 1) + " of " + std::to_string(seen.size()));
    for (const Calibration method : {Calibration::kMinMax, Calibration::kPercentile}) {
      std::vector<Quantization> others = scales;
      others[i] = choose_activation_scale(seen[i], method, options);
      if (others[i] == scales[i]) {
        continue;
      }
      network.set_scales(others);
      if (const double noise = output_noise(network, few); noise < least) {
        least = noise;
        scales = others;
        methods[i] = method;
      }
    }
  }
  network.set_scales(scales);
  return methods;
}

}  // namespace fovea
