// SPDX-License-Identifier: Apache-2.0
/// \file
/// Each step is two bounds of accumulators a level, which are linear in the bias: the widest gap between them is
/// sought.
#include "fit_steps.h"

#include <algorithm>
#include <cmath>

namespace fovea {
namespace {

/// Sums of this size are exact in float32.
constexpr int64_t kMostSum = 1 << 24;

/// How often a bound is halved, or a mantissa lengthened.
constexpr int kMantissaBits = 24;

/// (accumulator + bias) against level / scale: at least that, or less.
struct Bound {
  double level;         ///< As far from the zero point as it must be for rounding to reach it.
  int64_t accumulator;  ///< Times the factor.
  bool is_reached;
};

/// Accumulators a level, 1 / scale: more than `above`, and up to `most`.
struct Gap {
  double above, most;
  double width() const { return most - above; }
};

class StepSearch {
 public:
  StepSearch(const StepFunction& function, int64_t factor, uint8_t zero_point, dla_rounding rounding)
      : function_(function), factor_(factor), zero_point_(zero_point), rounding_(rounding) {
    least_bias_ = -kMostSum - std::min(factor * function.first, factor * function.last);
    most_bias_ = kMostSum - std::max(factor * function.first, factor * function.last);
    const double half = rounding == kDlaNearestEven ? 0.5 : 0;
    for (const StepPlace& place : function.places) {
      const double level = place.level - zero_point - half;
      if (place.accumulator <= function.last) {
        add({level, factor * place.accumulator, true});
      }
      if (place.accumulator > function.first) {
        add({level, factor * (place.accumulator - 1), false});
      }
    }
  }

  /// At that bias, or one less where float32 rounds a sum up to the level.
  std::optional<StepFit> at(float scale) const {
    const int64_t most = bias_at(scale);
    for (const int64_t bias : {most, most - 1}) {
      if (bias >= least_bias_ && bias <= most_bias_ && is_right(bias, scale)) {
        return StepFit{factor_, static_cast<int32_t>(bias), scale};
      }
    }
    return std::nullopt;
  }

  std::optional<StepFit> at_any() const {
    if (least_bias_ > most_bias_) {
      return std::nullopt;
    }
    const int64_t bias = widest_bias();
    const auto scale = scale_at(bias);
    return scale ? std::optional(StepFit{factor_, static_cast<int32_t>(bias), *scale}) : std::nullopt;
  }

 private:
  /// A level of 0 bounds the bias alone.
  void add(const Bound& bound) {
    if (bound.level != 0) {
      bounds_.push_back(bound);
    } else if (bound.is_reached) {
      least_bias_ = std::max(least_bias_, -bound.accumulator);
    } else {
      most_bias_ = std::min(most_bias_, -bound.accumulator - 1);
    }
  }

  Gap gap_at(int64_t bias) const {
    Gap gap{1.0 / kMostSum, kMostSum};
    for (const Bound& bound : bounds_) {
      const double limit = static_cast<double>(bound.accumulator + bias) / bound.level;
      if (bound.is_reached == (bound.level > 0)) {
        gap.most = std::min(gap.most, limit);
      } else {
        gap.above = std::max(gap.above, limit);
      }
    }
    return gap;
  }

  /// The least bias that reaches all levels at a scale.
  int64_t bias_at(float scale) const {
    auto bias = static_cast<double>(least_bias_);
    for (const Bound& bound : bounds_) {
      if (bound.is_reached) {
        bias = std::max(bias, bound.level / scale - static_cast<double>(bound.accumulator));
      }
    }
    return static_cast<int64_t>(std::ceil(bias - 1e-6));
  }

  /// The width of the gap, between linear bounds, has one top.
  int64_t widest_bias() const {
    int64_t least = least_bias_, most = most_bias_;
    while (most - least > 2) {
      const int64_t left = least + (most - least) / 3, right = most - (most - least) / 3;
      const bool rises = gap_at(left).width() < gap_at(right).width();
      (rises ? least : most) = rises ? left : right;
    }
    int64_t best = least;
    for (int64_t bias = least; bias <= most; ++bias) {
      best = gap_at(bias).width() > gap_at(best).width() ? bias : best;
    }
    return best;
  }

  /// The scale of the fewest bits within the gap: its end, or where that is a tie the next.
  std::optional<float> scale_at(int64_t bias) const {
    const Gap gap = gap_at(bias);
    if (gap.width() < 0) {
      return std::nullopt;
    }
    int exponent = 0;
    std::frexp(1 / gap.most, &exponent);
    for (int bits = 1; bits <= kMantissaBits; ++bits) {
      const double step = std::ldexp(1, exponent - bits), end = std::ceil(1 / gap.most / step) * step;
      for (const double scale : {end, end + step}) {
        if (scale * gap.above <= 1 && is_right(bias, static_cast<float>(scale))) {
          return static_cast<float>(scale);
        }
      }
    }
    return std::nullopt;
  }

  bool is_right(int64_t bias, float scale) const {
    const StepFit fit{factor_, static_cast<int32_t>(bias), scale};
    const auto value = [&](int64_t accumulator) { return value_of(fit, accumulator, zero_point_, rounding_); };
    return std::ranges::all_of(function_.places, [&](const StepPlace& place) {
      return (place.accumulator > function_.last || value(place.accumulator) >= place.level) &&
             (place.accumulator <= function_.first || value(place.accumulator - 1) < place.level);
    });
  }

  const StepFunction& function_;
  const int64_t factor_;
  const uint8_t zero_point_;
  const dla_rounding rounding_;
  int64_t least_bias_, most_bias_;
  std::vector<Bound> bounds_;
};

}  // namespace

bool StepFunction::is_constant() const {
  return std::ranges::all_of(
      places, [&](const StepPlace& place) { return place.accumulator <= first || place.accumulator > last; });
}

uint8_t value_of(const StepFit& fit, int64_t accumulator, uint8_t zero_point, dla_rounding rounding) {
  return dla_apply_scale(static_cast<int32_t>(fit.factor * accumulator + fit.bias), fit.scale, rounding, false,
                         zero_point);
}

std::optional<StepFit> fit_steps(const StepFunction& function, int64_t factor, uint8_t zero_point,
                                 dla_rounding rounding) {
  return StepSearch(function, factor, zero_point, rounding).at_any();
}

std::optional<StepFit> fit_steps_at(const StepFunction& function, int64_t factor, uint8_t zero_point,
                                    dla_rounding rounding, float scale) {
  return dla_is_scale(scale) ? StepSearch(function, factor, zero_point, rounding).at(scale) : std::nullopt;
}

}  // namespace fovea
