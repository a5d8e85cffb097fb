// SPDX-License-Identifier: Apache-2.0
/// \file
/// Operators that move elements, random ones in a row: each alone and all as one map, against loops over every index.
/// SEED=n draws others.
#include "index_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <random>

#include "operator.h"
#include "ops.h"

namespace fovea {
namespace {

constexpr int32_t kFill = -7;

using Index = std::vector<int64_t>;

int64_t place_of(const Index& index, const Shape& shape) {
  int64_t place = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    place = place * shape[axis] + index[axis];
  }
  return place;
}

/// A tensor of `shape`, each of whose elements is that of x at source(index), or the fill where that is empty.
Tensor move_each(const Tensor& x, const Shape& shape, const std::function<Index(const Index&)>& source) {
  Tensor result({shape, ElementType::kInt32});
  for (int64_t i = 0; i < count_elements(shape); ++i) {
    Index index(shape.size());
    for (int64_t axis = static_cast<int64_t>(shape.size()) - 1, rest = i; axis >= 0; --axis) {
      index[axis] = rest % shape[axis];
      rest /= shape[axis];
    }
    const Index from = source(index);
    const bool is_fill = from.empty() && !x.type().shape.empty();
    result.set_integer(i, is_fill ? kFill : x.integer_at(place_of(from, x.type().shape)));
  }
  return result;
}

/// One operator, and what it gives by loops.
struct Drawn {
  Call call;
  std::vector<Tensor> constants;
  Tensor expected;
};

class Drawing {
 public:
  explicit Drawing(unsigned seed) : source_(seed) {}
  int64_t between(int64_t first, int64_t last) { return first + int64_t(source_() % uint64_t(last - first + 1)); }

  Drawn draw(const Tensor& x) {
    const Shape& shape = x.type().shape;
    const int64_t kind = shape.empty() ? 3 : between(0, 4);
    return kind == 0 ? transpose(x) : kind == 1 ? slice(x) : kind == 2 ? pad(x) : kind == 3 ? reshape(x) : take(x);
  }

 private:
  static Drawn drawn(const std::string& op, Attributes attributes, Tensor expected,
                     std::vector<Tensor> constants = {}) {
    Call call;
    call.op = find_operator(op);
    call.attributes = std::move(attributes);
    return {call, std::move(constants), std::move(expected)};
  }

  Drawn transpose(const Tensor& x) {
    const Shape& from = x.type().shape;
    Index axes(from.size());
    std::iota(axes.begin(), axes.end(), 0);
    std::shuffle(axes.begin(), axes.end(), source_);
    Shape to;
    for (const int64_t axis : axes) {
      to.push_back(from[axis]);
    }
    return drawn("transpose", {{"axes", axes}}, move_each(x, to, [&](const Index& index) {
                   Index back(axes.size());
                   for (std::size_t i = 0; i < axes.size(); ++i) {
                     back[axes[i]] = index[i];
                   }
                   return back;
                 }));
  }

  Drawn slice(const Tensor& x) {
    Index begin, strides;
    Shape sizes;
    for (const int64_t size : x.type().shape) {
      begin.push_back(between(0, size - 1));
      strides.push_back(between(0, 1) == 0 ? 1 : std::array<int64_t, 4>{-2, -1, 2, 3}[between(0, 3)]);
      const int64_t room = strides.back() > 0 ? size - 1 - begin.back() : begin.back();
      sizes.push_back(between(1, room / std::abs(strides.back()) + 1));
    }
    return drawn("strided_slice", {{"begin", begin}, {"sizes", sizes}, {"strides", strides}},
                 move_each(x, sizes, [&](Index index) {
                   for (std::size_t i = 0; i < index.size(); ++i) {
                     index[i] = begin[i] + index[i] * strides[i];
                   }
                   return index;
                 }));
  }

  Drawn pad(const Tensor& x) {
    const Shape& from = x.type().shape;
    Index pads(2 * from.size());
    std::generate(pads.begin(), pads.end(), [&] { return std::max<int64_t>(between(-2, 2), 0); });
    Shape to = from;
    for (std::size_t i = 0; i < to.size(); ++i) {
      to[i] += pads[i] + pads[i + to.size()];
    }
    return drawn("pad", {{"pads", pads}, {"value", double{kFill}}}, move_each(x, to, [&](Index index) {
                   bool is_inside = true;
                   for (std::size_t i = 0; i < index.size(); ++i) {
                     index[i] -= pads[i];
                     is_inside = is_inside && index[i] >= 0 && index[i] < from[i];
                   }
                   return is_inside ? index : Index();
                 }));
  }

