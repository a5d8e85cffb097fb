// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the CPU's rules make of nests: which loops, and the same answers.
#include "targets/nest_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loops/c_nest.h"
#include "loops/interpret.h"
#include "loops/nest_text.h"
#include "loops/schedule_trace.h"
#include "loops/verify_nest.h"

namespace fovea {
namespace {

using testing::ElementsAre;

/// The nest by the rules, after it has given the same answer. Inputs and output are float32.
std::string scheduled_text(const std::string& text, bool has_short_stack = false) {
  const Nest nest = parse_nest(text, "nest");
  const auto [result, trace] = scheduled(nest, cpu_nest_rules(has_short_stack));
  verify_nest(result);
  EXPECT_EQ(c_function(apply_trace(nest, trace), "f"), c_function(result, "f"));
  std::vector<Tensor> inputs;
  TensorType output;
  for (const NestBuffer& buffer : nest.buffers) {
    if (buffer.scope == MemoryScope::kInput) {
      inputs.emplace_back(TensorType{buffer.shape, ElementType::kFloat32});
      for (std::size_t i = 0; i < static_cast<std::size_t>(count_elements(buffer.shape)); ++i) {
        inputs.back().set(i, 0.1 * static_cast<double>(i));
      }
    } else if (buffer.scope == MemoryScope::kOutput) {
      output = {buffer.shape, ElementType::kFloat32};
    }
  }
  std::vector<const Tensor*> pointers;
  for (const Tensor& each : inputs) {
    pointers.push_back(&each);
  }
  EXPECT_EQ(interpret(result, pointers, output), interpret(nest, pointers, output)) << to_text(result);
  return to_text(result);
}

TEST(NestRules, TileWhatIsTransposed) {
  EXPECT_EQ(scheduled_text("nest n(x: input f32[9, 20, 24], y: output f32[24, 9, 20]) {"
                           "for i in 24 { for j in 9 { for k in 20 { y[i, j, k] = x[j, k, i] } } } }"),
            R"(nest n(x: input f32[9, 20, 24], y: output f32[24, 9, 20]) {
  for i in 24 by 12 {
    for j in 9 {
      for k in 20 by 16 {
        for i_in in 12 {
          for k_in in 16 {
            if ((k + k_in) < 20) {
              y[(i + i_in), j, (k + k_in)] = x[j, (k + k_in), (i + i_in)]
            }
          }
        }
      }
    }
  }
}
)");
}

TEST(NestRules, UnrollShortLoops) {
  const std::string unrolled = scheduled_text(
      "nest n(x: input f32[9, 9], y: output f32[7], t: register f64) { for i in 7 { t = 0.0 "
      "for j in 3 { for k in 3 { t = (t + f64(x[(i + j), (i + k)])) } } y[i] = f32(t) } }");
  EXPECT_NE(unrolled.find("for j in 3 unrolled"), std::string::npos) << unrolled;
  EXPECT_NE(unrolled.find("for k in 3 unrolled"), std::string::npos) << unrolled;
  EXPECT_NE(unrolled.find("for i in 7 {"), std::string::npos) << unrolled;
}

TEST(NestRules, SumsSideBySide) {
  EXPECT_EQ(
      scheduled_text("nest n(a: input f32[24, 20], b: input f32[20, 16], y: output f32[24, 16], t: register f64) {"
                     "for i in 24 { for j in 16 { t = 0.0 for k in 20 { t = (t + (f64(a[i, k]) * f64(b[k, j]))) }"
                     "y[i, j] = max(0.0f, f32(t)) } } }",
                     true),
      R"(nest n(a: input f32[24, 20], b: input f32[20, 16], y: output f32[24, 16], t: register f64[8, 8]) {
  for i in 24 by 8 {
    for j in 16 by 8 {
      for i_in_first in 8 unrolled {
        for j_in_first in 8 vector {
          t[i_in_first, j_in_first] = 0.0
        }
      }
      for k in 20 {
        for i_in in 8 unrolled {
          for j_in in 8 vector {
            t[i_in, j_in] = (t[i_in, j_in] + (f64(a[(i + i_in), k]) * f64(b[k, (j + j_in)])))
          }
        }
      }
      for i_in_last in 8 unrolled {
        for j_in_last in 8 vector {
          y[(i + i_in_last), (j + j_in_last)] = max(0.0f, f32(t[i_in_last, j_in_last]))
        }
      }
    }
  }
}
)");
  // With room for arrays, what is summed is converted once: rows and, where many tiles read them, columns.
  const std::string converted = scheduled_text(
      "nest n(a: input f32[24, 20], b: input f32[20, 16], y: output f32[24, 16], t: register f64) {"
      "for i in 24 { for j in 16 { t = 0.0 for k in 20 { t = (t + (f64(a[i, k]) * f64(b[k, j]))) }"
      "y[i, j] = max(0.0f, f32(t)) } } }");
  for (const char* text :
       {"t: register f64[6, 8], a_cache: register f64[24, 20], b_cache: register f64[20, 8]", "for i in 24 by 24 {",
        "      for i_in in 24 by 6 {\n        for i_in_in_first in 6 unrolled {",
        "t[i_in_in, j_in] = (t[i_in_in, j_in] + (a_cache[(i_in + i_in_in), k] * b_cache[k, j_in]))"}) {
    EXPECT_NE(converted.find(text), std::string::npos) << converted;
  }
  const std::string few_rows = scheduled_text(
      "nest n(a: input f32[6, 20], b: input f32[20, 12], y: output f32[6, 12], t: register f64) {"
      "for i in 6 { for j in 12 { t = 0.0 for k in 20 { t = (t + (f64(a[i, k]) * f64(b[k, j]))) }"
      "y[i, j] = f32(t) } } }");
  EXPECT_NE(few_rows.find("t: register f64[6, 4], a_cache: register f64[6, 20]) {"), std::string::npos) << few_rows;
  EXPECT_NE(few_rows.find("for j_in in 4 vector"), std::string::npos) << few_rows;
  // A row that has no tiles stays whole.
  const std::string whole = scheduled_text(
      "nest n(x: input f32[40, 19], y: output f32[19], t: register f64) {"
      "for j in 19 { t = 0.0 for k in 40 { t = (t + f64(x[k, j])) } y[j] = f32(t) } }");
  EXPECT_NE(whole.find("for k in 40 {\n    for j in 19 vector {\n      t[j] = (t[j] + f64(x[k, j]))"),
            std::string::npos)
      << whole;
}

