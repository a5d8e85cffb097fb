// SPDX-License-Identifier: Apache-2.0
/// \file
/// Commands that run depth first: which rows each computes in each slice, and how many rows the tensors between them
/// need.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "stays.h"

namespace fovea {

/// Commands in a row, each cut into slices of rows that take turns; or one alone, in one piece.
struct LayerChain {
  std::size_t first = 0, last = 0;  ///< Of Stays::uses().
  std::uint32_t slice_rows = 0;     ///< Of the last command's ofmap, in all slices but the last; 0: of one alone.
  bool keeps_filters = false;       ///< Those for which there is room stay from the first slice on.

  bool is_alone() const { return slice_rows == 0; }

  auto operator<=>(const LayerChain&) const = default;

  struct Hash {
    std::size_t operator()(const LayerChain& chain) const {
      return ((chain.first * 64 + chain.last - chain.first) * 1024 + chain.slice_rows) * 2 +
             (chain.keeps_filters ? 1 : 0);
    }
  };
};

/// Whether these commands can run so: each has rows, and sees its tensors in the rows that they have.
bool may_run_depth_first(const Stays& stays, std::size_t first, std::size_t last);

/// A tensor is written to the row that its readers need next, so no row of a tensor is computed twice; but for those
/// that a pool's windows share.
class SliceRows {
 public:
  /// \pre may_run_depth_first().
  SliceRows(const Stays& stays, const LayerChain& chain);

  std::size_t slices() const { return ends_.size(); }

  /// Rows of the ofmap that a command computes in each slice.
  std::vector<std::uint32_t> rows_of(std::size_t command) const;

  /// Tensors that are written and last read here, which may be rings; and the rows that each needs then.
  const std::map<std::size_t, std::uint32_t>& rings() const { return rings_; }

  /// Bytes of each column that the rings take together.
  std::uint64_t rings_height_bytes() const { return rings_height_bytes_; }

  /// Tensors that are first written here, and read by later commands too.
  const std::set<std::size_t>& outlets() const { return outlets_; }

 private:
  struct Read {
    std::size_t tensor;
    std::uint32_t first, end;
  };

  std::uint32_t begin_of(std::size_t slice, std::size_t command) const;
  std::vector<Read> reads_of(std::size_t slice, std::size_t command) const;
  std::uint32_t all_rows_of(std::size_t command) const;
  void add_slice(std::uint32_t last_end);
  void find_rings();

  const Stays& stays_;
  LayerChain chain_;
  /// By slice and command of the chain: rows of its ofmap that are there behind the slice.
  std::vector<std::vector<std::uint32_t>> ends_;
  std::map<std::size_t, std::uint32_t> rings_;
  std::uint64_t rings_height_bytes_ = 0;
  std::set<std::size_t> outlets_;
};

}  // namespace fovea
