// SPDX-License-Identifier: Apache-2.0
/// \file
/// How long one pass of the array takes, by cause.
#include "pass_timing.h"

#include <algorithm>

#include "pieces.h"

namespace fovea {
namespace {

/// From the start of a pass to that of the next, at least.
constexpr std::uint64_t kMinPassCycles = 8;

}  // namespace

PassTiming::PassTiming(const dla_machine& machine, const dla_shape& shape, const dla_passes& passes,
                       const dla_mapping& mapping, const PassExtent& extent)
    : extent_(extent), F_(passes.F), segment_rows_(mapping.r * passes.fold_rows) {
  slot_words_ = ceil_div(extent.e * extent.t, dla_psum_net_words(&machine));
  product_cycles_ = std::uint64_t{extent.q} * shape.S;
  slot_cycles_ = std::max(product_cycles_, slot_words_);
  const std::uint64_t rows = (extent.e - 1) * std::min(shape.U, extent.rows) + extent.rows;
  const std::uint64_t column_words = extent.r * rows * ceil_div(extent.q, 4);
  step_words_ = column_words * std::min(shape.U, shape.S);
  fill_words_ = column_words * shape.S;
}

std::uint64_t PassTiming::psum_wait_cycles() const {
  const bool covered = (F_ * extent_.p - 1) * slot_cycles_ >= segment_rows_ + 3;
  return covered ? 0 : slot_words_ + segment_rows_ + 1;
}

std::uint64_t PassTiming::last_column_cycles(bool adds_psums) const {
  return std::max(column_cycles() + (adds_psums ? psum_wait_cycles() : 0), fill_words_);
}

CyclesByCause PassTiming::pass(bool adds_psums) const {
  const std::uint64_t column = column_cycles(), step = std::max(column, step_words_);
  const std::uint64_t columns = (F_ - 1) * step + last_column_cycles(adds_psums);
  CyclesByCause cycles;
  cycles.compute = F_ * extent_.p * product_cycles_;
  cycles.ifmap = (F_ - 1) * (step - column) + excess(fill_words_, column);
  cycles.psum = std::max(columns, kMinPassCycles) - cycles.compute - cycles.ifmap;
  return cycles;
}

}  // namespace fovea
