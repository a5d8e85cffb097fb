// SPDX-License-Identifier: Apache-2.0
/// \file
/// Answers are printed in the lab's form, to the letter.
#include "answer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

namespace fovea {
namespace {

TEST(Softmax, IsWhatItsDefinitionSays) {
  const std::vector<float> logits = {1.5f, -2.0f, 0.25f};
  double sum = 0;
  for (const float logit : logits) {
    sum += std::exp(static_cast<double>(logit));
  }
  const std::vector<double> probabilities = softmax(logits);
  for (std::size_t i = 0; i < logits.size(); ++i) {
    EXPECT_NEAR(probabilities[i], std::exp(static_cast<double>(logits[i])) / sum, 1e-12);
  }
}

TEST(Softmax, DoesNotOverflow) {
  const std::vector<double> probabilities = softmax(std::vector<float>{1000.0f, 1000.0f});
  EXPECT_DOUBLE_EQ(probabilities[0], 0.5);
}

TEST(Softmax, OfNothingIsNothing) { EXPECT_TRUE(softmax({}).empty()); }

TEST(Probabilities, AreTakenAsTheyAreWhereTheNetworkGivesThem) {
  EXPECT_EQ(probabilities(std::vector<float>{0.25f, 0.75f}), (std::vector<double>{0.25, 0.75}));
  EXPECT_EQ(probabilities(std::vector<float>{0.25f, 0.734375f}), (std::vector<double>{0.25, 0.734375})) << "of 8 bits";
  EXPECT_EQ(probabilities(std::vector<float>{-0.25f, 1.25f}), softmax(std::vector<float>{-0.25f, 1.25f}));
  EXPECT_EQ(probabilities(std::vector<float>{2, 3}), softmax(std::vector<float>{2, 3}));
  EXPECT_EQ(probabilities(std::vector<float>{1}), softmax(std::vector<float>{1}));
}

TEST(PrintOutputSummary, SaysRangeAndLargest) {
  std::ostringstream out;
  print_output_summary(out, "scores", std::vector<float>{0.5f, 8.25f, -1.5f});
  print_output_summary(out, "one", std::vector<float>{2});
  print_output_summary(out, "none", {});
  EXPECT_EQ(out.str(),
            "scores: 3 numbers, -1.5 to 8.25, the largest is number 1\n"
            "one: 1 number, 2 to 2, the largest is number 0\nnone: 0 numbers\n");
}

TEST(PrintPercentages, LooksLikeTheLabs) {
  std::ostringstream out;
  print_percentages(out, {"airplane", "cat"}, std::vector<float>{std::log(3.0f), 0.0f});
  EXPECT_EQ(out.str(),
            "[    airplane]  75.000%\n"
            "[         cat]  25.000%\n");
}

TEST(PrintPercentages, TakesLongNamesWhole) {
  std::ostringstream out;
  print_percentages(out, {"a rather long name"}, std::vector<float>{0.0f});
  EXPECT_EQ(out.str(), "[a rather long name] 100.000%\n");
}

TEST(PrintTop5, IsSortedAndKeepsTheOrderOfEquals) {
  std::ostringstream out;
  print_top5(out, {"a", "b", "c", "d", "e", "f"}, std::vector<float>{0, 9, 0, 0, 0, 0});
  const std::string text = out.str();
  EXPECT_EQ(text.substr(0, 14), "[           b]");
  EXPECT_LT(text.find("a]"), text.find("c]"));
  EXPECT_EQ(text.find("f]"), std::string::npos);
}

TEST(PrintMatrixRow, NamesTheWrongClasses) {
  std::ostringstream out;
  print_matrix_row(out, 0, "airplane", std::vector<uint32_t>{0, 0, 2, 0, 9});
  print_matrix_row(out, 1, "automobile", std::vector<uint32_t>{1, 9, 1, 1, 1});
  EXPECT_EQ(out.str(),
            "[ 0 -        airplane]  . . 2 . 9\n"
            "[ 1 -      automobile]  . 9 . . .\n");
}

}  // namespace
}  // namespace fovea