TEST(NestRules, AreStepsThatCanBeWritten) {
  const auto trace_of = [](const std::string& text) {
    return scheduled(parse_nest(text, "nest"), cpu_nest_rules()).trace;
  };
  EXPECT_THAT(trace_of("nest n(a: input f32[24, 20], b: input f32[20, 16], y: output f32[24, 16], t: register f64) {"
                       "for i in 24 { for j in 16 { t = 0.0 for k in 20 { t = (t + (f64(a[i, k]) * f64(b[k, j]))) }"
                       "y[i, j] = f32(t) } } }"),
              ElementsAre("tile j 8", "tile i 24", "tile i_in 6", "reorder j i_in i_in_in", "cache_converted a i",
                          "cache_converted b j", "decompose_reduction k i_in_in", "reorder k i_in_in j_in",
                          "vectorize j_in_first", "unroll i_in_in_first", "vectorize j_in", "unroll i_in_in",
                          "vectorize j_in_last", "unroll i_in_in_last"));
  EXPECT_THAT(trace_of("nest n(x: input f32[9, 20, 24], y: output f32[24, 9, 20]) {"
                       "for i in 24 { for j in 9 { for k in 20 { y[i, j, k] = x[j, k, i] } } } }"),
              ElementsAre("tile k 16", "tile i 12", "reorder j i_in", "reorder k i_in"));
  EXPECT_THAT(trace_of("nest n(x: input f32[3], y: output f32[3]) { for i in 3 { y[i] = exp(x[i]) } }"), ElementsAre());
}

TEST(NestRules, LeaveOthersAsTheyAre) {
  for (const char* text :
       {"nest n(x: input f32[64, 64], y: output f32[64, 64]) {\n  for i in 64 {\n    for j in 64 {\n"
        "      y[i, j] = exp(x[i, j])\n    }\n  }\n}\n",
        "nest n(x: input f32[3], y: output f32[3]) {\n  for i in 3 {\n    y[i] = exp(x[i])\n  }\n}\n",
        // Both loops store at the same places: the order is needed.
        "nest n(x: input f32[64, 64], y: output f32[127]) {\n  for i in 64 {\n    for j in 64 {\n"
        "      y[(i + j)] = x[j, i]\n    }\n  }\n}\n"}) {
    EXPECT_EQ(scheduled_text(text), text);
  }
}

}  // namespace
}  // namespace fovea
