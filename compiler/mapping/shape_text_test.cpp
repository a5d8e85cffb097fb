// SPDX-License-Identifier: Apache-2.0
/// \file
/// Shapes are read as they are written, and words that are none are named.
#include "shape_text.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace fovea {
namespace {

std::string fault(const std::string& text) {
  try {
    parse_shape(text);
  } catch (const std::invalid_argument& error) {
    const std::string what = error.what();
    return what.substr(0, what.find(';'));
  }
  return "read";
}

TEST(ShapeText, IsReadAsWritten) {
  for (const char* text : {"C=64 H=16 W=17 M=192 R=3 S=5 U=2 PAD=1 pool", "C=1 H=1 W=1 M=1 R=1 S=1 U=1 PAD=0"}) {
    EXPECT_EQ(to_text(parse_shape(text)), text);
  }
  EXPECT_EQ(to_text(parse_shape("M=5 C=4 pool S=1 R=2 W=9 H=8")), "C=4 H=8 W=9 M=5 R=2 S=1 U=1 PAD=0 pool");
}

TEST(ShapeText, NamesWhatIsNoShape) {
  EXPECT_EQ(fault("C=4 H=8 W=9 R=2 S=1"), "shape \"C=4 H=8 W=9 R=2 S=1\": M is missing");
  EXPECT_EQ(fault("C=four"), "shape \"C=four\": not a letter with a number");
  EXPECT_EQ(fault("C=-4"), "shape \"C=-4\": not a letter with a number");
  EXPECT_EQ(fault("C=4x"), "shape \"C=4x\": not a letter with a number");
  EXPECT_EQ(fault("K=4"), "shape \"K=4\": not a letter with a number");
  EXPECT_EQ(fault("C=4 C=5"), "shape \"C=5\": given twice");
}

}  // namespace
}  // namespace fovea
