// SPDX-License-Identifier: Apache-2.0
/// \file
/// The cycles of a mapped layer by walking its passes.
#include "layer_walk.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "dram_walk.h"
#include "load_walk.h"
#include "store_walk.h"

namespace fovea {
namespace {

/// From START to the first step of setup, and from the last response to the first cycle after DONE.
constexpr std::uint64_t kBeginCycles = 1, kDoneCycles = 2;

class LayerWalk {
 public:
  LayerWalk(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping, const DramPreset& dram,
            const FirstBytes& first)
      : layer_(place_tensors(machine, shape, mapping, first)),
        passes_(dla_derive_passes(&machine, &shape, &mapping)),
        dram_(dram, machine.bus_bytes),
        store_(dram_, machine, layer_),
        loads_(machine, layer_, dram_, kBeginCycles + kDlaSetupCycles + dla_start_cycles(&machine)) {
    if (shape.residual && !shape.residual_on_chip) {
      store_.add_residuals(loads_);
    }
  }

  CyclesByCause walk() {
    for (bool is_last = false; !is_last;) {
      const QueuedPass next = next_pass();
      run_pass(next.pass, next.set, next.queued);
      is_last = next.pass.last;
    }
    now_ = last_step_ + before_.lengths.column_cycles;
    add_run(now_);
    while (store_.asks() != StoreWalk::kNever) {
      store_.send();
    }
    wait_until(store_.answered() + kDoneCycles, causes_.output);
    return causes_;
  }

 private:
  /// The next burst, a load's or a store's, whichever is asked for first.
  void step() {
    const std::uint64_t read = loads_.asks(), write = store_.asks();
    if (write <= read && write != StoreWalk::kNever) {
      store_.send();
    } else if (read != LoadWalk::kNever) {
      loads_.request();
    } else {
      throw std::logic_error("walk_layer: a pass waits, and nothing is left to load or to store");
    }
  }

  QueuedPass next_pass() {
    for (loads_.asks(); loads_.passes.empty(); loads_.asks()) {
      step();
    }
    const QueuedPass next = loads_.passes.front();
    loads_.passes.pop_front();
    return next;
  }

  /// When chunk number `chunk` of those seen is there.
  std::uint64_t seen(const std::vector<std::uint64_t>& chunks, std::uint64_t chunk) {
    while (chunks.size() <= chunk) {
      step();
    }
    return chunks[chunk];
  }

  /// When one of the output tiles is free for the next pass that fills one.
  std::uint64_t tile_free() {
    if (tiles_ < kDlaOutputTiles) {
      return 0;
    }
    std::uint64_t free = 0;
    while ((free = store_.tile_free(tiles_ - kDlaOutputTiles)) == StoreWalk::kNever) {
      step();
    }
    return free;
  }

  void run_pass(const dla_pass& pass, const dla_filter_set& set, std::uint64_t queued) {
    if (pass.new_set) {
      feed(set, queued);
    }
    bring_window(pass, queued);
    if (pass.new_set) {
      wait_for_chunk(set_moved_, set_started_ - set_due_, causes_.filter);
    }
    wait_until(psums_clear(pass), causes_.psum);
    if (pass.last_k) {
      wait_until(tile_free(), causes_.output);
    }
    start(pass);
  }

  /// Moves the next set to the PEs.
  void feed(const dla_filter_set& set, std::uint64_t queued) {
    const std::uint64_t half = fed_ < kDlaFilterHalves ? 0 : set_used_ + 1;
    set_due_ = std::max({queued, set_moved_, half});
    set_started_ = std::max(set_due_, set.new_chunk ? seen(loads_.filters, loaded_++) : 0);
    set_moved_ = set_started_ + kDlaFeedCycles + dla_set_words(&set);
    loads_.take_set(set_started_);
    if (!set.stays) {
      loads_.free_filter(set_moved_);
    }
    ++fed_;
  }

  /// Ends the pass before, and brings this one's first window: from a step of its tail on, or afterwards.
  void bring_window(const dla_pass& pass, std::uint64_t queued) {
    const std::uint64_t possible = std::max(queued, pass.new_ifmap ? seen(loads_.ifmaps, brought_++) : 0);
    const bool is_first = started_passes_ == 0;
    const std::uint64_t column = before_.lengths.column_cycles;
    if (!is_first && possible <= last_step_) {
      const std::uint64_t asked = tail_ + (excess(possible, tail_) + column - 1) / column * column;
      now_ = std::max(last_step_ + column, asked + pass.lengths.fill_words);
      add_run(now_);
      may_start_ = now_ - 1;
      return;
    }
    if (!is_first) {
      now_ = last_step_ + column;
      add_run(now_);
    }
    const bool in_last_step = !is_first && queued <= last_step_;
    wait_until(queued, causes_.control);
    const std::uint64_t due = in_last_step ? last_step_ : now_;
    const std::uint64_t asked = std::max(possible, now_);
    wait_for_chunk(asked + dla_window_cycles(&pass.lengths), asked - due, causes_.ifmap);
    may_start_ = now_;
  }

