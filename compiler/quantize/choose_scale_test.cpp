// SPDX-License-Identifier: Apache-2.0
/// \file
/// Scales and zero points against the formulas, and against trying every range on the values themselves.
#include "choose_scale.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace fovea {
namespace {

Histogram seen(const std::vector<float>& values) {
  Histogram histogram;
  histogram.add(values);
  return histogram;
}

Quantization chosen(const std::vector<float>& values, Calibration method, ScaleForm scales = ScaleForm::kAny) {
  QuantizeOptions options;
  options.scales = scales;
  return choose_activation_scale(seen(values), method, options);
}

/// By the definition.
double mean_squared_error(const std::vector<float>& values, double scale, double zero_point) {
  double sum = 0;
  for (const float value : values) {
    const double q = std::clamp(std::nearbyint(value / scale) + zero_point, 0.0, 255.0);
    sum += std::pow((q - zero_point) * scale - value, 2);
  }
  return sum / static_cast<double>(values.size());
}

TEST(ChooseActivationScale, MinMaxReachesBothEnds) {
  const Quantization q = chosen({-1, 0.5F, 3}, Calibration::kMinMax);
  EXPECT_FLOAT_EQ(q.scale(), 4.0F / 255);
  EXPECT_EQ(q.zero_point(), 64);  // 1 / (4 / 255) = 63.75
}

TEST(ChooseActivationScale, RangesHoldZero) {
  EXPECT_EQ(chosen({2, 5.1F}, Calibration::kMinMax), per_tensor(ElementType::kUint8, 5.1F / 255, 0));
  EXPECT_EQ(chosen({-5.1F, -2}, Calibration::kMinMax), per_tensor(ElementType::kUint8, 5.1F / 255, 255));
}

TEST(ChooseActivationScale, SignedTypesHaveTheirZeroPoint128Lower) {
  QuantizeOptions options;
  options.activations = ElementType::kInt8;
  EXPECT_EQ(choose_activation_scale(seen({0, 2.55F}), Calibration::kMinMax, options),
            per_tensor(ElementType::kInt8, 2.55F / 255, -128));
}

TEST(ChooseActivationScale, PowersOfTwoReachTheEndsToHalfAStep) {
  EXPECT_EQ(chosen({0, 6}, Calibration::kMinMax, ScaleForm::kPowerOfTwo).scale(), 1.0F / 32);
  EXPECT_EQ(chosen({0, 255}, Calibration::kMinMax, ScaleForm::kPowerOfTwo).scale(), 1);
  EXPECT_EQ(chosen({0, 1}, Calibration::kMinMax, ScaleForm::kPowerOfTwo).scale(), 1.0F / 128);
  EXPECT_EQ(chosen({0, 0.998F}, Calibration::kMinMax, ScaleForm::kPowerOfTwo).scale(), 1.0F / 256);
  EXPECT_EQ(chosen({-1, 0.5F}, Calibration::kMinMax, ScaleForm::kPowerOfTwo),
            per_tensor(ElementType::kUint8, 1.0F / 128, 128));
}

TEST(ChooseActivationScale, PercentilesLeaveOutliersOutside) {
  std::vector<float> values(100000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i) / 100000;
  }
  values.back() = 1000;
  EXPECT_FLOAT_EQ(chosen(values, Calibration::kMinMax).scale(), 1000.0F / 255);
  EXPECT_NEAR(chosen(values, Calibration::kPercentile).scale() * 255, 1, 0.13);  // To a bin of 1024 / 8192.
}

TEST(ChooseActivationScale, LeastErrorIsThatOfTheBestRange) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal(0.5F, 1);
  for (const bool is_relu : {true, false}) {
    std::vector<float> values(20000);
    std::ranges::generate(values, [&] {
      const float x = normal(random), y = x * x * x;
      return is_relu ? std::max(0.0F, y) : y;
    });
    const auto [least, most] = std::ranges::minmax(values);
    double best =
        mean_squared_error(values, (double{most} - least) / 255, std::nearbyint(-least / (double{most} - least) * 255));
    for (double low = 0.2; low <= 1; low += 0.02) {
      for (double high = 0.2; high <= 1; high += 0.02) {
        const double scale = (high * most - low * least) / 255;
        best = std::min(best, mean_squared_error(values, scale, std::nearbyint(-low * least / scale)));
      }
    }
    const Quantization q = chosen(values, Calibration::kMse);
    EXPECT_LE(mean_squared_error(values, q.scale(), static_cast<double>(q.zero_point())), 1.03 * best);
    EXPECT_NEAR(quantization_error(seen(values), q),
                mean_squared_error(values, q.scale(), static_cast<double>(q.zero_point())), 0.03 * best);
  }
}

TEST(ChooseActivationScale, LeastErrorOfPowersOfTwoIsThatOfTheBestOne) {
  std::mt19937 random(5);
  std::normal_distribution<float> normal(0, 1);
  std::vector<float> values(20000);
  std::ranges::generate(values, [&] { return std::max(0.0F, normal(random)); });
  double best = 1e9;
  for (int exponent = -12; exponent < 4; ++exponent) {
    best = std::min(best, mean_squared_error(values, std::exp2(exponent), 0));
  }
  const Quantization q = chosen(values, Calibration::kMse, ScaleForm::kPowerOfTwo);
  EXPECT_TRUE(is_power_of_two(q.scale()));
  EXPECT_EQ(q.zero_point(), 0);
  EXPECT_DOUBLE_EQ(mean_squared_error(values, q.scale(), 0), best);
}

TEST(ChooseWeightScale, IsTheLargestMagnitudeOver127) {
  QuantizeOptions options;
  options.calibration = Calibration::kMinMax;
  EXPECT_FLOAT_EQ(choose_weight_scale(std::vector<float>{0.5F, -1.27F}, 0, options), 0.01F);
  EXPECT_FLOAT_EQ(choose_weight_scale(std::vector<float>{0.5F, -1.27F}, 0.5F, options), 0.5F);
  EXPECT_EQ(choose_weight_scale(std::vector<float>{0, 0}, 0, options), 1);
  options.scales = ScaleForm::kPowerOfTwo;
  EXPECT_EQ(choose_weight_scale(std::vector<float>{0.5F, -1.27F}, 0, options), 1.0F / 64);
  EXPECT_EQ(choose_weight_scale(std::vector<float>{0.5F, -0.9F}, 0, options), 1.0F / 128);
  EXPECT_EQ(choose_weight_scale(std::vector<float>{0.5F}, 0.3F, options), 0.5F);
}

TEST(ChooseWeightScale, GivesUpOutliersForLessError) {
  std::vector<float> weights(1000);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] = 0.5F * std::sin(static_cast<float>(i));
  }
  weights[0] = 0.6F;
  const auto error = [&](double scale) {
    double sum = 0;
    for (const float weight : weights) {
      sum += std::pow(std::clamp(std::nearbyint(weight / scale), -127.0, 127.0) * scale - weight, 2);
    }
    return sum;
  };
  const float scale = choose_weight_scale(weights, 0, {});
  double best = 1e9;
  for (double part = 0.5; part <= 1; part += 0.01) {
    best = std::min(best, error(part * 0.6F / 127));
  }
  EXPECT_NEAR(error(scale), best, 0.01 * best);
  EXPECT_LT(error(scale), error(0.6F / 127));
}

}  // namespace
}  // namespace fovea
