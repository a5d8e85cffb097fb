// SPDX-License-Identifier: Apache-2.0
/// \file
/// Steps of schedules on random nests: what they accept computes the same as before, bit for bit; and what they refuse.
#include "schedule.h"

#include <gtest/gtest.h>

#include <functional>

#include "drawn_steps.h"
#include "interpret.h"
#include "lower.h"
#include "nest_text.h"
#include "ops/definition.h"
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
      for (int step = 0; step < 6; ++step) {
        scheduled = steps.draw(scheduled);
      }
      SCOPED_TRACE(op.name + ", SEED=" + std::to_string(drawing_seed()) + "\n" + to_text(scheduled));
      ASSERT_NO_THROW(verify_nest(scheduled));
      ASSERT_EQ(interpret(scheduled, drawn.pointers(), type), expected);
      ASSERT_EQ(to_text(parse_nest(to_text(scheduled), "nest")), to_text(scheduled));
    }
  }
  for (const char* step : {"tile", "reorder", "unroll", "vectorize"}) {
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
  EXPECT_EQ(problem_of([&] { return reorder(nest, "j", "i"); }),
            "nest n: reorder j and i: i is not all of the body of j");
  EXPECT_EQ(problem_of([&] { return vectorize(nest, "i"); }), "nest n: vectorize i: there are loops in it");
  EXPECT_EQ(problem_of([&] { return vectorize(nest, "k"); }), "nest n: vectorize k: s goes on from turn to turn");
  const Nest same = with_array("y[i, (j / 2)] = x[i, j]");
  EXPECT_EQ(problem_of([&] { return vectorize(same, "j"); }),
            "nest n: vectorize j: turns may store at the same place of y");
  EXPECT_EQ(problem_of([&] { return reorder(with_array("y[0, j] = x[i, j]"), "i", "j"); }),
            "nest n: reorder i and j: turns may store at the same place of y");
  EXPECT_EQ(problem_of([&] { return vectorize(with_array("t[i, j] = t[0, j]"), "j"); }),
            "nest n: vectorize j: t is used at several places in a turn");
  const Nest large = parse_nest("nest n(y: output f32[65]) { for i in 65 { y[i] = 0.0f } }", "n");
  EXPECT_EQ(problem_of([&] { return unroll(large, "i"); }), "nest n: unroll i: 65 turns are more than 64");
  EXPECT_EQ(problem_of([&] { return unroll(tile(large, "i", 2), "i"); }), "") << "33 turns of two";
}

}  // namespace
}  // namespace fovea
