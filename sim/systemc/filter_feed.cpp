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
  is_feeding_ = false;
  words_ = 0;
}

void FilterFeed::trace(sc_core::sc_trace_file* waves) const { trace_as(waves, is_feeding_, "feeding"); }

void FilterFeed::run() {
  const uint32_t bus_bytes = plan().machine.bus_bytes;
  uint32_t half = 0;
  for (;;) {
    sets->wait_valid();
    chunks->wait_there();
    free_halves->wait_there();
    const dla_filter_set set = sets->pop();
    chunks->take();
    free_halves->take();
    const uint32_t words = dla_set_words(&set);
    const auto chunk = glb->bytes() + (plan().filter_base_word + set.glb_word) * bus_bytes;
    std::vector<uint8_t>& bytes = half_bytes_[half];
    bytes.assign(chunk, chunk + words * bus_bytes);
    words_ += words;
    const Cycle from = clock_.now() + 1, to = from + words;
    note(clock_.now(), TransactionKind::kSetStart);
    note(to - 1, TransactionKind::kSetEnd);
    is_feeding_ = true;
    moves_ = {Span{from, to}, moves_[0]};
    wait_until(clock_, to - 1);
    free_buffers->put(to);
    fed->push({&bytes, set.bias_words * bus_bytes});
    wait_until(clock_, to);
    is_feeding_ = false;
    half ^= 1;
  }
}

Cycle FilterFeed::cycles_of_set(Cycle from, Cycle to) const {
  // A set that was complete before `to` is in use; the one waited for is at most complete in `to`.
  for (const Span& move : moves_) {
    if (move.from < to && to <= move.to) {
      return to - std::max(from, move.from);
    }
  }
  return 0;
}

void FilterFeed::count(Cycle cycle, dla_counters& counters) const {
  const uint64_t ahead = cycle >= moves_[0].to ? 0 : moves_[0].to - std::max(cycle, moves_[0].from);
  counters.glb_read_words += static_cast<uint32_t>(words_ - ahead);
}

}  // namespace fovea
