// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a pass does in which cycle: products, and words between the GLB and the array.
#include "pass_activity.h"

#include <algorithm>

namespace fovea {

PassActivity::PassActivity(const LayerPlan& plan, const dla_pass& pass, Cycle fill_start)
    : plan_(plan),
      pass_(pass),
      F_(plan.passes.F),
      tail_(dla_tail_steps(&plan.layer.shape, plan.passes.F)),
      fill_start_(fill_start),
      // A chunk's buffer holds whole sets of channels; where all channels are there, nothing lies beyond the last.
      channels_read_(plan.layer.mapping.ifmap_resident || plan.ifmap.on_chip ? pass.extent.channels : set_channels()),
      column_words_(pass.lengths.fill_words / dla_window_cols(&plan.layer.shape)),
      row_reads_(rows_inside() * channels_read_) {}

Cycle PassActivity::end() const {
  return last_step() + pass_.lengths.column_cycles + dla_tile_cycles(&plan_.passes, &pass_.lengths);
}

PassActivity::Position PassActivity::position(Cycle cycle, Cycle delay) const {
  if (first_ == kNever || cycle <= first_ + delay) {
    return {0, 0, 0};
  }
  const Cycle at = cycle - delay;
  const uint64_t step = at < tail()
                            ? (at - first_) / dla_step_cycles(&pass_.lengths)
                            : std::min<uint64_t>(F_ - tail_ + (at - tail()) / pass_.lengths.column_cycles, F_ - 1);
  const Cycle in_step = at - step_start(step);
  if (in_step >= pass_.lengths.column_cycles) {
    return {step + 1, 0, 0};
  }
  return {step, in_step / pass_.lengths.slot_cycles, in_step % pass_.lengths.slot_cycles};
}

uint64_t PassActivity::compute_cycles(Cycle cycle) const {
  const Position at = position(cycle, 0);
  return (at.step * pass_.extent.p + at.slot) * pass_.lengths.products +
         std::min<uint64_t>(at.cycles, pass_.lengths.products);
}

Cycle PassActivity::last_product_by(Cycle cycle) const {
  const Position at = position(cycle + 1, 0);
  const Cycle slots = at.slot * pass_.lengths.slot_cycles;
  if (at.cycles != 0) {
    return step_start(at.step) + slots + std::min<Cycle>(at.cycles, pass_.lengths.products) - 1;
  }
  if (at.slot == 0 && at.step == 0) {
    return 0;
  }
  // At the start of a slot: the one before is over.
  const Cycle end = at.slot != 0 ? step_start(at.step) + slots : step_start(at.step - 1) + pass_.lengths.column_cycles;
  return end - pass_.lengths.slot_cycles + pass_.lengths.products - 1;
}

uint64_t PassActivity::psum_cycles(Cycle cycle) const {
  const Position at = position(cycle, 0);
  return (at.step * pass_.extent.p + at.slot) * pass_.lengths.slot_cycles + at.cycles - compute_cycles(cycle);
}

uint64_t PassActivity::psum_reads(Cycle cycle) const {
  if (pass_.first_k) {
    return 0;
  }
  const Position at = position(cycle, kDlaPsumReadCycles);
  const uint64_t words = std::min<uint64_t>(at.cycles, pass_.lengths.slot_words);
  return ((at.step * pass_.extent.p + at.slot) * pass_.lengths.slot_words + words) * dla_psum_columns(&plan_.machine);
}

uint64_t PassActivity::writes(Cycle cycle) const {
  // From the slot's last cycle.
  const Cycle latency = pass_.last_k ? Cycle{plan_.passes.output_cycles} : Cycle{kDlaPsumWriteCycles};
  const Cycle delay = pass_.lengths.slot_cycles - 1 + plan_.passes.segment_rows + latency;
  const Position at = position(cycle, delay);
  const uint64_t words = std::min<uint64_t>(at.cycles, pass_.lengths.slot_words);
  const uint64_t slots = at.step * pass_.extent.p + at.slot;
  if (!pass_.last_k) {
    return (slots * pass_.lengths.slot_words + words) * dla_psum_columns(&plan_.machine);
  }
  const uint32_t lanes = plan_.machine.psum_lanes;
  const uint64_t slot_psums = pass_.extent.e * pass_.extent.t, psums = std::min(words * lanes, slot_psums);
  // A window is written with its last row, in its last column.
  const uint64_t cols = windows_within(at.step), rows = windows_within(pass_.extent.e);
  const uint64_t slot_windows = pass_.extent.t * rows;
  const uint64_t windows = psums / pass_.extent.e * rows + windows_within(psums % pass_.extent.e);
  const bool ends = windows_within(at.step + 1) != cols;
  return (cols * pass_.extent.p + (ends ? at.slot : 0)) * slot_windows + (ends ? windows : 0);
}

/// Windows that the first `size` rows or columns end; where nothing is pooled, each is one.
uint64_t PassActivity::windows_within(uint64_t size) const {
  const dla_shape& s = plan_.layer.shape;
  return size < dla_pool_size(&s) ? 0 : dla_pooled(&s, static_cast<uint32_t>(size));
}

int32_t PassActivity::step_x(uint64_t step) const {
  const dla_shape& s = plan_.layer.shape;
  return static_cast<int32_t>((step + 1) * s.V + s.S - dla_new_cols(&s)) - static_cast<int32_t>(s.pad_left);
}

uint64_t PassActivity::ifmap_reads(Cycle cycle) const {
  const dla_shape& s = plan_.layer.shape;
  const uint32_t cols = dla_window_cols(&s);
  uint64_t reads =
      feed_reads(cycle, fill_start_, static_cast<int32_t>(s.S - cols) - static_cast<int32_t>(s.pad_left), cols);
  if (first_ == kNever) {
    return reads;
  }
  for (uint64_t step = 0; step < F_ - tail_; ++step) {
    reads += feed_reads(cycle, step_start(step), step_x(step), dla_new_cols(&s));
  }
  return reads;
}

uint64_t PassActivity::feed_reads(Cycle cycle, Cycle start, int32_t x, uint32_t cols) const {
  const Cycle from = start + kDlaFeedCycles;
  if (cycle >= from + column_words_ * cols) {
    return uint64_t{row_reads_} * cols_inside(x, cols);
  }
  return cycle <= from ? 0 : cut_feed_reads(cycle - from, x, cols);
}

/// Channels of the pass's sets, idle ones of the last set included.
uint32_t PassActivity::set_channels() const {
  return pass_.extent.q * (pass_.extent.C == 0 ? pass_.extent.r : pass_.extent.t);
}

/// Channel behind the last of the word that begins with `channel`: a word is not for sets beside each other that have
/// channels of their own.
uint32_t PassActivity::word_end(uint32_t channel) const {
  const uint32_t column = pass_.extent.C == 0 ? set_channels() : pass_.extent.q * plan_.passes.filters_high;
  return std::min({channel + plan_.machine.ifmap_bytes_per_cycle, (channel / column + 1) * column, set_channels()});
}

/// The first `words` words of a feed, one by one: it was cut short.
uint64_t PassActivity::cut_feed_reads(uint64_t words, int32_t x, uint32_t cols) const {
  const dla_shape& s = plan_.layer.shape;
  uint64_t reads = 0;
  for (uint32_t i = 0; i < pass_.extent.e; ++i) {
    const uint32_t rows = i + 1 == pass_.extent.e ? pass_.extent.rows : std::min(pass_.extent.rows, s.U);
    for (uint32_t row = 0; row < rows; ++row) {
      const int32_t y = pass_.y + static_cast<int32_t>(i * s.U + row);
      const bool row_exists = y >= 0 && y < static_cast<int32_t>(s.H);
      for (uint32_t col = 0; col < cols; ++col) {
        const bool exists = row_exists && cols_inside(x + static_cast<int32_t>(col), 1) != 0;
        for (uint32_t channel = 0, end; channel < set_channels(); channel = end) {
          if (words-- == 0) {
            return reads;
          }
          end = word_end(channel);
          reads += exists ? std::min(end, channels_read_) - std::min(channel, channels_read_) : 0;
        }
      }
    }
  }
  return reads;
}

uint32_t PassActivity::cols_inside(int32_t x, uint32_t cols) const {
  const auto W = static_cast<int32_t>(plan_.layer.shape.W);
  return static_cast<uint32_t>(std::max(0, std::min(x + static_cast<int32_t>(cols), W) - std::max(x, 0)));
}

/// Ifmap rows of the pass that are no padding.
uint32_t PassActivity::rows_inside() const {
  const dla_shape& s = plan_.layer.shape;
  uint32_t inside = 0;
  for (uint32_t i = 0; i < pass_.extent.e; ++i) {
    const auto rows =
        static_cast<int32_t>(i + 1 == pass_.extent.e ? pass_.extent.rows : std::min(pass_.extent.rows, s.U));
    const int32_t y = pass_.y + static_cast<int32_t>(i * s.U);
    inside += static_cast<uint32_t>(std::max(0, std::min(y + rows, static_cast<int32_t>(s.H)) - std::max(y, 0)));
  }
  return inside;
}

}  // namespace fovea
