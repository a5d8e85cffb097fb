// SPDX-License-Identifier: Apache-2.0
/// \file
/// What is hidden in a text is seen, and the rest is as it was.
#include "shown_text.h"

#include <gtest/gtest.h>

namespace fovea {
namespace {

struct Sample {
  std::string text, shown;
};

class ShownTexts : public testing::TestWithParam<Sample> {};

TEST_P(ShownTexts, AreSafeAndStay) {
  EXPECT_EQ(shown_text(GetParam().text), GetParam().shown);
  EXPECT_EQ(shown_text(GetParam().shown), GetParam().shown) << "shown twice";
}

INSTANTIATE_TEST_SUITE_P(Harmless, ShownTexts,
                         testing::Values(Sample{"", ""}, Sample{"conv1/a b", "conv1/a b"},
                                         Sample{R"(a\x1b "<b>")", R"(a\x1b "<b>")"},
                                         Sample{"größe 層 \U0001F600 \uFFFF", "größe 層 \U0001F600 \uFFFF"}));

INSTANTIATE_TEST_SUITE_P(Controls, ShownTexts,
                         testing::Values(Sample{std::string("a\0b", 3), R"(a\x00b)"},
                                         Sample{"\x1b[2Ja\rb\n\t", R"(\x1b[2Ja\x0db\x0a\x09)"},
                                         Sample{"\x7f", R"(\x7f)"},
                                         Sample{"\u0080\u009b2J\u00a0", "\\x80\\x9b2J\u00a0"}));

INSTANTIATE_TEST_SUITE_P(Directions, ShownTexts,
                         testing::Values(Sample{"\u061c\u200e\u200f", R"(\u061c\u200e\u200f)"},
                                         Sample{"\u202a\u202e\u2028\u2029", R"(\u202a\u202e\u2028\u2029)"},
                                         Sample{"\u2066\u2069\u200d\u206a", "\\u2066\\u2069\u200d\u206a"}));

/// No first byte, a character that is cut, one longer than it need be, half of a pair, and one above all.
INSTANTIATE_TEST_SUITE_P(NoUtf8, ShownTexts,
                         testing::Values(Sample{"a\xff\xfe", R"(a\xff\xfe)"}, Sample{"\x80", R"(\x80)"},
                                         Sample{"\xc3", R"(\xc3)"}, Sample{"\xe5\xb1", R"(\xe5\xb1)"},
                                         Sample{"\xc3(", R"(\xc3()"}, Sample{"\xc0\xaf", R"(\xc0\xaf)"},
                                         Sample{"\xe0\x80\xaf", R"(\xe0\x80\xaf)"},
                                         Sample{"\xed\xa0\x80", R"(\xed\xa0\x80)"},
                                         Sample{"\xf4\x90\x80\x80", R"(\xf4\x90\x80\x80)"}));

}  // namespace
}  // namespace fovea
