// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs that grow, are cut, and are laid inside each other.
#include "index_steps.h"

#include <algorithm>

namespace fovea {
namespace {

/// Places i to i + size - 1 of a run.
StepRun part_of(const StepRun& run, int64_t i, int64_t size) {
  return {size, run.first == kOutside ? kOutside : run.first + i * run.step, run.step};
}

/// The step at which `next` goes on behind `run`; nothing where it doesn't.
std::optional<int64_t> step_on(const StepRun& run, const StepRun& next) {
  if (run.first == kOutside || next.first == kOutside) {
    return run.first == next.first ? std::optional<int64_t>(0) : std::nullopt;
  }
  const int64_t gap = next.first - (run.first + (run.size - 1) * run.step);
  const bool goes_on = (run.size == 1 || gap == run.step) && (next.size == 1 || gap == next.step);
  return goes_on ? std::optional(gap) : std::nullopt;
}

}  // namespace

void IndexSteps::append(const StepRun& run) {
  if (run.size == 0) {
    return;
  }
  size_ += run.size;
  const auto step = runs_.empty() ? std::nullopt : step_on(runs_.back(), run);
  if (step) {
    runs_.back().size += run.size;
    runs_.back().step = *step;
    ends_.back() = size_;
    return;
  }
  runs_.push_back(run);
  runs_.back().step = run.size == 1 || run.first == kOutside ? 0 : run.step;
  ends_.push_back(size_);
}

void IndexSteps::append(const IndexSteps& places) {
  for (const StepRun& run : places.runs()) {
    append(run);
  }
}

int64_t IndexSteps::at(int64_t index) const {
  const auto run = static_cast<std::size_t>(std::ranges::upper_bound(ends_, index) - ends_.begin());
  return part_of(runs_[run], index - (ends_[run] - runs_[run].size), 1).first;
}

IndexSteps IndexSteps::part(int64_t first, int64_t size, int64_t base) const {
  IndexSteps result;
  auto run = static_cast<std::size_t>(std::ranges::upper_bound(ends_, first) - ends_.begin());
  for (int64_t i = first; i < first + size; ++run) {
    const int64_t count = std::min(ends_[run], first + size) - i;
    StepRun taken = part_of(runs_[run], i - (ends_[run] - runs_[run].size), count);
    taken.first = sum_of_steps(taken.first, -base);
    result.append(taken);
    i += count;
  }
  return result;
}

bool IndexSteps::operator==(const IndexSteps& other) const {
  if (size_ != other.size_) {
    return false;
  }
  std::size_t a = 0, b = 0;
  for (int64_t i = 0; i < size_;) {
    const int64_t count = std::min(ends_[a], other.ends_[b]) - i;
    const StepRun mine = part_of(runs_[a], i - (ends_[a] - runs_[a].size), count);
    const StepRun theirs = part_of(other.runs_[b], i - (other.ends_[b] - other.runs_[b].size), count);
    if (mine.first != theirs.first || (count > 1 && mine.step != theirs.step)) {
      return false;
    }
    i += count;
    a += i == ends_[a] ? 1 : 0;
    b += i == other.ends_[b] ? 1 : 0;
  }
  return true;
}

std::optional<IndexSteps> IndexSteps::taken(const IndexSteps& indices) const {
  IndexSteps result;
  for (const StepRun& run : indices.runs()) {
    if (run.first == kOutside) {
      result.append(run);
    } else if (runs_.size() == 1) {
      const StepRun& all = runs_[0];
      result.append({run.size, sum_of_steps(all.first, run.first * all.step), run.step * all.step});
    } else if (run.step == 1) {
      result.append(part(run.first, run.size));
    } else if (run.size <= kMostRuns) {
      for (int64_t i = 0; i < run.size; ++i) {
        result.append({1, at(run.first + i * run.step), 0});
      }
    } else {
      return std::nullopt;
    }
  }
  return result;
}

std::optional<IndexSteps> IndexSteps::with_inside(const IndexSteps& inner) const {
  IndexSteps result;
  if (inner.size_ == 0) {
    return result;
  }
  const StepRun& whole = inner.runs_[0];
  for (const StepRun& run : runs_) {
    const bool is_outside = run.first == kOutside || (whole.first == kOutside && whole.size == inner.size_);
    const bool goes_on = run.size == 1 || whole.size == 1 || run.step == whole.size * whole.step;
    if (is_outside) {
      result.append({run.size * inner.size_, kOutside, 0});
    } else if (whole.size == inner.size_ && goes_on) {
      result.append({run.size * whole.size, run.first + whole.first, whole.size == 1 ? run.step : whole.step});
    } else {
      for (int64_t i = 0; i < run.size; ++i) {
        for (const StepRun& inside : inner.runs_) {
          result.append({inside.size, sum_of_steps(run.first + i * run.step, inside.first), inside.step});
        }
        if (static_cast<int64_t>(result.runs_.size()) > kMostRuns) {
          return std::nullopt;
        }
      }
    }
  }
  return result;
}

std::optional<std::pair<IndexSteps, IndexSteps>> IndexSteps::cut(int64_t outer) const {
  const int64_t inner = size_ / outer;
  if (runs_.size() == 1) {
    return std::pair(IndexSteps({outer, runs_[0].first, runs_[0].step * inner}), IndexSteps({inner, 0, runs_[0].step}));
  }
  if (outer > kMostRuns) {
    return std::nullopt;
  }
  // Where the first run is from nowhere, the next one is not.
  const int64_t inside = runs_[0].first == kOutside ? runs_[0].size : 0;
  std::pair<IndexSteps, IndexSteps> parts{{}, part(inside / inner * inner, inner, at(inside))};
  for (int64_t i = 0; i < outer; ++i) {
    parts.first.append({1, at(i * inner + inside % inner), 0});
  }
  return parts.first.with_inside(parts.second) == *this ? std::optional(std::move(parts)) : std::nullopt;
}

}  // namespace fovea
