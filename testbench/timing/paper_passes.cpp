// SPDX-License-Identifier: Apache-2.0
/// \file
/// The loop nest of docs/machine.md, walked once.
#include "paper_passes.h"

#include <algorithm>

namespace fovea {
namespace {

uint32_t ceil_div(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

/// Walks the nest; a member function a loop.
class Walk {
 public:
  Walk(const dla_machine& machine, const dla_layer& layer) : machine_(machine), s_(layer.shape), m_(layer.mapping) {
    const uint32_t fewest_folds = ceil_div(s_.R, machine.rows);
    size_ = !s_.pool ? 1 : s_.pool_size == 3 ? 3 : 2;
    stride_ = !s_.pool ? 1 : s_.pool_stride == 0 ? 2 : s_.pool_stride;
    layer_.ofmap_rows = windows((s_.pad_top + s_.H + s_.pad_bottom - s_.R) / s_.U + 1);
    layer_.ofmap_cols = windows((s_.pad_left + s_.W + s_.pad_right - s_.S) / s_.V + 1);
    E_ = (layer_.ofmap_rows - 1) * stride_ + size_;
    fold_rows_ = m_.fold_rows != 0 ? m_.fold_rows : ceil_div(s_.R, fewest_folds);
    layer_.F = (layer_.ofmap_cols - 1) * stride_ + size_;
    // The tail is as long as what its next columns begin with lies right of the ifmap.
    const uint32_t held = s_.S - std::min(s_.V, s_.S);
    while (layer_.tail < layer_.F && (layer_.F - layer_.tail) * s_.V + held >= s_.pad_left + s_.W) {
      ++layer_.tail;
    }
    layer_.D = m_.r * fold_rows_;
    layer_.has_means = s_.mean;
    layer_.loads_residual = s_.residual && !s_.residual_on_chip;
    layer_.lanes = machine.psum_lanes;
    layer_.glb_columns = machine.ifmap_bytes_per_cycle;
    layer_.ofmap = planes_of(s_.ofmap_on_chip, layer.ofmap_addr, s_.ofmap_plane_rows, s_.ofmap_first_row);
    layer_.residual =
        planes_of(s_.residual_on_chip, layer.residual_addr, s_.residual_plane_rows, s_.residual_first_row);
  }

  PaperLayer walk() {
    // A tile begins with the first window that the one before had not whole.
    for (uint32_t row = 0, rows = 0; row + size_ <= E_; row += windows(rows) * stride_) {
      steps_ += 3;
      chunk_of_tile_ = 0;
      rows = std::min(m_.e_glb, E_ - row);
      first_row_ = row;
      // Groups of channels follow each other, or are held by the PEs, g * t at once.
      const uint32_t groups = std::max(s_.G, 1u), at_once = m_.g == 0 ? 1 : m_.g * m_.t;
      for (uint32_t group = 0; group < groups; group += at_once) {
        group_ = group;
        walk_filter_tiles(rows, std::min(at_once, groups - group));
      }
    }
    return layer_;
  }

 private:
  /// Planes on chip begin with words.
  PaperPlanes planes_of(bool on_chip, uint32_t addr, uint32_t plane_rows, uint32_t first_row) const {
    const uint32_t rows = plane_rows != 0 ? plane_rows : s_.mean ? 1 : layer_.ofmap_rows;
    const uint32_t bytes = rows * (s_.mean ? 1 : layer_.ofmap_cols), word = machine_.bus_bytes;
    return {on_chip, addr, rows, first_row, on_chip ? ceil_div(bytes, word) * word : bytes};
  }

  /// Of a pool over so many rows or columns, whole ones.
  uint32_t windows(uint32_t size) const { return (size - size_) / stride_ + 1; }

  void walk_filter_tiles(uint32_t rows, uint32_t groups) {
    C_ = groups * s_.C;
    for (uint32_t filter = 0; filter < groups * s_.M; filter += m_.m) {
      steps_ += 1;
      first_filter_ = group_ * s_.M + filter;
      walk_chunks(rows, std::min(m_.m, groups * s_.M - filter), filter == 0);
    }
  }

  void walk_chunks(uint32_t rows, uint32_t filters, bool first_filters) {
    const uint32_t chunk = m_.q * (m_.g == 0 ? m_.r : m_.t);
    for (uint32_t c = 0; c < C_; c += chunk) {
      const uint32_t channels = std::min(chunk, C_ - c);
      pass_ = {};
      if (s_.lookup && layer_.passes.empty()) {
        pass_.loads_before.push_back(0);  // The table's.
      }
      pass_.new_ifmap = !s_.ifmap_on_chip && (!m_.ifmap_resident || first_filters);
      r_ = m_.g == 0 ? ceil_div(channels, m_.q) : 1;
      q_ = std::min(channels, m_.q);
      steps_ += r_ + 2;
      if (pass_.new_ifmap) {
        hand_out_load();
      }
      for (uint32_t row = 0; row < s_.R; row += fold_rows_) {
        steps_ += 1;
        const bool first = c == 0 && row == 0, last = c + chunk >= C_ && row + fold_rows_ >= s_.R;
        walk_groups(rows, filters, std::min(fold_rows_, s_.R - row), first, last);
      }
      ifmaps_ += !s_.ifmap_on_chip && (!m_.ifmap_resident || first_filters) ? 1 : 0;
    }
  }

  void walk_groups(uint32_t rows, uint32_t all_filters, uint32_t R, bool first, bool last) {
    for (uint32_t group = 0; group < all_filters; group += m_.p * m_.t) {
      const uint32_t filters = std::min(m_.p * m_.t, all_filters - group);
      t_ = ceil_div(filters, m_.p);
      pass_.p = std::min(filters, m_.p);
      pass_.last_k = last;
      pass_.reads_psums = !first;
      pass_.new_set = true;
      pass_.set = sets_++;
      const uint32_t parameters = (first ? 1 : 0) + (last && s_.filter_scales ? 1 : 0);
      pass_.set_words = parameters * ceil_div(4 * filters, machine_.filter_bytes_per_cycle) +
                        t_ * r_ * R * ceil_div(pass_.p * slot_products(), machine_.filter_bytes_per_cycle);
      steps_ += t_ + 4;
      take_chunk();
      for (uint32_t strip = 0; strip + size_ <= rows; strip += windows(m_.e) * stride_) {
        const uint32_t row = first_row_ + strip;
        pass_.tile_filter = first_filter_ + group;
        pass_.tile_row = row / stride_;
        hand_out_pass(std::min(m_.e, rows - strip), filters, R);
      }
    }
  }

  /// Of a slot: a filter's in a PE.
  uint32_t slot_products() const { return (m_.g == 0 ? q_ : s_.C) * s_.S; }

  /// Ifmap words of a pixel: of all sets, or of those above each other.
  uint32_t pixel_words() const {
    const uint32_t bytes = machine_.ifmap_bytes_per_cycle, high = machine_.rows / fold_rows_;
    if (m_.g == 0) {
      return ceil_div(q_ * r_, bytes);
    }
    uint32_t words = 0;
    for (uint32_t set = 0; set < t_; set += high) {
      words += ceil_div(q_ * std::min(high, t_ - set), bytes);
    }
    return words;
  }

  /// Filter chunks of a row tile: one a group of filters, fold and chunk of channels.
  uint32_t count_chunks() const {
    const uint32_t groups = std::max(s_.G, 1u), folds = ceil_div(s_.R, fold_rows_);
    if (m_.g != 0) {
      return ceil_div(groups, m_.g * m_.t) * folds;
    }
    uint32_t filter_groups = 0;
    for (uint32_t filter = 0; filter < s_.M; filter += m_.m) {
      filter_groups += ceil_div(std::min(m_.m, s_.M - filter), m_.p * m_.t);
    }
    return groups * filter_groups * ceil_div(s_.C, m_.q * m_.r) * folds;
  }

  /// The set's chunk is on chip, has stayed since the first row tile, or is loaded.
  void take_chunk() {
    if (s_.filters_on_chip) {
      pass_.chunk = PaperPass::kOnChip;
      return;
    }
    const uint32_t number = chunk_of_tile_++;
    const bool stays = number < m_.stay || (m_.stay != 0 && count_chunks() <= m_.filter_buffers);
    if (stays && first_row_ != 0) {
      pass_.chunk = stayed_[number];
      return;
    }
    pass_.chunk = filter_loads_++;
    stayed_.resize(std::max<size_t>(stayed_.size(), number + 1));
    stayed_[number] = pass_.chunk;
    hand_out_load();
  }

  void hand_out_load() {
    pass_.loads_before.push_back(steps_);
    steps_ = 0;
  }

  void hand_out_pass(uint32_t e, uint32_t filters, uint32_t R) {
    steps_ += 6;
    if (layer_.loads_residual && pass_.last_k) {
      hand_out_load();
    }
    pass_.steps_before = steps_;
    steps_ = 0;
    const uint32_t rows = (e - 1) * std::min(s_.U, R) + R, column = rows * pixel_words();
    pass_.slot_words = ceil_div(e * t_, layer_.lanes);
    pass_.products = slot_products();
    pass_.slot = std::max(pass_.products, pass_.slot_words);
    pass_.words = column * std::min(s_.V, s_.S);
    pass_.fill = column * (s_.S - std::min(s_.pad_left, s_.S - 1));
    pass_.step = std::max(pass_.p * pass_.slot, pass_.words);
    pass_.ifmap = ifmaps_;
    pass_.tile = tiles_;
    pass_.filters = filters;
    pass_.tile_rows = windows(e);
    tiles_ += pass_.last_k ? 1 : 0;
    layer_.passes.push_back(pass_);
    pass_.new_set = pass_.new_ifmap = false;
    pass_.loads_before.clear();
  }

  const dla_machine machine_;
  const dla_shape s_;
  const dla_mapping m_;
  uint32_t E_ = 0, size_ = 1, stride_ = 1, C_ = 0, fold_rows_ = 0, r_ = 0, q_ = 0, t_ = 0;
  uint32_t first_row_ = 0, group_ = 0, first_filter_ = 0;
  uint32_t steps_ = 0, sets_ = 0, ifmaps_ = 0, tiles_ = 0;
  uint32_t chunk_of_tile_ = 0, filter_loads_ = 0;
  std::vector<uint32_t> stayed_;  ///< Of each chunk of a row tile, the load that brought it.
  PaperPass pass_;
  PaperLayer layer_;
};

}  // namespace

/// All filters' rows follow each other in DRAM, and so do those of their residual, if any.
bool PaperLayer::is_one_run(const PaperPass& pass) const {
  const uint32_t plane = has_means ? 1 : ofmap_rows * ofmap_cols;
  const auto is_dense = [&](const PaperPlanes& planes) { return !planes.on_chip && planes.stride == plane; };
  return is_dense(ofmap) && is_dense(residual) && (has_means || pass.tile_rows == ofmap_rows);
}

std::vector<PaperRun> PaperLayer::runs_of(const PaperPass& pass) const {
  const uint32_t rows = has_means ? 1 : pass.tile_rows, cols = has_means ? 1 : ofmap_cols;
  constexpr uint32_t kByteMask = 0xffffff, kColumnLsb = 24;
  const auto addr_of = [&](uint32_t filter, uint32_t plane_row) {
    const uint32_t column = (ofmap.addr >> kColumnLsb) + filter;
    return (ofmap.on_chip ? (ofmap.addr & kByteMask) + column / glb_columns * ofmap.stride
                          : ofmap.addr + filter * ofmap.stride) +
           plane_row * cols;
  };
  const uint32_t row = (ofmap.first_row + pass.tile_row) % ofmap.rows;
  if (is_one_run(pass)) {
    return {{addr_of(pass.tile_filter, row), pass.filters, rows}};
  }
  std::vector<PaperRun> runs;
  const uint32_t before = std::min(rows, ofmap.rows - row);
  for (uint32_t filter = pass.tile_filter; filter < pass.tile_filter + pass.filters; ++filter) {
    runs.push_back({addr_of(filter, row), 1, before});
    if (before != rows) {
      runs.push_back({addr_of(filter, 0), 1, rows - before});
    }
  }
  return runs;
}

PaperLayer paper_layer(const dla_machine& machine, const dla_layer& layer) { return Walk(machine, layer).walk(); }

}  // namespace fovea
