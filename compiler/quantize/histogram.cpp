// SPDX-License-Identifier: Apache-2.0
/// \file
/// Bins that become twice as wide where a value lies outside.
#include "histogram.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "wide_vectors.h"

namespace fovea {
namespace {

constexpr double kLeastMagnitude = 0x1p-120;
constexpr std::size_t kTogether = 256;  ///< Values whose places are found before they are counted.

}  // namespace

void Ends::add(const Ends& other) {
  least = std::min(least, other.least);
  most = std::max(most, other.most);
  is_finite = is_finite && other.is_finite;
}

FOVEA_WIDE_VECTORS
Ends ends_of(std::span<const float> values) {
  Ends ends;
  Eight least = Eight{} + ends.least, most = Eight{} + ends.most, zero{};
  const std::size_t lanes = sizeof(Eight) / sizeof(float), whole = values.size() / lanes * lanes;
  for (std::size_t i = 0; i < whole; i += lanes) {
    Eight x;
    std::memcpy(&x, values.data() + i, sizeof x);
    least = x < least ? x : least;
    most = x > most ? x : most;
    zero += 0 * x;  // No number where x is not finite.
  }
  for (std::size_t i = 0; i < lanes; ++i) {
    ends.add({least[i], most[i], zero[i] == 0});
  }
  for (const float value : values.subspan(whole)) {
    ends.add({value, value, std::isfinite(value)});
  }
  return ends;
}

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

void Histogram::add(std::span<const float> values, const Ends& ends) {
  if (values.empty()) {
    return;
  }
  ends_.add(ends);
  reach(std::max(std::abs(double{ends_.least}), std::abs(double{ends_.most})));
  count_ += values.size();
  const double bins_per_unit = 1 / width_;
  std::array<int32_t, kTogether> places;
  for (; !values.empty(); values = values.subspan(std::min(kTogether, values.size()))) {
    const auto some = values.first(std::min(kTogether, values.size()));
    for (std::size_t i = 0; i < some.size(); ++i) {
      const double place = some[i] * bins_per_unit;
      const auto toward_zero = static_cast<int32_t>(place);
      places[i] = toward_zero - (place < toward_zero ? 1 : 0) + kHalf;
    }
    for (std::size_t i = 0; i < some.size(); ++i) {
      ++bins_[static_cast<std::size_t>(places[i])];
    }
  }
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
  ends_.add(same.ends_);
}

double Histogram::quantile(double part) const {
  const double wanted = part * static_cast<double>(count_);
  double below = 0;
  for (const Bin& bin : bins()) {
    below += bin.count;
    if (below >= wanted) {
      return std::clamp(bin.value, double{least()}, double{most()});
    }
  }
  return most();
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
