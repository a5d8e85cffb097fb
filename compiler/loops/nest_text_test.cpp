// SPDX-License-Identifier: Apache-2.0
/// \file
/// Texts of nests, and texts that are none.
#include "nest_text.h"

#include <gtest/gtest.h>

#include <string>

#include "tensor/error.h"

namespace fovea {
namespace {

TEST(NestText, IsPrintedAsItIsRead) {
  const std::string text = R"(nest n(x: input u8[2, 3], y: output f32[2, 3], t: register f64, g: glb i32[4]) {
  for i in 2 parallel {
    t = 0.1
    for j in 3 unrolled {
      t = (t + f64((x[i, (j + 1)] else i64(-5))))
      y[i, j] = select((t < 0.5), exp(-1.5f), f32(-inf))
    }
    unit array {
      for k in 4 by 3 vector {
        if ((k < 3) and (0 <= i)) {
          g[k] = i64(3)
        }
      }
    }
  }
}
)";
  EXPECT_EQ(to_text(parse_nest(text, "n")), text);
}

void expect_problem(const std::string& body, const std::string& problem) {
  const std::string text = "nest n(x: input f32[2], y: output f32[2]) {\n" + body + "\n}";
  try {
    parse_nest(text, "n.txt");
    FAIL() << body;
  } catch (const UserError& error) {
    EXPECT_EQ(error.what(), "n.txt:2: " + problem) << body;
  }
}

TEST(NestText, SaysWhatItIsNot) {
  expect_problem("y[0] = z[0]", "nothing is called z here");
  expect_problem("y[0] = gamma(x[0])", "there is no function gamma");
  expect_problem("y[0] = (x[0] + 1.0)", "+ does not take values of these types");
  expect_problem("y[0] = exp(x[0], x[1])", "exp takes 1 values, not 2");
  expect_problem("y[0] = (x[0] ? x[1])", "\"?\" has no meaning here");
  expect_problem("y[0] = x[1.5]", "an index of x is none");
  expect_problem("for i in -1 { y[0] = x[0] }", "expected how often a loop runs, a number of 0 or more, not \"-1\"");
  expect_problem("if 3 { y[0] = x[0] }", "what stands behind \"if\" is no condition");
  expect_problem("for i in 2 quick { y[i] = x[i] }", "there is no kind of loop quick");
}

}  // namespace
}  // namespace fovea
