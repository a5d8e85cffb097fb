// SPDX-License-Identifier: Apache-2.0
/// \file
/// Shapes are read as they are written, words that are none are named, and C has every field.
#include "command_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace fovea {
namespace {

using testing::EndsWith;
using testing::StartsWith;

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
  for (const char* text : {"C=64 H=16 W=17 M=192 R=3 S=5 U=2 PAD=1 pool", "C=1 H=1 W=1 M=1 R=1 S=1 U=1 PAD=0",
                           "C=1 H=8 W=9 M=1 R=1 S=1 U=3 V=2 PAD=4 scaled",
                           "C=1 H=8 W=9 M=1 R=1 S=1 U=1 pad_top=0 pad_left=3 pad_bottom=2 pad_right=1"}) {
    EXPECT_EQ(to_text(parse_shape(text)), text);
  }
  EXPECT_EQ(to_text(parse_shape("M=5 C=4 pool S=1 R=2 W=9 H=8")), "C=4 H=8 W=9 M=5 R=2 S=1 U=1 PAD=0 pool");
}

/// Whatever comes first.
TEST(ShapeText, GivesStridesAndPadsTogetherOrOneByOne) {
  const std::string rest = "C=1 H=8 W=9 M=1 R=1 S=1 ";
  EXPECT_EQ(to_text(parse_shape(rest + "V=1 U=2")), rest + "U=2 V=1 PAD=0");
  EXPECT_EQ(to_text(parse_shape(rest + "V=2")), rest + "U=1 V=2 PAD=0");
  EXPECT_EQ(to_text(parse_shape(rest + "pad_left=0 PAD=2")),
            rest + "U=1 pad_top=2 pad_left=0 pad_bottom=2 pad_right=2");
  EXPECT_EQ(to_text(parse_shape(rest + "pad_bottom=1")), rest + "U=1 pad_top=0 pad_left=0 pad_bottom=1 pad_right=0");
}

TEST(ShapeText, NamesWhatIsNoShape) {
  EXPECT_EQ(fault("C=4 H=8 W=9 R=2 S=1"), "shape \"C=4 H=8 W=9 R=2 S=1\": M is missing");
  EXPECT_EQ(fault("C=four"), "shape \"C=four\": not a letter with a number");
  EXPECT_EQ(fault("C=-4"), "shape \"C=-4\": not a letter with a number");
  EXPECT_EQ(fault("C=4x"), "shape \"C=4x\": not a letter with a number");
  EXPECT_EQ(fault("K=4"), "shape \"K=4\": not a letter with a number");
  EXPECT_EQ(fault("C=4 C=5"), "shape \"C=5\": given twice");
  EXPECT_EQ(fault("PAD=1 PAD=1"), "shape \"PAD=1\": given twice");
  EXPECT_EQ(fault("PAD"), "shape \"PAD\": not a letter with a number");
  EXPECT_EQ(fault("U=x"), "shape \"U=x\": not a letter with a number");
  EXPECT_EQ(fault("pool=1"), "shape \"pool=1\": not a letter with a number");
}

TEST(MappingText, SaysWhatIsNotFixed) {
  dla_mapping mapping = {16, 1, 8, 4, 3, 2, 1, 12, true, 5, kDlaLoopOrderRowsFiltersChannels};
  EXPECT_EQ(to_text(mapping), "m=16 e=8 p=4 q=3 r=2 t=1 e_glb=12 resident buffers=5");
  mapping.ifmap_resident = false;
  EXPECT_EQ(to_text(mapping), "m=16 e=8 p=4 q=3 r=2 t=1 e_glb=12 streamed buffers=5");
}

/// A field that comes later is named after these.
TEST(Initializer, NamesEveryField) {
  EXPECT_THAT(
      c_initializer(dla_shape{64, 16, 17, 192, 3, 5, 2, 1, 4, 3, 2, 0, true}),
      StartsWith(".shape = {.C = 64, .H = 16, .W = 17, .M = 192, .R = 3, .S = 5, .U = 2, .V = 1, .pad_top = 4,\n"
                 "                .pad_left = 3, .pad_bottom = 2, .pad_right = 0, "
                 ".pool = true"));
  EXPECT_THAT(c_initializer(dla_mapping{16, 1, 8, 4, 3, 2, 1, 12, false, 5, kDlaLoopOrderRowsFiltersChannels}),
              StartsWith(".mapping = {.m = 16, .n = 1, .e = 8, .p = 4, .q = 3, .r = 2, .t = 1, .e_glb = 12, "
                         ".ifmap_resident = false,\n"
                         "                  .filter_buffers = 5, .order = kDlaLoopOrderRowsFiltersChannels"));
  EXPECT_THAT(c_initializer(dla_glb_plan{{0, 0x2000}, {0x2000, 0x800}, {0x2800, 0}, {0x3000, 0x800}}),
              StartsWith(".glb = {.ifmap = {0, 0x2000}, .filter = {0x2000, 0x800}, .psum = {0x2800, 0}, "
                         ".out = {0x3000, 0x800}"));
  EXPECT_THAT(c_initializer(dla_quant{7, kDlaFloor, 3, 128, 0, 5, 0.75F}),
              StartsWith(".quant = {.shift = 7, .rounding = kDlaFloor, .lowest = 3, .ifmap_zero_point = 128, "
                         ".ofmap_zero_point = 0, .headroom = 5, .scale = 0x1.8p-1f"));
}

TEST(Initializer, LeavesOutAnOrdinaryConvolutionsGroups) {
  dla_shape shape{64, 16, 17, 192, 3, 5, 2, 2, 1, 1, 1, 1, true};
  dla_mapping mapping{16, 1, 8, 4, 3, 2, 1, 12, false, 5, kDlaLoopOrderRowsFiltersChannels};
  EXPECT_EQ(c_initializer(shape).find(".G"), std::string::npos);
  EXPECT_EQ(to_text(mapping).find(" g="), std::string::npos);
  shape.G = 7;
  mapping.g = 2;
  EXPECT_THAT(c_initializer(shape), EndsWith(", .G = 7}"));
  EXPECT_THAT(c_initializer(mapping), EndsWith(", .g = 2}"));
  EXPECT_EQ(parse_shape(to_text(shape)).G, 7u);
  EXPECT_THAT(to_text(mapping), EndsWith(" g=2"));
}

TEST(Initializer, NeedsANameForEachChoice) {
  dla_mapping mapping{};
  mapping.order = kDlaLoopOrderCount;
  EXPECT_THROW(c_initializer(mapping), std::logic_error);
}

}  // namespace
}  // namespace fovea
