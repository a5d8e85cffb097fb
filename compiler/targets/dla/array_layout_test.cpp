// SPDX-License-Identifier: Apache-2.0
/// \file
/// PE sets stand where the paper's figures put them, inside the array and apart.
#include "array_layout.h"

#include <gtest/gtest.h>

#include <set>

#include "mapping/mapper.h"

namespace fovea {
namespace {

dla_machine machine(std::uint32_t rows, std::uint32_t cols) {
  return {.rows = rows,
          .cols = cols,
          .ifmap_spad_bytes = 12,
          .filter_spad_bytes = 48,
          .max_pe_filters = 16,
          .glb_bytes = 65536,
          .glb_bank_bytes = 2048,
          .bus_bytes = 4,
          .psum_lanes = 1,
          .ifmap_bytes_per_cycle = 4,
          .filter_bytes_per_cycle = 4,
          .max_pass_filters = 128};
}

dla_shape convolution(std::uint32_t R) {
  return {.C = 64,
          .H = 16,
          .W = 16,
          .M = 64,
          .R = R,
          .S = R,
          .U = 1,
          .V = 1,
          .pad_top = R / 2,
          .pad_left = R / 2,
          .pad_bottom = R / 2,
          .pad_right = R / 2,
          .pool = false};
}

dla_mapping cut(std::uint32_t e, std::uint32_t q, std::uint32_t r, std::uint32_t t) {
  return {.m = 32,
          .n = 1,
          .e = e,
          .p = 4,
          .q = q,
          .r = r,
          .t = t,
          .e_glb = 16,
          .ifmap_resident = true,
          .filter_buffers = 2,
          .order = kDlaLoopOrderRowsFiltersChannels};
}

std::vector<std::uint32_t> numbers(const PeSet& set) { return {set.row, set.col, set.filter_set, set.channel_set}; }

TEST(PlaceSets, ChannelSetsStackAndFilterSetsStandBeside) {
  const std::vector<PeSet> sets = place_sets(machine(6, 8), convolution(3), cut(4, 4, 2, 2));
  ASSERT_EQ(sets.size(), 4u);
  EXPECT_EQ(numbers(sets[0]), (std::vector<std::uint32_t>{0, 0, 0, 0}));
  EXPECT_EQ(numbers(sets[1]), (std::vector<std::uint32_t>{3, 0, 0, 1}));
  EXPECT_EQ(numbers(sets[2]), (std::vector<std::uint32_t>{0, 4, 1, 0}));
  EXPECT_EQ(numbers(sets[3]), (std::vector<std::uint32_t>{3, 4, 1, 1}));
}

TEST(PlaceSets, FilterSetsFillAColumnFirst) {
  const std::vector<PeSet> sets = place_sets(machine(6, 8), convolution(3), cut(8, 3, 1, 2));
  ASSERT_EQ(sets.size(), 2u);
  EXPECT_EQ(numbers(sets[1]), (std::vector<std::uint32_t>{3, 0, 1, 0}));
}

TEST(PlaceSets, NoPeBelongsToTwoSetsOfAnySearchedMapping) {
  for (const std::uint32_t R : {1u, 3u, 5u, 7u, 11u}) {
    for (const auto& [rows, cols] : {std::pair{6u, 8u}, {12u, 14u}}) {
      const dla_machine array = machine(rows, cols);
      dla_shape shape = convolution(R);
      const MappingChoice choice = choose_mapping(array, shape, MappingMode::kSearch);
      ASSERT_TRUE(choice.plan) << choice.reason;
      const dla_mapping& mapping = choice.plan->mapping;
      const std::uint32_t height = dla_derive_passes(&array, &shape, &mapping).fold_rows;
      std::set<std::pair<std::uint32_t, std::uint32_t>> taken;
      for (const PeSet& set : place_sets(array, shape, mapping)) {
        for (std::uint32_t i = 0; i < height; ++i) {
          for (std::uint32_t j = 0; j < mapping.e; ++j) {
            EXPECT_TRUE(taken.insert({set.row + i, set.col + j}).second) << "R=" << R;
          }
        }
        EXPECT_LE(set.row + height, rows);
        EXPECT_LE(set.col + mapping.e, cols);
      }
      EXPECT_EQ(taken.size(), mapping.r * mapping.t * height * mapping.e);
    }
  }
}

}  // namespace
}  // namespace fovea
