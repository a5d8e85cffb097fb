// SPDX-License-Identifier: Apache-2.0
/// \file
/// Bins that become twice as wide where a value lies outside.
#include "histogram.h"

#include <algorithm>
#include <cmath>

namespace fovea {
namespace {

constexpr double kLeastMagnitude = 0x1p-120;

}  // namespace

/// Makes bins wide enough for a magnitude.
void Histogram::reach(double magnitude) {
  const double wanted = std::exp2(std::ilogb(std::max(magnitude, kLeastMagnitude)) + 1) / kHalf;
  if (wanted <= width_) {
    return;
  }
  std::vector<std::uint64_t> wider(2 * kHalf);
  if (width_ != 0) {
    const int doublings = std::ilogb(wanted) - std::ilogb(width_);
    for (int i = 0; i < 2 * kHalf; ++i) {
      const auto at = doublings < 31 ? kHalf + ((i - kHalf) >> doublings) : kHalf - (i < kHalf ? 1 : 0);
      wider[static_cast<std::size_t>(at)] += bins_[static_cast<std::size_t>(i)];
    }
  }
  bins_ = std::move(wider);
  width_ = wanted;
}

void Histogram::add(std::span<const float> values) {
  if (values.empty()) {
    return;
  }
  for (const float value : values) {
    least_ = std::min(least_, value);
    most_ = std::max(most_, value);
  }
  reach(std::max(std::abs(double{least_}), std::abs(double{most_})));
  const double bins_per_unit = 1 / width_;
  for (const float value : values) {
    const double place = value * bins_per_unit;
    const auto toward_zero = static_cast<std::ptrdiff_t>(place);
    const std::ptrdiff_t below = toward_zero - (place < static_cast<double>(toward_zero) ? 1 : 0);
    ++bins_[static_cast<std::size_t>(below + kHalf)];
  }
  count_ += values.size();
}

void Histogram::add(const Histogram& other) {
  if (other.count_ == 0) {
    return;
  }
  Histogram same = other;
  reach(width_ < other.width_ ? other.width_ * (kHalf - 1) : 0);
  same.reach(width_ * (kHalf - 1));
  for (std::size_t i = 0; i < bins_.size(); ++i) {
    bins_[i] += same.bins_[i];
  }
  count_ += same.count_;
  least_ = std::min(least_, same.least_);
  most_ = std::max(most_, same.most_);
}

double Histogram::quantile(double part) const {
  const double wanted = part * static_cast<double>(count_);
  double below = 0;
  for (const Bin& bin : bins()) {
    below += bin.count;
    if (below >= wanted) {
      return std::clamp(bin.value, double{least_}, double{most_});
    }
  }
  return most_;
}

std::vector<Histogram::Bin> Histogram::bins() const {
  std::vector<Bin> found;
  for (std::size_t i = 0; i < bins_.size(); ++i) {
    if (bins_[i] != 0) {
      found.push_back({(static_cast<double>(i) - kHalf + 0.5) * width_, static_cast<double>(bins_[i])});
    }
  }
  return found;
}

}  // namespace fovea