  /// Into random factors of the number of elements.
  Drawn reshape(const Tensor& x) {
    Shape to;
    int64_t left = count_elements(x.type().shape);
    while (left > 1 || between(0, 2) == 0) {
      int64_t factor = between(1, 6);
      factor = left % factor == 0 && to.size() < 4 ? factor : left;
      to.push_back(factor);
      left /= factor;
    }
    Tensor same({to, ElementType::kInt32});
    std::copy(x.bytes().begin(), x.bytes().end(), same.bytes().begin());
    return drawn("reshape", {{"newshape", to}}, std::move(same));
  }

  /// By a row of indices or one, some counted from the end.
  Drawn take(const Tensor& x) {
    const Shape& from = x.type().shape;
    const auto axis = static_cast<std::size_t>(between(0, static_cast<int64_t>(from.size()) - 1));
    Shape shape(static_cast<std::size_t>(between(0, 1)));
    std::generate(shape.begin(), shape.end(), [&] { return between(1, 4); });
    Tensor indices({shape, ElementType::kInt64});
    for (int64_t i = 0; i < count_elements(shape); ++i) {
      indices.set_integer(i, between(-from[axis], from[axis] - 1));
    }
    Shape to = from;
    to.erase(to.begin() + axis);
    to.insert(to.begin() + axis, shape.begin(), shape.end());
    Tensor expected = move_each(x, to, [&](const Index& index) {
      const auto first = index.begin() + axis, last = first + shape.size();
      const int64_t given = indices.integer_at(place_of({first, last}, shape));
      Index back(index.begin(), first);
      back.push_back(given < 0 ? given + from[axis] : given);
      back.insert(back.end(), last, index.end());
      return back;
    });
    return drawn("take", {{"axis", static_cast<int64_t>(axis)}}, std::move(expected), {std::move(indices)});
  }

