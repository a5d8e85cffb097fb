// SPDX-License-Identifier: Apache-2.0
/// \file
/// Places along an axis, as runs: an axis of millions of elements that follow each other takes a few bytes.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace fovea {

/// The place of what comes from nowhere.
constexpr int64_t kOutside = std::numeric_limits<int64_t>::min();

/// a + b, or nowhere where one of them is.
inline int64_t sum_of_steps(int64_t a, int64_t b) { return a == kOutside || b == kOutside ? kOutside : a + b; }

/// Place i of `size` is first + i * step, or where `first` is kOutside nowhere.
struct StepRun {
  int64_t size = 1, first = 0, step = 0;
};

/// What rows of operators make of places is bounded by this, whatever the size of an axis.
constexpr int64_t kMostRuns = 1 << 16;

/// What each index of an axis adds to an element's place.
class IndexSteps {
 public:
  IndexSteps() = default;
  explicit IndexSteps(const StepRun& run) { append(run); }

  /// Adds places behind the others. A run that goes on becomes longer.
  void append(const StepRun& run);
  void append(const IndexSteps& places);

  int64_t size() const { return size_; }
  int64_t at(int64_t index) const;
  /// Places `first` to `first` + `size` - 1, each less `base`.
  IndexSteps part(int64_t first, int64_t size, int64_t base = 0) const;

  /// at(i) for each index i, or nowhere. Nothing where that would be more than kMostRuns.
  std::optional<IndexSteps> taken(const IndexSteps& indices) const;
  /// For each of these places, all of `inner`, both added. Nothing where that would be more than kMostRuns.
  std::optional<IndexSteps> with_inside(const IndexSteps& inner) const;
  /// The inverse of with_inside(): `outer` places, and those inside each. Nothing where there are none.
  std::optional<std::pair<IndexSteps, IndexSteps>> cut(int64_t outer) const;

  /// Runs that go on are one, so that equal steps, and those from nowhere, are one run.
  const std::vector<StepRun>& runs() const { return runs_; }
  bool operator==(const IndexSteps& other) const;

 private:
  std::vector<StepRun> runs_;
  std::vector<int64_t> ends_;  ///< Of each run, the places up to its end.
  int64_t size_ = 0;
};

}  // namespace fovea
