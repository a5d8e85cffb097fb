// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where each element of a tensor comes from: what operators that move elements do, one or several in a row.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "ir/tensor.h"

namespace fovea {

/// A loop over a result. Index i is at `to_step` * i in it, and comes from `from_step` * (i - first) in the source, or
/// from table[i]; from nowhere where i is not in `first` to `last` - 1, or the table says -1.
struct MapLoop {
  int64_t size = 1, to_step = 1;
  int64_t from_step = 0, first = 0, last = 1;
  std::vector<int32_t> table;  ///< `size` entries of 0 or more, or -1; empty where steps say all.
};

/// A map as loops, few and the innermost long; an element comes from the sum of what its loops say.
struct MapLoops {
  int64_t start = 0;  ///< Added to the sum.
  std::vector<MapLoop> loops;
};

/// A tensor each of whose axes takes places of its own from a source; elements from nowhere have one value.
class IndexMap {
 public:
  /// An index of an axis that comes from nowhere.
  static constexpr int64_t kOutside = std::numeric_limits<int64_t>::min();

  /// Every element where it is.
  explicit IndexMap(const Shape& shape);

  /// Axis i becomes what axis axes[i] was.
  void permute(const std::vector<int64_t>& axes);
  /// Index i along `axis` becomes what places[i] was, or comes from nowhere: kOutside.
  void select(std::size_t axis, const std::vector<int64_t>& places);
  /// The same elements, in order, along other axes. \return false where those don't each take places of their own; the
  /// map is worth nothing then.
  bool reshape(const Shape& shape);
  /// Says what comes from nowhere. \return false where that is another value already.
  bool fill_with(double value);

  Shape shape() const;
  int64_t size(std::size_t axis) const;
  /// What comes from nowhere; nothing where fill_with() did not say.
  std::optional<double> fill() const { return fill_; }
  /// Elements from nowhere only are a loop from nowhere.
  MapLoops loops() const;
  /// Visits the elements in order, each with its place in the source, or kOutside.
  void for_each_place(const std::function<void(int64_t place)>& visit) const;

 private:
  /// What each index adds to an element's place, or kOutside.
  using Steps = std::vector<int64_t>;

  static Steps joined(const Steps& outer, const Steps& inner);
  static std::optional<std::vector<Steps>> cut(const Steps& steps, std::size_t outer);
  std::vector<Steps> all_steps() const;

  std::vector<std::vector<Steps>> axes_;  ///< Of each axis, one after another; the outer first.
  int64_t start_ = 0;                     ///< Added to each place; kOutside where all are.
  std::optional<double> fill_;
};

}  // namespace fovea