  std::mt19937 source_;
};

/// What the loops of a map give, which visit each element once.
std::vector<int32_t> run(const MapLoops& map, const Tensor& x, int64_t elements) {
  std::vector<int32_t> result(static_cast<std::size_t>(elements), kFill - 1);
  const std::function<void(std::size_t, int64_t, int64_t, bool)> walk = [&](std::size_t level, int64_t from, int64_t to,
                                                                            bool is_inside) {
    if (level == map.loops.size()) {
      EXPECT_EQ(result.at(to), kFill - 1) << "written twice";
      result.at(to) = is_inside ? x.values<int32_t>()[from] : kFill;
      return;
    }
    const MapLoop& loop = map.loops[level];
    for (int64_t i = 0; i < loop.size; ++i) {
      const bool reads = loop.table.empty() ? i >= loop.first && i < loop.last : loop.table[i] >= 0;
      const int64_t step = loop.table.empty() ? loop.from_step * (i - loop.first) : loop.table[i];
      walk(level + 1, from + step, to + i * loop.to_step, is_inside && reads);
    }
  };
  walk(0, map.start, 0, true);
  return result;
}

TEST(IndexMapTest, OperatorsInARowAreOneMap) {
  const char* given = std::getenv("SEED");
  const unsigned seed = given == nullptr ? 5 : static_cast<unsigned>(std::strtoul(given, nullptr, 10));
  Drawing drawing(seed);
  int operators = 0, composed = 0, networks = 0;
  for (int round = 0; round < 2000; ++round) {
    Shape shape(static_cast<std::size_t>(drawing.between(1, 5)));
    std::generate(shape.begin(), shape.end(), [&] { return drawing.between(1, 6); });
    Tensor x({shape, ElementType::kInt32});
    std::iota(x.values<int32_t>().begin(), x.values<int32_t>().end(), 0);
    IndexMap map(shape);
    Tensor value = x;
    bool is_map = true;
    for (int64_t length = drawing.between(1, 6); length > 0 && count_elements(value.type().shape) < 5000; --length) {
      const Drawn drawn = drawing.draw(value);
      std::vector<const Tensor*> inputs{&value};
      for (const Tensor& constant : drawn.constants) {
        inputs.push_back(&constant);
      }
      ASSERT_EQ(drawn.call.op->evaluate(drawn.call, inputs), drawn.expected)
          << "SEED=" << seed << ", round " << round << ": " << drawn.call.op->name;
      is_map = is_map && drawn.call.op->move(drawn.call, inputs, map);
      value = drawn.expected;
      ++operators;
    }
    ++networks;
    if (!is_map) {
      continue;
    }
    ++composed;
    const auto expected = value.values<int32_t>();
    EXPECT_EQ(map.shape(), value.type().shape);
    EXPECT_EQ(run(map.loops(), x, count_elements(value.type().shape)),
              std::vector<int32_t>(expected.begin(), expected.end()))
        << "SEED=" << seed << ", round " << round;
  }
  std::printf("SEED=%u: %d operators, %d of %d rows are one map\n", seed, operators, composed, networks);
  EXPECT_GT(composed * 4, networks * 3);
}

/// A channel shuffle, NHWC to NCHW, and a border: few loops, and a long one inside.
TEST(IndexMapTest, LoopsAreFew) {
  IndexMap shuffle({1, 6, 8, 8});
  ASSERT_TRUE(shuffle.reshape({1, 2, 3, 8, 8}));
  shuffle.permute({0, 2, 1, 3, 4});
  ASSERT_TRUE(shuffle.reshape({1, 6, 8, 8}));
  ASSERT_EQ(shuffle.loops().loops.size(), 3u);
  EXPECT_EQ(shuffle.loops().loops[2].size, 64);

  IndexMap to_nchw({1, 8, 8, 3});
  to_nchw.permute({0, 3, 1, 2});
  ASSERT_EQ(to_nchw.loops().loops.size(), 2u);
  EXPECT_EQ(to_nchw.loops().loops[1].size, 64);
  EXPECT_EQ(to_nchw.loops().loops[1].from_step, 3);

  IndexMap crop({1, 8, 8, 8});
  ASSERT_TRUE(crop.select(1, IndexSteps({4, 2, 1})));
  ASSERT_EQ(crop.loops().loops.size(), 1u);
  EXPECT_EQ(crop.loops().start, 128);
  EXPECT_EQ(crop.loops().loops[0].size, 256);
}

/// A billion elements are a few runs: padded, cut and turned, at once.
TEST(IndexMapTest, ALongAxisIsAFewRuns) {
  constexpr int64_t kSize = 1 << 30;
  IndexMap map({1, kSize});
  IndexSteps padded({2, kOutside, 0});
  padded.append({kSize, 0, 1});
  padded.append({2, kOutside, 0});
  ASSERT_TRUE(map.select(1, padded));
  ASSERT_TRUE(map.select(1, IndexSteps({kSize / 2, 4, 1})));
  ASSERT_TRUE(map.reshape({2, kSize / 4}));
  map.permute({1, 0});
  ASSERT_TRUE(map.reshape({kSize / 2}));
  EXPECT_EQ(map.count_entries(), 0);
  const MapLoops result = map.loops();
  EXPECT_EQ(result.start, 2);
  ASSERT_EQ(result.loops.size(), 2u);
  EXPECT_EQ(result.loops[1].size, kSize / 4);
  EXPECT_EQ(result.loops[0].from_step, kSize / 4);
}

/// Every other one of what has a border is no row of equal steps: of many elements no map.
TEST(IndexMapTest, TooManyRunsAreNoMap) {
  IndexMap map({2, 1 << 29});
  map.permute({1, 0});
  ASSERT_TRUE(map.reshape({1 << 30}));
  EXPECT_FALSE(map.select(0, IndexSteps({1 << 29, 0, 1})));
}

/// Two fills are two maps.
TEST(IndexMapTest, HasOneFill) {
  IndexMap map({2});
  EXPECT_TRUE(map.fill_with(1));
  EXPECT_TRUE(map.fill_with(1));
  EXPECT_FALSE(map.fill_with(2));
}

/// What was padded and cut again in the middle of a row of another length is no map of axes.
TEST(IndexMapTest, SomeReshapesAreNoMap) {
  IndexMap map({4});
  IndexSteps padded({4, 0, 1});
  padded.append({2, kOutside, 0});
  ASSERT_TRUE(map.select(0, padded));
  EXPECT_FALSE(map.reshape({2, 3}));
}

}  // namespace
}  // namespace fovea
