// SPDX-License-Identifier: Apache-2.0
/// \file
/// Index maps: an axis is a row of places to add, so that operators in a row act on rows and not on elements.
#include "index_map.h"

#include <algorithm>
#include <span>

namespace fovea {
namespace {

/// A loop of at least so many elements in a row is worth being the innermost, however long others are.
constexpr int64_t kLongRun = 16;

/// Runs without those from nowhere at either end.
std::span<const StepRun> inner_runs(const IndexSteps& steps) {
  std::span<const StepRun> runs = steps.runs();
  runs = runs.subspan(!runs.empty() && runs.front().first == kOutside ? 1 : 0);
  return runs.first(runs.size() - (!runs.empty() && runs.back().first == kOutside ? 1 : 0));
}

/// Whether a loop takes equal steps, but for what comes from nowhere at either end.
bool is_even(const IndexSteps& steps) { return inner_runs(steps).size() < 2; }

/// One axis as a loop: in equal steps if they are, else by a table. Takes its least place off, onto `start`.
MapLoop loop_of(const IndexSteps& steps, int64_t& start) {
  const std::span<const StepRun> runs = inner_runs(steps);
  if (runs.empty()) {
    return {steps.size(), 1, 0, 0, 0, {}};
  }
  if (is_even(steps)) {
    const int64_t first = steps.runs().front().first == kOutside ? steps.runs().front().size : 0;
    start += runs[0].first;
    return {steps.size(), 1, runs[0].step, first, first + runs[0].size, {}};
  }
  int64_t least = runs[0].first;
  for (const StepRun& run : runs) {
    const int64_t last = run.first + (run.size - 1) * run.step;
    least = run.first == kOutside ? least : std::min({least, run.first, last});
  }
  MapLoop loop{steps.size(), 1, 0, 0, steps.size(), {}};
  for (const StepRun& run : steps.runs()) {
    for (int64_t i = 0; i < run.size; ++i) {
      loop.table.push_back(run.first == kOutside ? -1 : static_cast<int32_t>(run.first + i * run.step - least));
    }
  }
  start += least;
  return loop;
}

/// Whether two loops, one inside the other, are one of more steps.
bool are_one(const MapLoop& outer, const MapLoop& inner) {
  return outer.table.empty() && inner.table.empty() && inner.first == 0 && inner.last == inner.size &&
         (outer.last - outer.first < 2 || outer.from_step == inner.size * inner.from_step);
}

}  // namespace

IndexMap::IndexMap(const Shape& shape) {
  int64_t step = count_elements(shape);
  for (const int64_t size : shape) {
    step = size == 0 ? 0 : step / size;
    axes_.push_back({IndexSteps({size, 0, step})});
  }
}

void IndexMap::permute(const std::vector<int64_t>& axes) {
  std::vector<std::vector<IndexSteps>> permuted;
  for (const int64_t axis : axes) {
    permuted.push_back(axes_[static_cast<std::size_t>(axis)]);
  }
  axes_ = std::move(permuted);
}

bool IndexMap::select(std::size_t axis, const IndexSteps& places) {
  std::optional<IndexSteps> whole = IndexSteps({1, 0, 0});
  for (const IndexSteps& steps : axes_[axis]) {
    whole = whole->with_inside(steps);
    if (!whole) {
      return false;
    }
  }
  auto selected = whole->taken(places);
  if (!selected) {
    return false;
  }
  axes_[axis] = {std::move(*selected)};
  return true;
}

int64_t IndexMap::size(std::size_t axis) const {
  int64_t size = 1;
  for (const IndexSteps& steps : axes_[axis]) {
    size *= steps.size();
  }
  return size;
}

Shape IndexMap::shape() const {
  Shape shape;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    shape.push_back(size(axis));
  }
  return shape;
}

bool IndexMap::fill_with(double value) {
  const bool is_new = !fill_.has_value() || *fill_ == value;
  fill_ = value;
  return is_new;
}

