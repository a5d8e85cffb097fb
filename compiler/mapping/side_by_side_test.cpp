// SPDX-License-Identifier: Apache-2.0
/// \file
/// Each piece of work is done once, and what one of them throws comes out.
#include "side_by_side.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <vector>

namespace fovea {
namespace {

TEST(SideBySide, DoesEachOnce) {
  std::vector<std::atomic<int>> done(100);
  run_side_by_side(done.size(), [&](std::size_t index, std::size_t thread) {
    EXPECT_LT(thread, most_threads());
    ++done[index];
  });
  for (const std::atomic<int>& one : done) {
    EXPECT_EQ(one, 1);
  }
  run_side_by_side(0, [](std::size_t, std::size_t) { FAIL(); });
}

/// On whichever thread: an exception that leaves a thread would end the program.
TEST(SideBySide, ThrowsWhatOneThrows) {
  EXPECT_THROW(run_side_by_side(100, [](std::size_t, std::size_t) { throw std::bad_alloc(); }), std::bad_alloc);
}

}  // namespace
}  // namespace fovea
