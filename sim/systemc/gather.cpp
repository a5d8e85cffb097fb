// SPDX-License-Identifier: Apache-2.0
/// \file
/// Gathers the bytes of finished output tiles, run by run, into write bursts.
#include "gather.h"

#include <algorithm>
#include <cstring>

namespace fovea {

void Gather::clear() {
  bytes_ = beats_ = 0;
  beat_read_in_ = kNever;
  from_ = 0;
  ahead_ = {};
}

void Gather::trace(sc_core::sc_trace_file* waves) const {
  trace_as(waves, bytes_, "bytes");
  trace_as(waves, beats_, "beats");
}

void Gather::run() {
  for (;;) {
    tiles->wait_valid();
    if (device_.is_stopped()) {
      halt();
    }
    const Tile tile = tiles->front();
    wait_until(clock_, clock_.now() + 1);
    // Runs that are all rows of the ofmap follow each other in memory: they are one.
    const uint32_t runs = tile.rows * tile.cols == plan().ofmap_plane ? 1 : tile.filters;
    for (uint32_t run = 0; run < runs; ++run) {
      gather_run(tile, run, runs);
    }
  }
}

/// From the first row's own cycle to the cycle after the last byte. \param runs  Of the tile.
void Gather::gather_run(const Tile& tile, uint32_t run, uint32_t runs) {
  const uint32_t bus_bytes = plan().machine.bus_bytes;
  const uint32_t run_bytes = tile.filters / runs * tile.rows * tile.cols;
  const uint32_t run_addr = tile.addr + run * plan().ofmap_plane;
  for (uint32_t done = 0; done < run_bytes;) {
    const uint32_t addr = run_addr + done;
    const uint32_t room = WriteBurst::kMaxBeats * bus_bytes - addr % bus_bytes;
    WriteBurst burst;
    burst.addr = addr;
    burst.bytes = std::min({run_bytes - done, room, kDlaBurstBoundaryBytes - addr % kDlaBurstBoundaryBytes});
    std::memcpy(burst.data.data() + addr % bus_bytes, tile.bytes->data() + run * run_bytes + done, burst.bytes);
    read_bytes({addr, burst.bytes, done % tile.cols, tile.cols});
    done += burst.bytes;
    const bool tile_ends = done == run_bytes && run + 1 == runs;
    burst.last = tile.last && tile_ends;
    bursts->push_at(burst, clock_.now() + kDlaBurstSeenCycles);
    if (tile_ends) {
      tiles->pop();
      free_tiles->put(clock_.now() + 1);
      note(clock_.now(), TransactionKind::kTileFree);
    }
    wait_until(clock_, clock_.now() + 1);
  }
}

/// Reads the bytes of a burst, to the cycle of the last of them.
void Gather::read_bytes(const Bytes& bytes) {
  const uint32_t beats = beats_of(bytes.addr, bytes.count, plan().machine.bus_bytes);
  const uint64_t queued = beats_ - sent->beats_before(clock_.now());
  if (queued + beats <= kReadableLevel) {
    ahead_ = bytes;
    from_ = clock_.now();
    const uint32_t pauses = (bytes.col + bytes.count - 1) / bytes.cols + (bytes.col == 0 ? 1 : 0);
    wait_until(clock_, from_ + bytes.count + pauses - 1);
    if (device_.is_stopped()) {
      halt();
    }
    ahead_.count = 0;
    bytes_ += bytes.count;
    beats_ += beats;
    beat_read_in_ = clock_.now();
    return;
  }
  read_bytes_as_room_allows(bytes);
}

void Gather::read_bytes_as_room_allows(const Bytes& bytes) {
  const uint32_t bus_bytes = plan().machine.bus_bytes;
  for (uint32_t i = 0; i < bytes.count; ++i) {
    const Cycle pause = (bytes.col + i) % bytes.cols == 0 ? 1 : 0;
    wait_until(clock_, clock_.now() + pause + (i == 0 ? 0 : 1));
    while (!has_room()) {
      wait_until(clock_, clock_.now() + 1);
    }
    if (device_.is_stopped()) {
      halt();
    }
    ++bytes_;
    if (i + 1 == bytes.count || (bytes.addr + i + 1) % bus_bytes == 0) {
      ++beats_;
      beat_read_in_ = clock_.now();
    }
  }
}

/// Whether a byte may be read in this cycle. A beat joins the queue the cycle after its last byte is read.
bool Gather::has_room() const {
  const Cycle now = clock_.now();
  const uint64_t joined = beats_ - (beat_read_in_ + 1 == now ? 1 : 0);
  return joined - sent->beats_before(now) <= kReadableLevel;
}

void Gather::count(Cycle cycle, dla_counters& counters) const {
  uint64_t reads = bytes_;
  const Cycle end = std::min(cycle, device_.stop_from);
  uint32_t col = ahead_.col, left = ahead_.count;
  for (Cycle at = from_; at < end && left > 0;) {
    at += col == 0 ? 1 : 0;
    const auto row = static_cast<uint32_t>(std::min<Cycle>({ahead_.cols - col, left, at < end ? end - at : 0}));
    reads += row;
    left -= row;
    at += row;
    col = 0;
  }
  counters.glb_read_words += static_cast<uint32_t>(reads);
}

}  // namespace fovea
