// SPDX-License-Identifier: Apache-2.0
/// \file
/// Puts chunks one after another: what overlaps, and what waits for loads, buffers and the store.
#pragma once

#include "chunk_cost.h"

namespace fovea {

/// Of the last write burst: seen, sent, answered. The GLB answers at once.
constexpr std::uint64_t last_response_cycles(const dla_shape& shape) { return shape.ofmap_on_chip ? 2 : 11; }

/// The times at which the array, the DRAM's bus and the store have done with the chunks so far, in cycles from START.
/// A few times decide when the next chunk begins, so chunks that repeat need not all be walked through.
class LayerTimeline {
 public:
  /// \param start  When the first load is asked for.
  LayerTimeline(const MappedLayer& layer, std::uint64_t start);

  /// Runs a chunk. \param loads_ifmap  Its ifmap is not in the GLB from an earlier tile.
  void run(const ChunkCost& chunk, bool loads_ifmap);

  /// Does `step` `count` times: the first few really; the others take as long as the last of these, or, where two
  /// buffers make long and short steps alternate, as the last two.
  template <class Step>
  void repeat(std::uint64_t count, const Step& step) {
    std::uint64_t left = count;
    const auto walk = [&] {
      if (left > 0) {
        step();
        --left;
      }
    };
    walk();
    const LayerTimeline first = *this;
    walk();
    const LayerTimeline second = *this;
    walk();
    if (is_as_long(first, second)) {
      skip(second, left);
      return;
    }
    walk();
    skip(second, left / 2);
    left %= 2;
    walk();
  }

  /// All cycles up to DONE.
  CyclesByCause finish() const;

 private:
  /// Whether everything moved on since `second` as it did from `first` to `second`.
  bool is_as_long(const LayerTimeline& first, const LayerTimeline& second) const;

  /// Takes `count` times the time since `before` once more.
  void skip(const LayerTimeline& before, std::uint64_t count);
  std::uint64_t ifmap_free() const;
  void store(const OutputCost& output);

  const MappedLayer* layer_;
  CyclesByCause cycles_;
  bool is_first_ = true;            ///< No chunk has run yet.
  std::uint64_t array_end_;         ///< Of the last chunk.
  std::uint64_t bus_free_;          ///< From its last load.
  std::uint64_t asks_ifmap_;        ///< The next chunk's ifmap,
  std::uint64_t asks_filter_;       ///< and its first filters, not before.
  std::uint64_t feeds_from_ = 0;    ///< Its first filters to the PEs.
  std::uint64_t released_[2] = {};  ///< When the ifmap of the last chunk, and of the one before, was free.
  std::uint64_t store_end_ = 0;     ///< Of the last output tile,
  std::uint64_t last_store_ = 0;    ///< and how long its store took.
};

}  // namespace fovea
