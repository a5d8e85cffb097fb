// SPDX-License-Identifier: Apache-2.0
/// \file
/// Counts letter by letter: what one letter breaks, all values of the letters after it break too.
#include "array_census.h"

#include <algorithm>

#include "mapping_space.h"
#include "spec/dla_timing.h"

namespace fovea {
namespace {

/// Largest values in a layer command.
constexpr std::uint32_t kMostE = DLA_MAPPING_E_MAX, kMostP = DLA_MAPPING_P_MAX, kMostQ = DLA_MAPPING_Q_MAX,
                        kMostR = DLA_MAPPING_R_MAX, kMostT = DLA_MAPPING_T_MAX;

class Counter {
 public:
  Counter(const dla_machine& machine, const dla_shape& shape)
      : machine_(machine), shape_(shape), most_e_(std::min(output_rows(shape), kMostE)) {}

  ArrayCensus count() {
    for (const std::uint32_t fold_rows : fold_choices(machine_, shape_)) {
      fold_rows_ = fold_rows;
      for (std::uint32_t q = 1; q <= std::min(shape_.C, kMostQ); ++q) {
        for (std::uint32_t p = 1; p <= std::min(shape_.M, kMostP); ++p) {
          count_with(q, p);
        }
      }
    }
    return census_;
  }

 private:
  dla_error check(std::uint32_t e, std::uint32_t p, std::uint32_t q, std::uint32_t r, std::uint32_t t) const {
    const dla_mapping mapping = {
        1, 1, e, p, q, r, t, output_rows(shape_), true, 2, kDlaLoopOrderRowsFiltersChannels, 0, 0, fold_rows_};
    return dla_check_mapping(&machine_, &shape_, &mapping);
  }

  /// Counts `alike` ways for the reason that rules the first of them out. \return whether one does.
  bool rules_out(dla_error error, std::uint64_t alike) {
    if (error == kDlaErrorNone) {
      return false;
    }
    census_.illegal[error] += alike;
    return true;
  }

  void count_with(std::uint32_t q, std::uint32_t p) {
    const std::uint32_t most_r = std::min(dla_ceil_div(shape_.C, q), kMostR);
    const std::uint32_t most_t = std::min(dla_ceil_div(shape_.M, p), kMostT);
    const std::uint32_t least_e = dla_pool_size(&shape_);
    if (rules_out(check(least_e, p, q, 1, 1), std::uint64_t{dla_pooled(&shape_, most_e_)} * most_r * most_t)) {
      return;
    }
    for (std::uint32_t e = least_e; e <= most_e_; e += dla_pool_stride(&shape_)) {
      if (rules_out(check(e, p, q, 1, 1), std::uint64_t{most_r} * most_t)) {
        continue;
      }
      for (std::uint32_t r = 1; r <= most_r; ++r) {
        if (rules_out(check(e, p, q, r, 1), most_t)) {
          continue;
        }
        for (std::uint32_t t = 1; t <= most_t; ++t) {
          census_.legal += rules_out(check(e, p, q, r, t), 1) ? 0 : 1;
        }
      }
    }
  }

  const dla_machine& machine_;
  const dla_shape& shape_;
  std::uint32_t most_e_, fold_rows_ = 0;
  ArrayCensus census_;
};

}  // namespace

ArrayCensus count_arrays(const dla_machine& machine, const dla_shape& shape) { return Counter(machine, shape).count(); }

}  // namespace fovea
