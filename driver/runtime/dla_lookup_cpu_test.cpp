// SPDX-License-Identifier: Apache-2.0
/// \file
/// Tables on the host: one for all, one a channel, and what makes no sense.
#include <gmock/gmock.h>

#include <random>

#include "dla_test_memory.h"

namespace {

using testing::ElementsAre;

class Lookup : public HostRuntime {
 protected:
  void SetUp() override {
    HostRuntime::SetUp();
    std::mt19937 random(1);
    for (uint32_t i = 0; i < kArenaBytes / 2; ++i) {
      ifmap_.push_back(static_cast<uint8_t>(random()));
    }
    for (uint32_t i = 0; i < 4 * 256; ++i) {
      tables_.push_back(static_cast<uint8_t>(random()));
    }
    put(arena(), ifmap_);
    put(weights(64), tables_);
  }

  struct dla_lookup_cpu args {
    .name = "f", .ifmap = 0, .ofmap = 2048, .rank = 3, .shape = {4, 5, 7}, .tables = 64, .count = 1, .run = 140
  };
  std::vector<uint8_t> ifmap_, tables_;
};

TEST_F(Lookup, HasOneTableForAll) {
  ASSERT_EQ(dla_lookup_cpu(&rt, &args), kDlaOk);
  for (uint32_t i = 0; i < 140; ++i) {
    EXPECT_EQ(arena(2048)[i], tables_[ifmap_[i]]) << i;
  }
  EXPECT_THAT(shown.at(0).shape, ElementsAre(4, 5, 7));
  EXPECT_EQ(shown.at(0).bytes, get(arena(2048), 140));
}

TEST_F(Lookup, HasOneTableAChannelOfAnyAxis) {
  args.count = 4;
  args.run = 35;
  ASSERT_EQ(dla_lookup_cpu(&rt, &args), kDlaOk);
  for (uint32_t i = 0; i < 140; ++i) {
    EXPECT_EQ(arena(2048)[i], tables_[i / 35 * 256 + ifmap_[i]]) << i;
  }
  args.shape[0] = 35;
  args.shape[1] = 4;
  args.shape[2] = args.run = 1;
  ASSERT_EQ(dla_lookup_cpu(&rt, &args), kDlaOk);
  for (uint32_t i = 0; i < 140; ++i) {
    EXPECT_EQ(arena(2048)[i], tables_[i % 4 * 256 + ifmap_[i]]) << i;
  }
}

TEST_F(Lookup, WorksInPlace) {
  args.ofmap = args.ifmap;
  ASSERT_EQ(dla_lookup_cpu(&rt, &args), kDlaOk);
  for (uint32_t i = 0; i < 140; ++i) {
    EXPECT_EQ(arena()[i], tables_[ifmap_[i]]) << i;
  }
}

TEST_F(Lookup, RefusesWhatMakesNoSense) {
  EXPECT_EQ(dla_lookup_cpu(&rt, nullptr), kDlaBadArg);
  const auto refuses = [&](auto change) {
    struct dla_lookup_cpu bad = args;
    change(bad);
    EXPECT_EQ(dla_lookup_cpu(&rt, &bad), kDlaBadArg);
  };
  refuses([](auto& bad) { bad.count = 0; });
  refuses([](auto& bad) { bad.run = 0; });
  refuses([](auto& bad) { bad.run = 3; });
  refuses([](auto& bad) { bad.rank = 0; });
  refuses([](auto& bad) { bad.ofmap = kArenaBytes - 139; });
  refuses([](auto& bad) { bad.ifmap = kArenaBytes - 139; });
  refuses([](auto& bad) { bad.tables = kWeightsBytes - 255; });
  refuses([](auto& bad) { bad.count = 1 << 24; });
  EXPECT_TRUE(shown.empty());
}

}  // namespace