bool IndexMap::reshape(const Shape& shape) {
  std::vector<IndexSteps> left = all_steps();
  for (const IndexSteps& steps : left) {
    start_ = steps.size() == 1 ? sum_of_steps(start_, steps.at(0)) : start_;
  }
  std::erase_if(left, [](const IndexSteps& steps) { return steps.size() == 1; });
  std::reverse(left.begin(), left.end());
  const auto take = [&] {
    IndexSteps steps = std::move(left.back());
    left.pop_back();
    return steps;
  };
  axes_.clear();
  for (const int64_t size : shape) {
    axes_.emplace_back();
    int64_t open = size;
    while (open > 1) {
      std::optional<IndexSteps> steps = take();
      while (open % steps->size() != 0 && steps->size() % open != 0) {
        steps = steps->with_inside(take());
        if (!steps) {
          return false;
        }
      }
      if (open % steps->size() == 0) {
        open /= steps->size();
        axes_.back().push_back(std::move(*steps));
        continue;
      }
      auto parts = steps->cut(open);
      if (!parts) {
        return false;
      }
      axes_.back().push_back(std::move(parts->first));
      left.push_back(std::move(parts->second));
      open = 1;
    }
    if (axes_.back().empty()) {
      axes_.back().push_back(IndexSteps({1, 0, 0}));
    }
  }
  return true;
}

std::vector<IndexSteps> IndexMap::all_steps() const {
  std::vector<IndexSteps> all;
  for (const std::vector<IndexSteps>& axis : axes_) {
    all.insert(all.end(), axis.begin(), axis.end());
  }
  return all;
}

void IndexMap::for_each_run(const std::function<void(const StepRun&)>& visit) const {
  const std::vector<IndexSteps> all = all_steps();
  const std::function<void(std::size_t, int64_t)> walk = [&](std::size_t axis, int64_t place) {
    for (const StepRun& run : all[axis].runs()) {
      const int64_t first = sum_of_steps(place, run.first);
      if (axis + 1 == all.size()) {
        visit({run.size, first, run.step});
        continue;
      }
      for (int64_t i = 0; i < run.size; ++i) {
        walk(axis + 1, sum_of_steps(first, i * run.step));
      }
    }
  };
  all.empty() ? visit({1, start_, 0}) : walk(0, start_);
}

int64_t IndexMap::count_entries() const {
  int64_t entries = 0;
  for (const std::vector<IndexSteps>& axis : axes_) {
    for (const IndexSteps& steps : axis) {
      entries += is_even(steps) ? 0 : steps.size();
    }
  }
  return entries;
}

MapLoops IndexMap::loops() const {
  MapLoops result{start_ == kOutside ? 0 : start_, {}};
  std::vector<MapLoop>& loops = result.loops;
  if (start_ == kOutside) {
    loops.push_back({1, 1, 0, 0, 0, {}});
  }
  for (const IndexSteps& steps : all_steps()) {
    MapLoop loop = loop_of(steps, result.start);
    if (loop.size == 1 && loop.last == 1) {
      continue;
    }
    if (loops.empty() || !are_one(loops.back(), loop)) {
      loops.push_back(std::move(loop));
      continue;
    }
    MapLoop& outer = loops.back();
    outer = {outer.size * loop.size, 1, loop.from_step, outer.first * loop.size, outer.last * loop.size, {}};
  }
  if (loops.empty()) {
    loops.emplace_back();
  }
  for (std::size_t i = loops.size() - 1; i > 0; --i) {
    loops[i - 1].to_step = loops[i].to_step * loops[i].size;
  }
  const auto is_shorter = [](const MapLoop& a, const MapLoop& b) { return a.size < b.size; };
  if (loops.back().from_step != 1 || loops.back().size < kLongRun) {
    const auto longest = std::max_element(loops.rbegin(), loops.rend(), is_shorter).base();
    std::rotate(longest - 1, longest, loops.end());
  }
  return result;
}

}  // namespace fovea
