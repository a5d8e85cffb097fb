// SPDX-License-Identifier: Apache-2.0
/// \file
/// From the last command's rows back to the first's.
#include "slice_rows.h"

#include <algorithm>

#include "spec/dla_slice.h"

namespace fovea {

bool may_run_depth_first(const Stays& stays, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i <= last; ++i) {
    const Uses& uses = stays.uses()[i];
    if (!uses.form || uses.form->is_product || uses.form->shape.mean || !uses.ofmap || !uses.ifmap ||
        (uses.form->residual && !uses.residual)) {
      return false;
    }
    const dla_shape& s = uses.form->shape;
    const Stay &ofmap = stays[uses.ofmap->tensor], &ifmap = stays[uses.ifmap->tensor];
    const bool has_rows = ofmap.rows == dla_pooled(&s, dla_unpooled_rows(&s)) &&
                          ofmap.cols == dla_pooled(&s, dla_unpooled_cols(&s)) && ifmap.rows == s.H && ifmap.cols == s.W;
    if (!has_rows) {
      return false;
    }
  }
  return true;
}

SliceRows::SliceRows(const Stays& stays, const LayerChain& chain) : stays_(stays), chain_(chain) {
  const std::uint32_t rows = all_rows_of(chain.last - chain.first);
  for (std::uint32_t end = 0; end < rows;) {
    end = std::min(end + chain.slice_rows, rows);
    add_slice(end);
  }
  find_rings();
}

std::vector<std::uint32_t> SliceRows::rows_of(std::size_t command) const {
  std::vector<std::uint32_t> rows;
  for (std::size_t slice = 0; slice < ends_.size(); ++slice) {
    rows.push_back(ends_[slice][command - chain_.first] - begin_of(slice, command - chain_.first));
  }
  return rows;
}

std::uint32_t SliceRows::begin_of(std::size_t slice, std::size_t command) const {
  return slice == 0 ? 0 : ends_[slice - 1][command];
}

std::uint32_t SliceRows::all_rows_of(std::size_t command) const {
  return stays_[stays_.uses()[chain_.first + command].ofmap->tensor].rows;
}

/// Rows of its ifmap and its residual that a command reads in a slice.
std::vector<SliceRows::Read> SliceRows::reads_of(std::size_t slice, std::size_t command) const {
  const Uses& uses = stays_.uses()[chain_.first + command];
  const std::uint32_t first = begin_of(slice, command), end = ends_[slice][command];
  if (first == end) {
    return {};
  }
  const dla_read_rows rows = dla_rows_read(&uses.form->shape, first, end - first);
  std::vector<Read> reads = {{uses.ifmap->tensor, rows.first, rows.first + rows.rows}};
  if (uses.residual) {
    reads.push_back({uses.residual->tensor, first, end});
  }
  return reads;
}

/// What no command here reads is written as the last command's ofmap is.
void SliceRows::add_slice(std::uint32_t last_end) {
  const std::size_t slice = ends_.size(), commands = chain_.last - chain_.first + 1;
  const std::uint32_t last_rows = all_rows_of(commands - 1);
  const bool is_last = last_end == last_rows;
  ends_.emplace_back(commands, 0);
  std::map<std::size_t, std::uint32_t> needed;  // Rows of each tensor that is read.
  for (std::size_t command = commands; command-- > 0;) {
    const std::size_t tensor = stays_.uses()[chain_.first + command].ofmap->tensor;
    const std::uint32_t rows = all_rows_of(command);
    std::uint32_t end = (rows * last_end + last_rows - 1) / last_rows;
    if (const auto found = needed.find(tensor); found != needed.end()) {
      end = found->second;
    }
    needed.try_emplace(tensor, end);  // Others that write it have the same rows.
    ends_[slice][command] = is_last ? rows : std::max(begin_of(slice, command), end);
    for (const Read& read : reads_of(slice, command)) {
      std::uint32_t& most = needed.try_emplace(read.tensor, 0).first->second;
      most = std::max(most, read.end);
    }
  }
}

void SliceRows::find_rings() {
  const std::size_t commands = chain_.last - chain_.first + 1;
  for (std::size_t command = 0; command < commands; ++command) {
    const std::size_t tensor = stays_.uses()[chain_.first + command].ofmap->tensor;
    if (stays_[tensor].first < chain_.first) {
      continue;
    }
    if (stays_[tensor].last > chain_.last || !stays_.may_stay(tensor)) {
      outlets_.insert(tensor);
      continue;
    }
    std::uint32_t first_read = stays_[tensor].rows, most = 0;
    for (std::size_t slice = ends_.size(); slice-- > 0;) {
      for (std::size_t reader = 0; reader < commands; ++reader) {
        for (const Read& read : reads_of(slice, reader)) {
          first_read = read.tensor == tensor ? std::min(first_read, read.first) : first_read;
        }
      }
      most = std::max(most, ends_[slice][command] - std::min(first_read, begin_of(slice, command)));
    }
    std::uint32_t& rows = rings_.try_emplace(tensor, 0).first->second;
    rows = std::max(rows, most);
  }
  for (const auto& [tensor, rows] : rings_) {
    rings_height_bytes_ += stays_.ring_of(tensor, rows, chain_.first, chain_.last).height_bytes;
  }
}

}  // namespace fovea