  /// The cycles of the pass before, up to `end`.
  void add_run(std::uint64_t end) {
    const std::uint64_t slots = std::uint64_t{passes_.F} * before_.extent.p;
    causes_.compute += slots * before_.lengths.products;
    causes_.psum += slots * (before_.lengths.slot_cycles - before_.lengths.products);
    causes_.ifmap += end - started_ - 1 - slots * before_.lengths.slot_cycles;
  }

  /// From when on psums are out of the way.
  std::uint64_t psums_clear(const dla_pass& pass) const {
    if (started_passes_ == 0) {
      return 0;
    }
    const dla_lengths& before = before_.lengths;
    const std::uint64_t clear = pass.waits_psum ? last_product_ + dla_drain_cycles(&passes_, &before)
                                                : last_product_ + excess(before.slot_words, pass.lengths.slot_cycles);
    return std::max(clear, started_ + kDlaMinPassCycles);
  }

  void start(const dla_pass& pass) {
    // What is there in the last cycle of the pass before starts this one without a gap.
    const bool at_once = now_ == may_start_ + 1 && starts_at_once(pass);
    started_ = at_once ? may_start_ : now_;
    wait_until(started_ + 1, causes_.control);
    loads_.take_pass(started_);
    set_used_ = pass.new_set ? started_ : set_used_;
    const std::uint32_t tail = dla_tail_steps(&layer_.shape, passes_.F);
    tail_ = started_ + 1 + dla_step_start(&pass.lengths, passes_.F, tail, passes_.F - tail);
    last_step_ = started_ + 1 + dla_step_start(&pass.lengths, passes_.F, tail, passes_.F - 1);
    last_product_ = last_step_ + pass.lengths.column_cycles - 1;
    if (pass.release_ifmap) {
      loads_.free_ifmap(last_step_ + 1);
    }
    if (pass.last_k) {
      ++tiles_;
      store_.add({last_product_ + dla_tile_cycles(&passes_, &pass.lengths), pass.ofmap_filter, pass.ofmap_row,
                  pass.extent.filters, dla_pooled(&layer_.shape, pass.extent.e), passes_.ofmap_cols});
    }
    before_ = pass;
    ++started_passes_;
  }

  /// Whether nothing but the end of the pass before was waited for.
  bool starts_at_once(const dla_pass& pass) {
    const bool has_set = !pass.new_set || set_moved_ <= may_start_;
    const bool has_tile = !pass.last_k || tile_free() <= may_start_;
    return has_set && has_tile && psums_clear(pass) <= may_start_;
  }

  void wait_until(std::uint64_t cycle, std::uint64_t& cause) {
    if (cycle > now_) {
      cause += cycle - now_;
      now_ = cycle;
    }
  }

  /// Waits up to `cycle`, which came `late` cycles later because a chunk was missing.
  void wait_for_chunk(std::uint64_t cycle, std::uint64_t late, std::uint64_t& cause) {
    wait_until(std::min(cycle, now_ + late), causes_.dram);
    wait_until(cycle, cause);
  }

  const dla_layer layer_;
  const dla_passes passes_;
  DramWalk dram_;
  StoreWalk store_;
  LoadWalk loads_;

  // Filter sets.
  std::uint64_t fed_ = 0, loaded_ = 0, set_due_ = 0, set_started_ = 0, set_moved_ = 0;
  std::uint64_t set_used_ = 0;  ///< When a pass started on the last set.

  // The array.
  CyclesByCause causes_;
  std::uint64_t now_ = kBeginCycles;  ///< The first cycle without a cause.
  std::uint64_t may_start_ = 0;
  std::uint64_t started_passes_ = 0, tiles_ = 0;
  std::uint64_t brought_ = 0;  ///< Ifmap chunks.
  dla_pass before_{};
  std::uint64_t started_ = 0, tail_ = 0, last_step_ = 0, last_product_ = 0;
};

}  // namespace

CyclesByCause walk_layer(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping,
                         const DramPreset& dram, const FirstBytes& first) {
  return LayerWalk(machine, shape, mapping, dram, first).walk();
}

}  // namespace fovea
