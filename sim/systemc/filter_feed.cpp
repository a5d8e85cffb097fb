// SPDX-License-Identifier: Apache-2.0
/// \file
/// Moves filter sets from the GLB to the PEs, one word a cycle, one set ahead of the array.
#include "filter_feed.h"

#include <algorithm>

namespace fovea {

FilterFeed::FilterFeed(const sc_core::sc_module_name& name, DeviceState& device) : Unit(name, device) {
  moves(static_cast<SetMoves&>(*this));
}

void FilterFeed::clear() {
  moves_ = {};
  is_feeding_ = is_ahead_ = false;
  reads_ = before_ = left_ = 0;
  moves_next_ = true;
}

void FilterFeed::trace(sc_core::sc_trace_file* waves) const { trace_as(waves, is_feeding_, "feeding"); }

void FilterFeed::run() {
  const uint32_t bus_bytes = plan().machine.bus_bytes;
  uint32_t half = 0;
  for (;;) {
    sets->wait_valid();
    free_halves->wait_there();
    moves_ = {Move{clock_.now(), kNever, kNever}, moves_[0]};
    if (sets->front().new_chunk) {
      chunks->wait_there();
      chunks->take();
    }
    const dla_filter_set set = sets->pop();
    free_halves->take();
    const uint32_t words = dla_set_words(&set);
    moves_next_ = left_ == 0;
    left_ -= moves_next_ ? 0 : 1;
    const LayerPlan& of = moves_next_ ? load_plan() : plan();
    const auto chunk = glb->bytes() + (of.filter_base_word + set.glb_word) * bus_bytes;
    std::vector<uint8_t>& bytes = half_bytes_[half];
    bytes.assign(chunk, chunk + dla_set_bytes(&set));
    (moves_next_ ? reads_ : before_) += dla_set_bytes(&set) / bus_bytes;
    set_ = set;
    const Cycle to = clock_.now() + 1 + words;
    note(clock_.now(), TransactionKind::kSetStart);
    note(to - 1, TransactionKind::kSetEnd);
    is_feeding_ = true;
    moves_[0].started = clock_.now();
    moves_[0].to = to;
    wait_until(clock_, to - 1);
    if (!set.stays && moves_next_) {
      free_buffers->put(to);
    }
    fed->push({&bytes, set.bias_bytes, set.scale_bytes});
    wait_until(clock_, to);
    is_feeding_ = false;
    moved_.notify();
    half ^= 1;
  }
}

Cycle FilterFeed::late_cycles(Cycle from, Cycle to) const {
  // A set that was complete before `to` is in use; the one waited for is at most complete in `to`.
  const Move& move = to <= moves_[1].to ? moves_[1] : moves_[0];
  if (move.due >= to || to > move.to) {
    return 0;
  }
  const Cycle late = std::min(move.started, to) - move.due;
  return std::min(late, to - std::max(from, move.due));
}

/// GLB words that the first `words` words of the last set are in. A word of the GLB is read once.
uint64_t FilterFeed::reads_of(uint64_t words) const {
  const dla_machine& machine = plan().machine;
  const auto reads = [&](uint64_t from_one_start) {
    return (from_one_start * machine.filter_bytes_per_cycle + machine.bus_bytes - 1) / machine.bus_bytes;
  };
  const uint64_t biases = std::min<uint64_t>(words, set_.bias_words);
  const uint64_t scales = std::min<uint64_t>(words - biases, set_.scale_words), weights = words - biases - scales;
  return reads(biases) + reads(scales) + weights / set_.pe_words * (set_.pe_bytes / machine.bus_bytes) +
         reads(weights % set_.pe_words);
}

void FilterFeed::count(Cycle cycle, dla_counters& counters) const {
  const Move& move = moves_[0].started == kNever ? moves_[1] : moves_[0];
  uint64_t ahead = 0;
  if (cycle < move.to && moves_next_ != is_ahead_) {
    ahead = reads_of(dla_set_words(&set_)) - reads_of(cycle - std::min(cycle, move.started + 1));
  }
  counters.glb_read_words += static_cast<uint32_t>((is_ahead_ ? before_ : reads_) - ahead);
}

}  // namespace fovea
