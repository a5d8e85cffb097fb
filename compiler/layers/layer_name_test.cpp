// SPDX-License-Identifier: Apache-2.0
/// \file
/// Layer names are short, unique and C identifiers.
#include "layer_name.h"

#include <gtest/gtest.h>

namespace fovea {
namespace {

TEST(LayerNameTest, IsTheLastPartThatSaysSomething) {
  LayerNames names;
  EXPECT_EQ(names.take("/module/conv1/0/Conv", "qconv2d"), "conv1");
  EXPECT_EQ(names.take("fc6", "qlinear"), "fc6");
  EXPECT_EQ(names.take("/layer1/layer1.0/down/Conv_12", "qconv2d"), "down");
}

TEST(LayerNameTest, TakesMoreOfThePathWhereTaken) {
  LayerNames names;
  EXPECT_EQ(names.take("/features/0/Conv", "qconv2d"), "features");
  EXPECT_EQ(names.take("/features/3/Conv", "qconv2d"), "features_3");
  EXPECT_EQ(names.take("/block1/conv1/Conv", "qconv2d"), "conv1");
  EXPECT_EQ(names.take("/block2/conv1/Conv", "qconv2d"), "conv1_conv");
  EXPECT_EQ(names.take("/block3/conv1/Conv", "qconv2d"), "block3_conv1_conv");
}

TEST(LayerNameTest, CountsWhereTheWholePathIsTaken) {
  LayerNames names;
  EXPECT_EQ(names.take("conv", "qconv2d"), "qconv2d");
  EXPECT_EQ(names.take("conv", "qconv2d"), "qconv2d_2");
  EXPECT_EQ(names.take("", "qconv2d"), "qconv2d_3");
  EXPECT_EQ(names.take("stem", "qconv2d"), "stem");
  EXPECT_EQ(names.take("stem", "qconv2d"), "stem_2");
}

TEST(LayerNameTest, IsACIdentifier) {
  LayerNames names;
  EXPECT_EQ(names.take("Stem-Block (1)", "qconv2d"), "stem_block__1_");
  EXPECT_EQ(names.take("2nd", "qconv2d"), "_2nd");
  EXPECT_EQ(names.take("193", "qconv2d"), "qconv2d");
}

}  // namespace
}  // namespace fovea
