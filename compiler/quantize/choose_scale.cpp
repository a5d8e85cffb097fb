// SPDX-License-Identifier: Apache-2.0
/// \file
/// Tries ranges, or powers of two.
#include "choose_scale.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fovea {
namespace {

constexpr double kSteps = 255;       ///< Between the ends of an 8-bit type.
constexpr double kMostWeight = 127;  ///< Weights are -127 to 127.

struct Range {
  double least = 0, most = 0;
};

/// The least scale whose steps reach `magnitude`, half a step beyond the last included, as rounding goes there.
double power_of_two_over(double magnitude, double steps) {
  return std::exp2(std::ceil(std::log2(magnitude / (steps + 0.5))));
}

/// Scales are numbers that a float32 holds well, whatever was seen.
float as_scale(double scale) {
  return static_cast<float>(std::clamp(scale, 0x1p-100, double{std::numeric_limits<float>::max()}));
}

/// \pre range.least <= 0 <= range.most.
Quantization quantization_of(Range range, double scale, ElementType element) {
  const float rounded = as_scale(scale);
  const double zero = std::nearbyint(std::clamp(-range.least / double{rounded}, 0.0, kSteps));
  return per_tensor(element, rounded, least_integer(element) + static_cast<int64_t>(zero));
}

/// Where there is nothing but 0.
bool is_empty(Range range) { return range.most - range.least <= 0; }

Quantization of_range(Range range, const QuantizeOptions& options) {
  const double size = is_empty(range) ? kSteps : range.most - range.least;
  const double scale = options.scales == ScaleForm::kAny ? size / kSteps : power_of_two_over(size, kSteps);
  return quantization_of(range, scale, options.activations);
}

/// To the nearest integer, ties to even. \pre |x| < 2^51.
double rounded(double x) {
  constexpr double kToInteger = 0x1.8p52;  // Beside it a double has no fraction.
  return (x + kToInteger) - kToInteger;
}

/// Mean squared error over bins.
double error_over(const std::vector<Histogram::Bin>& bins, const Quantization& quantization) {
  const double scale = quantization.scale();
  const double least = static_cast<double>(least_integer(quantization.element) - quantization.zero_point());
  double sum = 0, count = 0;
  for (const Histogram::Bin& bin : bins) {
    const double step = rounded(std::clamp(bin.value / scale, least, least + kSteps));
    const double apart = step * scale - bin.value;
    sum += apart * apart * bin.count;
    count += bin.count;
  }
  return sum / std::max(count, 1.0);
}

/// The best of many.
class Trial {
 public:
  explicit Trial(const Histogram& seen) : bins_(seen.bins()) {}
  /// \return whether it is better than all before.
  bool take(const Quantization& quantization) {
    const double error = error_over(bins_, quantization);
    const bool is_better = error < error_;
    if (is_better) {
      error_ = error;
      best_ = quantization;
    }
    return is_better;
  }
  const Quantization& best() const { return best_; }

 private:
  std::vector<Histogram::Bin> bins_;
  double error_ = std::numeric_limits<double>::infinity();
  Quantization best_;
};

constexpr int kLeastPercent = 20;  ///< Of the whole range, in trials.

/// Both ends drawn in together, then either by itself.
Quantization of_least_error_any(Range whole, const Histogram& seen, const QuantizeOptions& options) {
  Trial trial(seen);
  Range best = whole;
  const auto search = [&](double least_moves, double most_moves) {
    const Range from = best;
    for (int percent = 100; percent >= kLeastPercent; --percent) {
      const double part = percent / 100.0;
      const Range range{from.least * (1 + least_moves * (part - 1)), from.most * (1 + most_moves * (part - 1))};
      if (trial.take(of_range(range, options))) {
        best = range;
      }
    }
  };
  search(1, 1);
  if (whole.least < 0 && whole.most > 0) {
    search(1, 0);
    search(0, 1);
  }
  return trial.best();
}

constexpr int kHalvings = 4;  ///< Of the scale that reaches everything, in trials.

/// The scale that reaches both ends, and smaller ones, which cut off a part of each.
Quantization of_least_error_power(Range whole, const Histogram& seen, const QuantizeOptions& options) {
  Trial trial(seen);
  double scale = power_of_two_over(whole.most - whole.least, kSteps);
  for (int i = 0; i <= kHalvings; ++i, scale /= 2) {
    const double part = std::min(1.0, scale * kSteps / (whole.most - whole.least));
    trial.take(quantization_of({whole.least * part, whole.most * part}, scale, options.activations));
    trial.take(quantization_of(whole, scale, options.activations));
    trial.take(quantization_of({std::min(0.0, whole.most - kSteps * scale), 0}, scale, options.activations));
  }
  return trial.best();
}

constexpr int kWeightPercents = 50, kWeightHalvings = 3;  ///< By which scales of weights are tried below the largest.

double weight_error(std::span<const float> weights, double scale) {
  double sum = 0;
  for (const float weight : weights) {
    const double step = rounded(std::clamp(weight / scale, -kMostWeight, kMostWeight));
    sum += (step * scale - weight) * (step * scale - weight);
  }
  return sum;
}

}  // namespace

int64_t least_integer(ElementType element) { return range_of(element).first; }

Quantization choose_activation_scale(const Histogram& seen, Calibration method, const QuantizeOptions& options) {
  Range range{std::min(0.0, double{seen.least()}), std::max(0.0, double{seen.most()})};
  if (method == Calibration::kPercentile) {
    const double outside = (1 - options.percentile / 100) / 2;
    range = {std::min(0.0, seen.quantile(outside)), std::max(0.0, seen.quantile(1 - outside))};
  }
  if (method != Calibration::kMse || is_empty(range)) {
    return of_range(range, options);
  }
  return options.scales == ScaleForm::kAny ? of_least_error_any(range, seen, options)
                                           : of_least_error_power(range, seen, options);
}

double quantization_error(const Histogram& seen, const Quantization& quantization) {
  return error_over(seen.bins(), quantization);
}

float choose_weight_scale(std::span<const float> weights, float least, const QuantizeOptions& options) {
  double most = 0;
  for (const float weight : weights) {
    most = std::max(most, std::abs(double{weight}));
  }
  const bool is_any = options.scales == ScaleForm::kAny;
  const double whole = most == 0 ? 1 : is_any ? most / kMostWeight : power_of_two_over(most, kMostWeight);
  double best = whole, error = std::numeric_limits<double>::infinity();
  const bool tries_others = options.calibration == Calibration::kMse || options.calibration == Calibration::kBest;
  const int others = !tries_others ? 0 : is_any ? kWeightPercents : kWeightHalvings;
  for (int i = 0; i <= others; ++i) {
    const double scale = is_any ? whole * (100 - i) / 100 : std::ldexp(whole, -i);
    if (const double here = weight_error(weights, scale); here < error) {
      error = here;
      best = scale;
    }
  }
  const double floor = is_any || least <= 0 ? double{least} : std::exp2(std::ceil(std::log2(double{least})));
  return as_scale(std::max(best, floor));
}

}  // namespace fovea
