// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where each element of a tensor comes from: what operators that move elements do, one or several in a row.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "index_steps.h"
#include "tensor/tensor.h"

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
  /// Every element where it is.
  explicit IndexMap(const Shape& shape);

  /// Axis i becomes what axis axes[i] was.
  void permute(const std::vector<int64_t>& axes);
  /// Index i along `axis` becomes what index places.at(i) was, or comes from nowhere. \return false where that would
  /// take too many runs; the map is worth nothing then.
  bool select(std::size_t axis, const IndexSteps& places);
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
  /// Entries of the loops' tables, before these are made.
  int64_t count_entries() const;
  /// Visits the elements in order, a run of places in the source after another.
  void for_each_run(const std::function<void(const StepRun& run)>& visit) const;

 private:
  std::vector<IndexSteps> all_steps() const;

  /// What each index adds to an element's place: of each axis, one after another; the outer first.
  std::vector<std::vector<IndexSteps>> axes_;
  int64_t start_ = 0;  ///< Added to each place; kOutside where all are.
  std::optional<double> fill_;
};

}  // namespace fovea
