// SPDX-License-Identifier: Apache-2.0
/// \file
/// The census against asking about every e, p, q, r and t.
#include "array_census.h"

#include <gtest/gtest.h>

#include "mapping_space.h"
#include "spec/drawn_layers.h"

namespace fovea {
namespace {

TEST(ArrayCensus, EqualsAskingOneByOne) {
  const dla_machine machines[] = {kMachines[0], {4, 3, 6, 12, 4, 4096, 64, 4, 1, 4, 4, 5}};
  const dla_shape shapes[] = {{5, 6, 6, 9, 3, 3, 1, 1, 1, 1, 1, 1, false},
                              {2, 9, 5, 17, 2, 3, 1, 1, 0, 0, 0, 0, true},
                              {2, 9, 6, 5, 2, 3, 1, 1, 1, 0, 0, 0, true, false, false, 0, false, 3, 2, 1, 0, 0, 0},
                              {2, 9, 6, 48, 2, 3, 1, 1, 1, 0, 0, 0, true, false, false, 0, false, 3, 1, 1, 0, 0, 0}};
  for (const dla_machine& machine : machines) {
    for (const dla_shape& s : shapes) {
      ArrayCensus asked;
      const unsigned E = output_rows(s);
      const auto ask = [&](unsigned fold_rows, unsigned e, unsigned q, unsigned p, unsigned r, unsigned t) {
        const dla_mapping mapping = {1, 1, e,        p, q, r, t, E, true, 2, kDlaLoopOrderRowsFiltersChannels,
                                     0, 0, fold_rows};
        const dla_error error = dla_check_mapping(&machine, &s, &mapping);
        error == kDlaErrorNone ? ++asked.legal : ++asked.illegal[error];
      };
      for (const unsigned fold_rows : fold_choices(machine, s)) {
        for (unsigned e = window_size(s); e <= E; e += window_stride(s)) {
          for (unsigned q = 1; q <= s.C; ++q) {
            for (unsigned p = 1; p <= s.M; ++p) {
              for (unsigned r = 1; r <= (s.C + q - 1) / q; ++r) {
                for (unsigned t = 1; t <= (s.M + p - 1) / p; ++t) {
                  ask(fold_rows, e, q, p, r, t);
                }
              }
            }
          }
        }
      }
      const ArrayCensus counted = count_arrays(machine, s);
      EXPECT_EQ(counted.legal, asked.legal);
      EXPECT_EQ(counted.illegal, asked.illegal);
      EXPECT_EQ(array_mappings(machine, s).size(), asked.legal) << "the search forgets none";
      EXPECT_GT(asked.illegal.size(), 1u);
    }
  }
}

}  // namespace
}  // namespace fovea
