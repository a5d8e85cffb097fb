// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compares tensors element by element.
#include "difference.h"

#include <algorithm>
#include <cmath>

namespace fovea {
namespace {

bool is_integer(const Tensor& tensor) { return tensor.type().element != ElementType::kFloat32; }

/// The same scale, and zero points as far from the type's lowest number.
bool are_same(const Quantization& a, const Quantization& b) {
  return a.scales == b.scales &&
         a.zero_point() - range_of(a.element).first == b.zero_point() - range_of(b.element).first;
}

std::optional<Quantization> in_type(const std::optional<Quantization>& other, ElementType element) {
  if (!other || element == ElementType::kFloat32 || size_bytes(element) != size_bytes(other->element)) {
    return std::nullopt;
  }
  const int64_t shift = range_of(element).first - range_of(other->element).first;
  return Quantization{element, other->scales, {other->zero_point() + shift}, 0};
}

/// What float32 `x` is rounded to.
double quantized(double x, const Quantization& quantization) {
  const auto [least, most] = range_of(quantization.element);
  const double steps = std::nearbyint(static_cast<float>(x) / quantization.scale());
  return std::isnan(steps) ? static_cast<double>(least)
                           : std::clamp(steps + static_cast<double>(quantization.zero_point()),
                                        static_cast<double>(least), static_cast<double>(most));
}

/// A tensor and what its numbers stand for.
struct Numbers {
  const Tensor& values;
  const std::optional<Quantization> quantization;

  double real(std::size_t i) const { return number_at(values, quantization, i); }
  /// Above its zero point, or of a float32 tensor as it is.
  double steps(std::size_t i) const {
    return values.at(i) - (quantization ? static_cast<double>(quantization->zero_point()) : 0);
  }
};

bool are_equal(const Numbers& a, const Numbers& b, std::size_t i) {
  if (is_integer(a.values) && !is_integer(b.values) && a.quantization) {
    return a.values.at(i) == quantized(b.values.at(i), *a.quantization);
  }
  if (!is_integer(a.values) && is_integer(b.values) && b.quantization) {
    return b.values.at(i) == quantized(a.values.at(i), *b.quantization);
  }
  if (a.quantization && b.quantization && a.quantization->scales == b.quantization->scales) {
    return a.steps(i) == b.steps(i);
  }
  const double x = a.real(i), y = b.real(i);
  return x == y || (std::isnan(x) && std::isnan(y));
}

double largest_of(const Numbers& numbers, std::size_t elements) {
  double largest = 0;
  for (std::size_t i = 0; i < elements; ++i) {
    largest = std::fmax(largest, std::fabs(numbers.real(i)));
  }
  return largest;
}

}  // namespace

std::pair<std::optional<Quantization>, std::optional<Quantization>> quantizations_of(const LayerValue& a,
                                                                                     const LayerValue& b) {
  const auto own = [](const LayerValue& value) {
    return is_integer(value.values) ? value.notes.quantization : std::nullopt;
  };
  const std::optional<Quantization> qa = own(a), qb = own(b);
  return {qa ? qa : in_type(qb, a.values.type().element), qb ? qb : in_type(qa, b.values.type().element)};
}

double number_at(const Tensor& values, const std::optional<Quantization>& quantization, std::size_t i) {
  const double value = values.at(i);
  return quantization
             ? quantization->scale() * static_cast<float>(value - static_cast<double>(quantization->zero_point()))
             : value;
}

Difference difference_of(const LayerValue& a, const LayerValue& b, double tolerance) {
  const auto [qa, qb] = quantizations_of(a, b);
  const Numbers x{a.values, qa}, y{b.values, qb};
  Difference difference;
  difference.elements = static_cast<std::size_t>(count_elements(a.values.type().shape));
  difference.quantization_differs = qa && qb && !are_same(*qa, *qb);
  const double allowed = tolerance > 0 ? tolerance * largest_of(x, difference.elements) : 0;
  double signal = 0, noise = 0, sum = 0;
  for (std::size_t i = 0; i < difference.elements; ++i) {
    const double real = x.real(i), apart = std::fabs(real - y.real(i));
    const bool is_equal = are_equal(x, y, i) || (tolerance > 0 && apart <= allowed);
    difference.equal += is_equal ? 1 : 0;
    if (!is_equal && !difference.first) {
      difference.first = i;
    }
    // What is no number counts as an element that differs, not as a distance.
    const double distance = std::isfinite(apart) ? apart : 0;
    difference.largest = std::fmax(difference.largest, distance);
    sum += distance;
    noise += distance * distance;
    signal += std::isfinite(real) ? real * real : 0;
  }
  difference.mean = difference.elements == 0 ? 0 : sum / static_cast<double>(difference.elements);
  difference.noise_ratio = noise == 0 ? INFINITY : 10 * std::log10(signal / noise);
  return difference;
}

}  // namespace fovea
