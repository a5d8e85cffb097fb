// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a nest's loops and stores are, by hand.
#include "nest_profile.h"

#include <gtest/gtest.h>

#include "nest_text.h"

namespace fovea {
namespace {

using Strides = std::vector<std::optional<int64_t>>;
using Bytes = std::vector<int64_t>;

/// Sums of columns of a padded matrix, eight at a time.
constexpr char kSums[] = R"(nest sums(x: input f32[30, 16], y: output f32[16], t: register f64[8]) {
  for i in 16 by 8 {
    for first in 8 { t[first] = 0.0 }
    for k in 32 {
      for v in 8 vector { t[v] = (t[v] + exp(f64((x[(k - 1), (i + v)] else 0.0f)))) }
    }
    for last in 8 { if ((i + last) < 15) { y[(i + last)] = f32(t[last]) } }
  }
})";

TEST(NestProfile, HasLoopsAsTheTextHasThem) {
  const NestProfile profile = profile_of(parse_nest(kSums, "n"));
  std::string text;
  for (const LoopProfile& loop : profile.loops) {
    text += loop.name + " " + std::to_string(loop.turns) + " " + std::to_string(loop.step) + " " +
            std::string(to_text(loop.kind)) + " " + std::to_string(loop.depth) + (loop.is_reduction ? " sum\n" : "\n");
  }
  EXPECT_EQ(text, "i 2 8 serial 0\nfirst 8 1 serial 1\nk 32 1 serial 1 sum\nv 8 1 vector 2\nlast 8 1 serial 1\n");
}

TEST(NestProfile, HasWhatStoresTouch) {
  const NestProfile profile = profile_of(parse_nest(kSums, "n"));
  ASSERT_EQ(profile.stores.size(), 3u);
  const StoreProfile& sum = profile.stores[1];
  EXPECT_EQ(sum.loops, (std::vector<int>{0, 2, 3}));
  EXPECT_EQ(sum.runs, 2 * 32 * 8);
  EXPECT_EQ(sum.operations, 2) << "an addition and an exponential";
  EXPECT_EQ(sum.functions, 1);
  ASSERT_EQ(sum.accesses.size(), 3u);
  const AccessProfile& read = sum.accesses[1];
  EXPECT_EQ(read.buffer, 0);
  EXPECT_EQ(read.strides, (Strides{8, 16, 1}));
  EXPECT_EQ(read.footprints, (Bytes{30 * 16 * 4, 30 * 8 * 4, 8 * 4})) << "32 rows, of which 30 are";
  const AccessProfile& written = sum.accesses[2];
  EXPECT_TRUE(written.is_store);
  EXPECT_EQ(written.strides, (Strides{0, 0, 1}));
  EXPECT_EQ(written.footprints, (Bytes{64, 64, 64}));
  EXPECT_EQ(profile.stores[2].conditions, 2 * 8);
}

}  // namespace
}  // namespace fovea
