// SPDX-License-Identifier: Apache-2.0
/// \file
/// Lengths against the tables of docs/timing.md, and margins against the latencies that they follow from.
#include "dla_timing.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "drawn_layers.h"

namespace {

/// "| conv3 of VGG-8 ... |", "| conv1 of VGG-8 ... |" and "| depthwise ... |" of docs/timing.md.
TEST(Timing, LengthsAreThePagesExamples) {
  const dla_machine& machine = kMachines[0];
  const dla_shape conv3 = {128, 8, 8, 256, 3, 3, 1, 1, 1, 1, 1, 1, false},
                  conv1 = {3, 32, 32, 64, 3, 3, 1, 1, 1, 1, 1, 1, true};
  const dla_extent extent3 = {4, 8, 1, 4, 2, 4, 3, 8}, extent1 = {8, 3, 2, 4, 1, 3, 3, 8};
  const dla_lengths pass3 = dla_pass_lengths(&machine, &conv3, &extent3);
  EXPECT_EQ(pass3.slot_cycles, 12u);
  EXPECT_EQ(pass3.column_cycles, 48u);
  EXPECT_EQ(pass3.step_words, 20u);
  EXPECT_EQ(pass3.fill_words, 40u);
  EXPECT_EQ(6 * dla_step_cycles(&pass3) + dla_tail_cycles(&pass3, dla_tail_steps(&conv3, 8), pass3.fill_words), 384u);
  const dla_lengths pass1 = dla_pass_lengths(&machine, &conv1, &extent1);
  EXPECT_EQ(pass1.slot_words, 16u);
  EXPECT_EQ(pass1.slot_cycles, 16u);
  EXPECT_EQ(pass1.step_words, 10u);
  EXPECT_EQ(30 * dla_step_cycles(&pass1) + dla_tail_cycles(&pass1, dla_tail_steps(&conv1, 32), pass1.fill_words),
            2048u);
  const dla_shape depthwise = {1, 56, 56, 1, 3, 3, 1, 1, 1, 1, 1, 1, false, false, false, 144};
  const dla_extent groups = {8, 8, 2, 4, 1, 4, 3, 8, 1};
  const dla_lengths pass = dla_pass_lengths(&machine, &depthwise, &groups);
  EXPECT_EQ(pass.slot_cycles, 16u);
  EXPECT_EQ(pass.step_words, 20u);
  EXPECT_EQ(54 * dla_step_cycles(&pass) + dla_tail_cycles(&pass, dla_tail_steps(&depthwise, 56), pass.fill_words),
            3584u);
}

/// A word goes to the sets of one column of the array; counted channel by channel.
TEST(Timing, SetsWithChannelsOfTheirOwnShareWordsWithThoseAboveThem) {
  unsigned beside = 0;
  for (const Drawn& d : draw_legal(31, 2000)) {
    if (d.mapping.g == 0) {
      continue;
    }
    const dla_extent x = dla_extent_of(&d.mapping, d.mapping.p * d.mapping.t, 0, 1, 1);
    const unsigned high = dla_derive_passes(&d.machine, &d.shape, &d.mapping).filters_high;
    unsigned words = 0, column = ~0u, free = 0;
    for (unsigned channel = 0; channel < x.t * x.q; ++channel) {
      if (channel / (high * x.q) != column || free == 0) {
        column = channel / (high * x.q);
        free = d.machine.ifmap_bytes_per_cycle;
        ++words;
      }
      --free;
    }
    EXPECT_EQ(dla_pixel_words(&d.machine, &d.shape, &x), words);
    beside += x.t > high;
  }
  EXPECT_GT(beside, 20u);
}

/// The tail is the steps whose next column, if there is one, adds none of the ifmap; counted step by step.
TEST(Timing, TheTailBringsNothing) {
  unsigned longer = 0, whole = 0;
  for (const Drawn& d : draw_legal(32, 2000)) {
    const dla_shape& s = d.shape;
    const unsigned F = dla_derive_passes(&d.machine, &s, &d.mapping).F;
    unsigned tail = 1;
    for (int next = static_cast<int>(F) - 1; next > 0; --next) {
      const int first = next * static_cast<int>(s.V) + static_cast<int>(s.S) - static_cast<int>(std::min(s.S, s.V));
      if (first - static_cast<int>(s.pad_left) < static_cast<int>(s.W)) {
        break;
      }
      ++tail;
    }
    ASSERT_EQ(dla_tail_steps(&s, F), tail);
    longer += tail > 1;
    whole += tail > 1 && tail == F;
  }
  EXPECT_GT(longer, 20u);
  EXPECT_GT(whole, 5u);
}

TEST(Timing, ALayerStartsAsThePageSays) {
  EXPECT_EQ(kDlaSetupCycles, 91);
  EXPECT_EQ(dla_start_cycles(&kMachines[0]), 11u);
}

TEST(Timing, LoneSetsAreAsWideAsWhatTheyHave) {
  const dla_mapping mapping = {64, 1, 8, 4, 3, 2, 5, 8, true, 2, {}};
  for (unsigned count = 1; count <= 20; ++count) {
    const dla_extent x = dla_extent_of(&mapping, count, std::min(count, 6u), 3, 8);
    EXPECT_LT((x.t - 1) * 4, count);
    EXPECT_GE(x.t * 4, count);
    EXPECT_EQ(x.p, count < 4 ? count : 4);
    EXPECT_LT((x.r - 1) * 3, x.channels);
    EXPECT_GE(x.r * 3, x.channels);
    EXPECT_EQ(x.q, x.channels < 3 ? x.channels : 3);
  }
}

/// Psum words as they move, one by one: read in T + 4 + i for a slot that starts in T, readable in T + 8 + D + i for a
/// slot that ends in T.
TEST(Timing, PsumMarginsFollowFromTheLatencies) {
  unsigned covered = 0, waits = 0;
  for (const Drawn& d : draw_legal(30, 2000)) {
    const dla_passes passes = dla_derive_passes(&d.machine, &d.shape, &d.mapping);
    const dla_extent x = dla_extent_of(&d.mapping, std::min(d.mapping.p * d.mapping.t, d.shape.M),
                                       std::min(d.mapping.q * d.mapping.r, d.shape.C), passes.fold_rows, d.mapping.e);
    const dla_lengths pass = dla_pass_lengths(&d.machine, &d.shape, &x);
    const unsigned D = d.mapping.r * passes.fold_rows, slots = passes.F * x.p;
    // Of two passes of slots alone: the first starts in cycle 0, so that its first slot starts in 1.
    const auto reads_too_early = [&](unsigned second_start) {
      for (unsigned slot = 0; slot < slots; ++slot) {
        for (unsigned word = 0; word < pass.slot_words; ++word) {
          const unsigned end = (slot + 1) * pass.slot_cycles, start = second_start + 1 + slot * pass.slot_cycles;
          if (start + 4 + word < end + 8 + D + word) {
            return true;
          }
        }
      }
      return false;
    };
    const unsigned last_product = slots * pass.slot_cycles;
    EXPECT_EQ(dla_covers_psums(&passes, &pass, x.p), !reads_too_early(last_product));
    (dla_covers_psums(&passes, &pass, x.p) ? covered : waits) += 1;
    // Drained: the first slot reads when the last word is readable, and not a cycle later.
    const unsigned readable = last_product + 8 + D + pass.slot_words - 1;
    EXPECT_EQ(last_product + dla_drain_cycles(&passes, &pass) + 1 + 4, readable);
  }
  EXPECT_GT(covered, 500u);
  EXPECT_GT(waits, 5u);
}

}  // namespace
