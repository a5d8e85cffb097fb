// SPDX-License-Identifier: Apache-2.0
/// \file
/// Steps of schedules on random nests: what they accept computes the same as before, bit for bit; and what they refuse.
#include "schedule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "drawn_steps.h"
#include "interpret.h"
#include "lower.h"
#include "nest_text.h"
#include "ops/definition.h"
#include "schedule_trace.h"
#include "tensor/error.h"
#include "verify_nest.h"

namespace fovea {
namespace {

TEST(Schedule, StepsKeepWhatNestsCompute) {
  StepDrawing steps(drawing_seed());
  for (const Operator& op : operators()) {
    for (int i = 0; i < 12; ++i) {
      const DrawnCall drawn = steps.calls().draw(op);
      if (drawn.call.op == nullptr) {
        continue;
      }
      std::vector<std::string> names;
      for (std::size_t input = 0; input < drawn.inputs.size(); ++input) {
        names.push_back("x" + std::to_string(input));
      }
      const TensorType type = op.evaluate(drawn.call, drawn.pointers()).type();
      const Nest nest = lower("call", *definition_of(drawn.call, drawn.types()), names, type);
      const Tensor expected = interpret(nest, drawn.pointers(), type);
      Nest scheduled = nest;
      for (int step = 0; step < 10; ++step) {
        scheduled = steps.draw(scheduled);
      }
      SCOPED_TRACE(op.name + ", SEED=" + std::to_string(drawing_seed()) + "\n" + to_text(scheduled));
      ASSERT_NO_THROW(verify_nest(scheduled));
      ASSERT_EQ(interpret(scheduled, drawn.pointers(), type), expected);
      ASSERT_EQ(to_text(parse_nest(to_text(scheduled), "nest")), to_text(scheduled));
    }
  }
  for (const char* step :
       {"tile", "split", "split_parts", "fuse", "reorder", "unroll", "vectorize", "parallel", "cache_read"}) {
    EXPECT_GT(steps.taken[step], 50) << step;
  }
  EXPECT_GT(steps.refused["reorder"], 50);
  EXPECT_GT(steps.refused["vectorize"], 50);
}

/// A nest over x [5, 6] and y [5, 6] with an array t [5, 6], of which the second half of the body reads.
Nest with_array(const std::string& reads) {
  return parse_nest(R"(nest n(x: input f32[5, 6], y: output f32[5, 6], t: register f32[5, 6], s: register f64) {
    for a in 5 { for b in 6 {
      s = 0.0
      for k in 3 { s = (s + f64((x[a, (b + k)] else 0.5f))) }
      t[a, b] = exp(f32(s))
    } }
    for i in 5 { for j in 6 { )" +
                        reads + " } }\n}",
                    "n");
}

std::string problem_of(const std::function<Nest()>& step) {
  try {
    step();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(Schedule, SaysWhatIsNoStep) {
  const Nest nest = with_array("y[i, j] = t[i, j]");
  EXPECT_EQ(problem_of([&] { return tile(nest, "q", 4); }), "nest n: tile q by 4: there is no loop q");
  EXPECT_EQ(problem_of([&] { return tile(nest, "i", 0); }), "nest n: tile i by 0: a tile has one turn or more");
  EXPECT_EQ(problem_of([&] { return tile(tile(nest, "i", 2), "i", 2); }),
            "nest n: tile i by 2: the loop goes by 2 already");
  EXPECT_EQ(problem_of([&] {
              return reorder(nest, {"i", "a"});
            }),
            "nest n: reorder i and a: no loop of them is around all others");
  EXPECT_EQ(problem_of([&] { return vectorize(nest, "i"); }), "nest n: vectorize i: there are loops in it");
  EXPECT_EQ(problem_of([&] { return vectorize(nest, "k"); }), "nest n: vectorize k: s goes on from turn to turn");
  const Nest same = with_array("y[i, (j / 2)] = x[i, j]");
  EXPECT_EQ(problem_of([&] { return vectorize(same, "j"); }),
            "nest n: vectorize j: turns may store at the same place of y");
  EXPECT_EQ(problem_of([&] {
              return reorder(with_array("y[0, (j / 2)] = x[i, j]"), {"j", "i"});
            }),
            "nest n: reorder j and i: turns may store at the same place of y");
  EXPECT_EQ(problem_of([&] { return vectorize(with_array("t[i, j] = t[0, j]"), "j"); }),
            "nest n: vectorize j: t is used at several places in a turn");
  const Nest large = parse_nest("nest n(y: output f32[65]) { for i in 65 { y[i] = 0.0f } }", "n");
  EXPECT_EQ(problem_of([&] { return unroll(large, "i"); }), "nest n: unroll i: 65 turns are more than 64");
  EXPECT_EQ(problem_of([&] { return unroll(tile(large, "i", 2), "i"); }), "") << "33 turns of two";
}

/// A product of matrices behind a ReLU.
Nest product_nest() {
  return parse_nest(R"(nest n(a: input f32[12, 5], b: input f32[5, 6], y: output f32[12, 6], t: register f64) {
    for i in 12 { for j in 6 { t = 0.0 for k in 5 { t = (t + (f64(a[i, k]) * f64(b[k, j]))) }
      y[i, j] = max(0.0f, f32(t)) } } })",
                    "n");
}

/// What an order of additions shows in: no sum of these is the same in another.
Tensor numbers(const Shape& shape) {
  Tensor tensor({shape, ElementType::kFloat32});
  for (std::size_t i = 0; i < tensor.bytes().size() / sizeof(float); ++i) {
    tensor.set(i,
               std::ldexp(1 + 0.1 * static_cast<double>(i % 7), static_cast<int>(i * 11 % 40)) * (i % 3 == 0 ? -1 : 1));
  }
  return tensor;
}

/// The product after steps, which has the same bits.
Nest product_after(const std::vector<std::string>& trace) {
  const Tensor a = numbers({12, 5}), b = numbers({5, 6});
  const TensorType type{{12, 6}, ElementType::kFloat32};
  const Nest nest = product_nest(), after = apply_trace(nest, trace);
  EXPECT_EQ(interpret(after, {&a, &b}, type), interpret(nest, {&a, &b}, type)) << to_text(after);
  return after;
}

bool has(const Nest& nest, const std::string& text) { return to_text(nest).find(text) != std::string::npos; }

TEST(Schedule, StagesKeepWhatNestsCompute) {
  const std::vector<std::string> tiled{"tile i 4", "reorder i j i_in", "decompose_reduction k i_in"};
  EXPECT_TRUE(has(product_after(tiled), "t: register f64[4]"));
  const auto and_then = [&](std::vector<std::string> more) {
    more.insert(more.begin(), tiled.begin(), tiled.end());
    return product_after(more);
  };
  EXPECT_TRUE(has(and_then({"reorder k i_in", "parallel i", "unroll i_in"}), "for i in 12 by 4 parallel"));
  // What is read and written goes through arrays; rows that are not all full copy what there is.
  const Nest cached = product_after({"tile i 5", "cache_read a i", "cache_read b j", "cache_write y j"});
  for (const char* text : {"a_cache: register f32[5, 5]", "b_cache: register f32[5, 1]"}) {
    EXPECT_TRUE(has(cached, text)) << to_text(cached);
  }
  // Copies of what the products convert are float64, and the products read them.
  const Nest converted = product_after({"tile i 5", "cache_converted a i", "cache_converted b j"});
  for (const char* text : {"a_cache: register f64[5, 5]", "b_cache: register f64[5, 1]", "] = f64(a[",
                           "(a_cache[i_in, k] * b_cache[k, 0])"}) {
    EXPECT_TRUE(has(converted, text)) << to_text(converted);
  }
  // A copy of all is made where it is read instead, and the last loops follow those before them.
  const Nest moved = product_after({"cache_read a i", "cache_write y i", "decompose_reduction k j",
                                    "reverse_compute_at j_last j", "reverse_compute_at j j_first"});
  EXPECT_TRUE(has(moved, "for j_first in 6 {\n      t[j_first] = 0.0\n      for k in 5 {")) << to_text(moved);
  EXPECT_TRUE(has(product_after({"fuse i j", "parallel i_j"}), "for i_j in 72 parallel"));
  EXPECT_TRUE(
      has(product_after({"split i 8", "split_parts j 3", "reorder j_out i_out j_in i_in"}),
          "for j_out in 3 {\n    for i_out in 2 {\n      for j_in in 2 {\n        for i_in in 8 {\n          if "));
}

TEST(Schedule, ComputesAnArrayAtItsReaders) {
  const Nest nest = parse_nest(R"(nest n(x: input f32[40], y: output f32[38], t: register f32[40]) {
    for a in 40 { t[a] = exp(x[a]) }
    for i in 38 { y[i] = (t[i] + x[i]) } })",
                               "n");
  const Tensor x = numbers({40});
  const TensorType type{{38}, ElementType::kFloat32};
  for (const std::vector<std::string>& trace : {std::vector<std::string>{"compute_at t i"},
                                                {"tile i 8", "compute_at t i"},
                                                {"split_parts i 3", "compute_at t i_out"}}) {
    const Nest after = apply_trace(nest, trace);
    EXPECT_EQ(to_text(after).find("for a"), std::string::npos) << to_text(after);
    EXPECT_EQ(interpret(after, {&x}, type), interpret(nest, {&x}, type)) << to_text(after);
  }
  EXPECT_EQ(problem_of([&] { return apply_trace(nest, {"compute_at x i"}); }),
            "nest n: compute x at i: x is no array of the nest (step 1)");
  EXPECT_EQ(problem_of([&] { return apply_trace(nest, {"compute_at t a"}); }),
            "nest n: compute t at a: a does not have all that reads t (step 1)");
  EXPECT_EQ(problem_of([&] { return apply_trace(nest, {"reverse_compute_at i a"}); }),
            "nest n: compute i behind a: they run 38 and 40 times (step 1)");
}

TEST(Schedule, SaysWhichStepIsNone) {
  const std::pair<const char*, const char*> problems[] = {
      {"turn i", "nest n: there is no step \"turn\"; there are tile, split, "},
      {"tile i", "nest n: \"tile i\" does not fit tile, which takes \"loop size\""},
      {"tile i x", "nest n: \"tile i x\" does not fit tile, which takes \"loop size\""},
      {"reorder k j", "nest n: reorder k and j: k is not all of the body of j"},
      {"fuse i k", "nest n: fuse i and k: k is not all of the body of i"},
      {"parallel k", "nest n: parallel k: t goes on from turn to turn"},
      {"decompose_reduction j i", "nest n: decompose j at i: nothing is before it or behind it"},
      {"decompose_reduction i j", "nest n: decompose i at j: i is not in j"},
      {"cache_read y i", "nest n: cache y at i: y is no input"},
      {"cache_converted y i", "nest n: cache y converted at i: y is no input"},
      {"cache_write a i", "nest n: cache a at i: a is no output"},
      {"compute_at t k", "nest n: compute t at k: t is no array of the nest"},
      {"reverse_compute_at j i", "nest n: compute j behind i: j does not stand right behind i"},
      {"split i 0", "nest n: split i by 0: a tile has one turn or more"}};
  for (const auto& [step, problem] : problems) {
    EXPECT_EQ(problem_of([&, text = step] { return apply_step(product_nest(), text); }).rfind(problem, 0), 0U)
        << problem_of([&, text = step] { return apply_step(product_nest(), text); });
  }
  EXPECT_EQ(problem_of([] {
              return apply_step(parse_nest("nest n(x: input f32[4], y: output f32[4]) { for i in 4 { "
                                           "y[i] = (f32((f64(x[i]) * f64(x[i]))) + x[i]) } }",
                                           "n"),
                                "cache_converted x i");
            }),
            "nest n: cache x converted at i: x is also used without a conversion to f64");
  // The order of a sum's own terms stays.
  EXPECT_EQ(problem_of([] {
              return apply_trace(parse_nest("nest n(x: input f32[4, 4], y: output f32[1], t: register f64) { t = 0.0 "
                                            "for k in 4 { for l in 4 { t = (t + f64(x[k, l])) } } y[0] = f32(t) }",
                                            "n"),
                                 {"reorder l k"});
            }),
            "nest n: reorder l and k: t goes on from turn to turn (step 1)");
}

}  // namespace
}  // namespace fovea
