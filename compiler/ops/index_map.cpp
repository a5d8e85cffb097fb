// SPDX-License-Identifier: Apache-2.0
/// \file
/// Index maps: an axis is a row of numbers to add, so that operators in a row act on rows and not on elements.
#include "index_map.h"

#include <algorithm>

namespace fovea {
namespace {

constexpr int64_t kOutside = IndexMap::kOutside;

/// A loop of at least so many elements in a row is worth being the innermost, however long others are.
constexpr int64_t kLongRun = 16;

int64_t sum(int64_t a, int64_t b) { return a == kOutside || b == kOutside ? kOutside : a + b; }

/// One axis as a loop: in equal steps if they are, else by a table. Takes its least place off, onto `start`.
MapLoop loop_of(const std::vector<int64_t>& steps, int64_t& start) {
  const auto is_inside = [](int64_t step) { return step != kOutside; };
  MapLoop loop;
  loop.size = static_cast<int64_t>(steps.size());
  const auto first = std::find_if(steps.begin(), steps.end(), is_inside);
  const auto last = std::find_if(steps.rbegin(), steps.rend(), is_inside).base();
  loop.first = first == steps.end() ? 0 : first - steps.begin();
  loop.last = first == steps.end() ? 0 : last - steps.begin();
  if (loop.last - loop.first > 1) {
    loop.from_step = is_inside(first[1]) ? first[1] - *first : 0;
  }
  bool is_even = true;
  for (int64_t i = loop.first; i < loop.last; ++i) {
    is_even &= steps[i] == *first + (i - loop.first) * loop.from_step;
  }
  if (is_even) {
    start += loop.first == loop.last ? 0 : *first;
    return loop;
  }
  int64_t least = *first;
  for (const int64_t step : steps) {
    least = is_inside(step) ? std::min(least, step) : least;
  }
  for (const int64_t step : steps) {
    loop.table.push_back(is_inside(step) ? static_cast<int32_t>(step - least) : -1);
  }
  start += least;
  return {loop.size, 1, 0, 0, loop.size, std::move(loop.table)};
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
    Steps steps(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < steps.size(); ++i) {
      steps[i] = static_cast<int64_t>(i) * step;
    }
    axes_.push_back({std::move(steps)});
  }
}

void IndexMap::permute(const std::vector<int64_t>& axes) {
  std::vector<std::vector<Steps>> permuted;
  for (const int64_t axis : axes) {
    permuted.push_back(axes_[static_cast<std::size_t>(axis)]);
  }
  axes_ = std::move(permuted);
}

void IndexMap::select(std::size_t axis, const std::vector<int64_t>& places) {
  Steps whole{0};
  for (const Steps& steps : axes_[axis]) {
    whole = joined(whole, steps);
  }
  Steps selected;
  for (const int64_t place : places) {
    selected.push_back(place == kOutside ? kOutside : whole[static_cast<std::size_t>(place)]);
  }
  axes_[axis] = {std::move(selected)};
}

int64_t IndexMap::size(std::size_t axis) const {
  int64_t size = 1;
  for (const Steps& steps : axes_[axis]) {
    size *= static_cast<int64_t>(steps.size());
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
  std::vector<Steps> left = all_steps();
  for (const Steps& steps : left) {
    start_ = steps.size() == 1 ? sum(start_, steps[0]) : start_;
  }
  std::erase_if(left, [](const Steps& steps) { return steps.size() == 1; });
  std::reverse(left.begin(), left.end());
  const auto take = [&] {
    Steps steps = std::move(left.back());
    left.pop_back();
    return steps;
  };
  axes_.clear();
  for (const int64_t size : shape) {
    axes_.emplace_back();
    std::size_t open = static_cast<std::size_t>(size);
    while (open > 1) {
      Steps steps = take();
      while (open % steps.size() != 0 && steps.size() % open != 0) {
        steps = joined(steps, take());
      }
      if (open % steps.size() == 0) {
        open /= steps.size();
        axes_.back().push_back(std::move(steps));
        continue;
      }
      auto parts = cut(steps, open);
      if (!parts) {
        return false;
      }
      axes_.back().push_back(std::move((*parts)[0]));
      left.push_back(std::move((*parts)[1]));
      open = 1;
    }
    if (axes_.back().empty()) {
      axes_.back().push_back({0});
    }
  }
  return true;
}

IndexMap::Steps IndexMap::joined(const Steps& outer, const Steps& inner) {
  Steps steps;
  for (const int64_t a : outer) {
    for (const int64_t b : inner) {
      steps.push_back(sum(a, b));
    }
  }
  return steps;
}

/// The inverse of joined(): `outer` steps and those inside each; nothing where there are none.
std::optional<std::vector<IndexMap::Steps>> IndexMap::cut(const Steps& steps, std::size_t outer) {
  const std::size_t inner = steps.size() / outer;
  const auto inside = std::find_if(steps.begin(), steps.end(), [](int64_t step) { return step != kOutside; });
  const std::size_t at = inside == steps.end() ? 0 : static_cast<std::size_t>(inside - steps.begin());
  std::vector<Steps> parts(2);
  for (std::size_t i = 0; i < outer; ++i) {
    parts[0].push_back(steps[i * inner + at % inner]);
  }
  for (std::size_t i = 0; i < inner; ++i) {
    parts[1].push_back(steps[at] == kOutside ? 0 : sum(steps[at / inner * inner + i], -steps[at]));
  }
  return joined(parts[0], parts[1]) == steps ? std::optional(std::move(parts)) : std::nullopt;
}

std::vector<IndexMap::Steps> IndexMap::all_steps() const {
  std::vector<Steps> all;
  for (const std::vector<Steps>& axis : axes_) {
    all.insert(all.end(), axis.begin(), axis.end());
  }
  return all;
}

void IndexMap::for_each_place(const std::function<void(int64_t)>& visit) const {
  const std::vector<Steps> all = all_steps();
  const std::function<void(std::size_t, int64_t)> walk = [&](std::size_t axis, int64_t place) {
    for (const int64_t step : all[axis]) {
      axis + 1 == all.size() ? visit(sum(place, step)) : walk(axis + 1, sum(place, step));
    }
  };
  all.empty() ? visit(start_) : walk(0, start_);
}

MapLoops IndexMap::loops() const {
  MapLoops result{start_ == kOutside ? 0 : start_, {}};
  std::vector<MapLoop>& loops = result.loops;
  if (start_ == kOutside) {
    loops.push_back({1, 1, 0, 0, 0, {}});
  }
  for (const Steps& steps : all_steps()) {
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
