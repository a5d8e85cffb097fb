// SPDX-License-Identifier: Apache-2.0
/// \file
/// Accesses inside the array against a walk over all passes, PEs and products. The rest: testbench/layers.
#include "access_counts.h"

#include <gtest/gtest.h>

#include "spec/drawn_layers.h"

namespace fovea {
namespace {

/// One pass: what each of its PEs takes, hands on and multiplies.
void walk_pass(const Drawn& d, const dla_passes& derived, const dla_filter_chunk& chunk, unsigned e, bool new_filters,
               AccessCounts& counts) {
  const unsigned new_cols = std::min(d.shape.S, d.shape.V);
  const unsigned products = (d.mapping.g == 0 ? chunk.q : d.shape.C) * d.shape.S;  // Of a filter.
  for (unsigned set = 0; set < chunk.t * chunk.r; ++set) {
    for (unsigned pe = 0; pe < e * chunk.rows; ++pe) {
      counts.pe.filter += new_filters ? chunk.p * products : 0;
      for (unsigned column = 0; column < derived.F; ++column) {
        const bool is_new = column * d.shape.V + d.shape.S - new_cols < d.shape.pad_left + d.shape.W;
        const unsigned first = d.shape.S - std::min(d.shape.pad_left, d.shape.S - 1);
        counts.pe.ifmap += (column == 0 ? first : is_new ? new_cols : 0) * chunk.q;
        counts.macs += chunk.p * products;
      }
    }
  }
  const unsigned segment_rows = d.mapping.r * derived.fold_rows;
  counts.pe.psum += std::uint64_t{chunk.t} * chunk.p * e * derived.F * (segment_rows - 1);
}

AccessCounts walk(const Drawn& d) {
  const dla_mapping& m = d.mapping;
  const dla_passes derived = dla_derive_passes(&d.machine, &d.shape, &m);
  AccessCounts counts;
  for_row_tiles(d.shape, derived.E, m.e_glb, [&](unsigned, unsigned rows) {
    for_parts(d, [&](const Part& part) {
      for_tiles(part.filters, m.m, [&](unsigned, unsigned tile_filters) {
        for_tiles(part.channels, m.q * (m.g == 0 ? m.r : m.t), [&](unsigned, unsigned channels) {
          for_tiles(d.shape.R, derived.fold_rows, [&](unsigned, unsigned fold_rows) {
            for_tiles(tile_filters, m.p * m.t, [&](unsigned, unsigned filters) {
              dla_filter_chunk chunk{};
              chunk.filters = filters;
              chunk.channels = channels;
              chunk.rows = fold_rows;
              dla_split_chunk(&m, &chunk);
              for_row_tiles(d.shape, rows, m.e,
                            [&](unsigned row, unsigned e) { walk_pass(d, derived, chunk, e, row == 0, counts); });
            });
          });
        });
      });
    });
  });
  return counts;
}

TEST(AccessCounts, InTheArrayEqualAWalk) {
  for (const Drawn& d : draw_placed(21, 400)) {
    const AccessCounts counted = count_accesses(d.machine, d.shape, d.mapping), walked = walk(d);
    ASSERT_EQ(counted.macs, walked.macs);
    ASSERT_EQ(counted.pe.ifmap, walked.pe.ifmap);
    ASSERT_EQ(counted.pe.filter, walked.pe.filter);
    ASSERT_EQ(counted.pe.psum, walked.pe.psum);
    ASSERT_EQ(counted.spad.total(), walked.pe.ifmap + walked.pe.filter + 2 * walked.macs);
  }
}

/// One row and one column of PEs at work: every figure by hand.
TEST(AccessCounts, OfATinyLayer) {
  const dla_machine machine = {6, 8, 12, 48, 16, 65536, 2048, 4, 1, 4, 4, 128};
  const dla_shape shape = {1, 1, 4, 1, 1, 1, 1, 1, 0, 0, 0, 0, false};  // 1x1 filter on 4 pixels.
  const dla_mapping mapping = {1, 1, 1, 1, 1, 1, 1, 1, true, 2, kDlaLoopOrderRowsFiltersChannels};
  const AccessCounts counts = count_accesses(machine, shape, mapping);
  EXPECT_EQ(counts.macs, 4u);
  EXPECT_EQ(counts.dram_bytes.read(), 4u + 8) << "pixels, a bias and a padded weight";
  EXPECT_EQ(counts.dram_bytes.ofmap, 4u);
  EXPECT_EQ(counts.glb_reads.total(), 4u + 2 + 1) << "pixels, filter words, a word of outputs on their way to DRAM";
  EXPECT_EQ(counts.glb_writes.total(), 1u + 2 + 4);
  EXPECT_EQ(counts.pe.total(), 4u + 1);
  EXPECT_EQ(counts.spad.total(), 4u + 1 + 8);
  const EnergyByLevel energy = price_energy({1, 1, 1, 1, 2, 2, 6, 50}, counts);
  EXPECT_EQ(energy.total(), 4 + 13 + 2 * 5 + 6 * 14 + 50 * 16);
  EXPECT_EQ(price_energy({1, 2, 4, 8, 0, 0, 0, 0}, counts).spad, 2 * (4 + 4) + 4 * 1 + 8 * 4)
      << "four pixels in and out, a weight in, and a word out for each product";
}

}  // namespace
}  // namespace fovea
