// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which shapes are pictures, and what becomes of one in each.
#include "picture_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tensor/error.h"

namespace fovea {
namespace {

using testing::ElementsAre;

TEST(PictureForm, IsOneOrThreeChannelsBeforeOrBehind) {
  const auto text = [](const std::vector<std::uint32_t>& shape) {
    const auto form = picture_form(shape);
    return !form ? "none"
                 : std::to_string(form->channels) + ":" + std::to_string(form->size.height) + "x" +
                       std::to_string(form->size.width) + (form->are_channels_last ? " last" : "");
  };
  EXPECT_EQ(text({3, 32, 48}), "3:32x48");
  EXPECT_EQ(text({32, 48, 3}), "3:32x48 last");
  EXPECT_EQ(text({1, 28, 28}), "1:28x28");
  EXPECT_EQ(text({28, 28, 1}), "1:28x28 last");
  EXPECT_EQ(text({28, 30}), "1:28x30");
  EXPECT_EQ(text({3, 5, 3}), "3:5x3");
  EXPECT_EQ(text({4, 32, 32}), "none");
  EXPECT_EQ(text({784}), "none");
}

/// Two pixels: (0.5, 0, 1) and (1, 1, 1).
const std::vector<float> kRgb = {0.5f, 1, 0, 1, 1, 1}, kGrey = {0.25f, 0.5f};

TEST(PictureInput, TurnsChannelsAndTheirOrder) {
  EXPECT_THAT(picture_input(kRgb, {3, 1, 2}, {}), ElementsAre(0.5f, 1, 0, 1, 1, 1));
  EXPECT_THAT(picture_input(kRgb, {2, 1, 1}, {}), ElementsAre(0.2635f, 1)) << "0.299 / 2 + 0.114";
  EXPECT_THAT(picture_input(kRgb, {2, 1, 3}, {}), ElementsAre(0.5f, 0, 1, 1, 1, 1));
  EXPECT_THAT(picture_input(kGrey, {2, 1, 3}, {}), ElementsAre(0.25f, 0.25f, 0.25f, 0.5f, 0.5f, 0.5f));
  EXPECT_THAT(picture_input(std::vector<float>{7, 8, 9, 10}, {4}, {}), ElementsAre(7, 8, 9, 10));
}

TEST(PictureInput, KeepsTheGreyOfGreyPictures) {
  std::vector<float> grey, rgb;
  for (int level = 0; level < 256; ++level) {
    grey.push_back(static_cast<float>(level) / 255.0f);
  }
  for (int channel = 0; channel < 3; ++channel) {
    rgb.insert(rgb.end(), grey.begin(), grey.end());
  }
  EXPECT_EQ(picture_input(rgb, {1, 16, 16}, {}), grey);
}

TEST(PictureInput, NormalizesEachChannel) {
  Labels labels;
  labels.mean = {0.5f, 0, 1};
  labels.deviation = {1, 2, 4};
  EXPECT_THAT(picture_input(kRgb, {3, 1, 2}, labels), ElementsAre(0, 0.5f, 0, 0.5f, 0, 0));
  EXPECT_THAT(picture_input(kRgb, {2, 1, 3}, labels), ElementsAre(0, 0, 0, 0.5f, 0.5f, 0));
  EXPECT_THROW(picture_input(kRgb, {1, 1, 2}, labels), UserError);
  labels.mean = {0.5f, 0.5f, 0.5f};
  labels.deviation = {2, 2, 2};
  EXPECT_THAT(picture_input(kGrey, {2, 1}, labels), ElementsAre(-0.125f, 0));
}

}  // namespace
}  // namespace fovea
