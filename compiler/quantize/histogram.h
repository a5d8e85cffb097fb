// SPDX-License-Identifier: Apache-2.0
/// \file
/// What was seen of an activation: its ends, and how often its values lie where.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace fovea {

/// Between which numbers values lie, and whether all are finite.
struct Ends {
  float least = std::numeric_limits<float>::infinity(), most = -std::numeric_limits<float>::infinity();
  bool is_finite = true;

  void add(const Ends& other);
};

Ends ends_of(std::span<const float> values);

/// Counts in bins of one width, a power of two, around 0; it doubles until all values lie in some bin. So neither the
/// order of values nor how they are spread over histograms that are added changes a count.
class Histogram {
 public:
  /// \pre All values are finite, and `ends` theirs.
  void add(std::span<const float> values, const Ends& ends);
  void add(std::span<const float> values) { add(values, ends_of(values)); }
  void add(const Histogram& other);

  std::uint64_t count() const { return count_; }
  /// The least and the most value that was seen. \pre count() != 0.
  float least() const { return ends_.least; }
  float most() const { return ends_.most; }

  /// The centre of the bin up to which this part of all values lies, 0 to 1; within least() to most().
  double quantile(double part) const;

  /// A bin that has values: its centre, and how many.
  struct Bin {
    double value;
    double count;
  };
  std::vector<Bin> bins() const;

 private:
  void reach(double magnitude);

  static constexpr int kHalf = 8192;  ///< Bins on either side of 0.
  double width_ = 0;                  ///< Of a bin; 0 while there are none.
  std::vector<std::uint64_t> bins_;
  std::uint64_t count_ = 0;
  Ends ends_;
};

}  // namespace fovea
