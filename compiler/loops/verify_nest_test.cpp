// SPDX-License-Identifier: Apache-2.0
/// \file
/// Nests with one thing wrong: each is found, and said.
#include "verify_nest.h"

#include <gtest/gtest.h>

#include <string>

#include "nest_text.h"
#include "tensor/error.h"

namespace fovea {
namespace {

std::string problem_of(const std::string& text) {
  try {
    verify_nest(parse_nest(text, "n"));
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

/// A nest over x [4] and y [4], with such a body.
std::string with_body(const std::string& body) {
  return "nest n(x: input f32[4], y: output f32[4], t: register f64) {\n" + body + "\n}";
}

TEST(VerifyNest, TakesWhatMakesSense) {
  EXPECT_EQ(problem_of(with_body("for i in 4 { y[i] = x[i] }")), "");
  EXPECT_EQ(problem_of(with_body("for i in 4 { y[i] = (x[(i + 1)] else 0.0f) }")), "");
  EXPECT_EQ(problem_of(with_body("for i in 8 { y[(i / 2)] = x[(i % 4)] }")), "");
  EXPECT_EQ(problem_of(with_body("for i in 8 { y[min(i, 3)] = x[max((i - 4), 0)] }")), "");
}

TEST(VerifyNest, FindsIndicesOutside) {
  EXPECT_EQ(problem_of(with_body("for i in 5 { y[i] = 0.0f }")),
            "nest n: an index of y along axis 0 goes from 0 to 4, outside of its 4");
  EXPECT_EQ(problem_of(with_body("for i in 4 { y[i] = x[(i - 1)] }")),
            "nest n: an index of x along axis 0 goes from -1 to 2, outside of its 4");
  EXPECT_EQ(problem_of(with_body("for i in 4 { y[i] = x[((i * 2) + 1)] }")),
            "nest n: an index of x along axis 0 goes from 1 to 7, outside of its 4");
  EXPECT_EQ(problem_of(with_body("for i in 4 { y[i] = x[i, i] }")), "nest n: x has 1 axes, not 2");
}

TEST(VerifyNest, KnowsWhatConditionsSay) {
  const std::string tiled = "for i in 4 by 3 { for j in 3 { ";
  EXPECT_EQ(problem_of(with_body(tiled + "if ((i + j) < 4) { y[(i + j)] = x[(i + j)] } } }")), "");
  EXPECT_EQ(problem_of(with_body(tiled + "y[(i + j)] = 0.0f } }")),
            "nest n: an index of y along axis 0 goes from 0 to 5, outside of its 4");
  EXPECT_EQ(problem_of(with_body(tiled + "if ((i + j) < 5) { y[(i + j)] = 0.0f } } }")),
            "nest n: an index of y along axis 0 goes from 0 to 4, outside of its 4");
  EXPECT_EQ(problem_of(with_body(tiled + "if ((i + j) < 4) { t = 0.0 } y[(i + j)] = 0.0f } }")),
            "nest n: an index of y along axis 0 goes from 0 to 5, outside of its 4");
  EXPECT_EQ(problem_of(with_body("for i in 8 { if ((3 < i) and (i <= 7)) { y[(i - 4)] = 0.0f } }")), "");
  EXPECT_EQ(problem_of(with_body("for i in 4 by 0 { y[i] = 0.0f }")), "nest n: the loop i goes by 0");
}

TEST(VerifyNest, FindsWrongTypesAndScopes) {
  EXPECT_EQ(problem_of(with_body("for i in 4 { y[i] = 0.0 }")), "nest n: what is stored in y has another type");
  EXPECT_EQ(problem_of(with_body("for i in 4 { x[i] = 0.0f }")), "nest n: stores in x, which is an input");
  EXPECT_EQ(problem_of(with_body("for i in 4 { y[i] = y[i] }")), "nest n: reads y, which is an output");
  EXPECT_EQ(problem_of(with_body("for i in 4 { y[i] = f32(t) }")), "nest n: reads t before anything is stored there");
  EXPECT_EQ(problem_of(with_body("for i in 0 { t = 0.0 } y[0] = f32(t)")),
            "nest n: reads t before anything is stored there");
}

TEST(VerifyNest, FindsNamesThatTwoThingsHave) {
  EXPECT_EQ(problem_of(with_body("for x in 4 { y[x] = 0.0f }")), "nest n: two things are called x");
  EXPECT_EQ(problem_of(with_body("for i in 2 { for i in 2 { y[i] = 0.0f } }")), "nest n: two things are called i");
}

TEST(VerifyNest, FindsVariablesOutsideOfTheirLoops) {
  Nest nest = parse_nest(with_body("for i in 4 { y[i] = x[i] }"), "n");
  const Statement inner = nest.body[0].body[0];
  nest.body.push_back(inner);
  EXPECT_THROW(verify_nest(nest), UserError);
}

}  // namespace
}  // namespace fovea
