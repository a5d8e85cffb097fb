// SPDX-License-Identifier: Apache-2.0
/// \file
/// When output tiles are gathered and written, a burst at a time.
#include "store_walk.h"

#include <algorithm>

namespace fovea {
namespace {

/// A word is read while no more beats than this wait to be sent.
constexpr std::uint64_t kReadableBeats = 2 * kDlaWriteBurstBeats - 2;

}  // namespace

/// Words of the first `bytes` bytes of a run.
std::uint32_t StoreWalk::words_until(const FinishedTile& tile, std::uint32_t bytes) const {
  return tile.is_mean ? bytes * tile.mean_words : dla_gather_words(&machine_, tile.cols, bytes);
}

/// Gathers the next burst. \return false where there is none, or no room for it before others have been sent.
bool StoreWalk::gather() {
  if (tiles_.empty()) {
    return false;
  }
  const FinishedTile& tile = tiles_.front();
  if (!is_gathering_) {
    if (loads_ != nullptr && loads_->residuals.size() <= free_.size()) {
      return false;
    }
    const std::uint64_t residual = loads_ == nullptr ? 0 : loads_->residuals[free_.size()];
    is_gathering_ = true;
    gather_from_ = std::max({gather_from_, tile.seen, residual}) + 1;
  }
  const std::uint32_t run = tile.rows * tile.cols;
  const std::uint32_t addr = tile.addr + filter_ * tile.plane + done_;
  const std::uint32_t bus_bytes = machine_.bus_bytes, offset = addr % bus_bytes;
  const std::uint32_t bytes = std::min({run - done_, kDlaWriteBurstBeats * bus_bytes - offset,
                                        std::uint32_t{kDlaBurstBoundaryBytes} - addr % kDlaBurstBoundaryBytes});
  const std::uint32_t beats = dla_ceil_div(offset + bytes, bus_bytes);
  const std::uint32_t words = words_until(tile, done_ + bytes) - words_until(tile, done_);
  const bool rests = !tile.is_mean && dla_run_rests(&machine_, tile.cols, addr + bytes);
  const std::uint32_t rest = done_ + bytes == run && rests ? 1 : 0;
  std::uint64_t last = gather_from_ + words + rest - 1;
  if (gathered_beats_ + beats > kReadableBeats + 1) {
    if (gathered_beats_ + beats - kReadableBeats - 2 >= sent_beats_) {
      return false;
    }
    last = gather_from_ - 1;
    for (std::uint32_t beat = 0, read = 0; beat < beats; ++beat) {
      const std::uint32_t all = words_until(tile, done_ + std::min(bytes, (beat + 1) * bus_bytes - offset)) -
                                words_until(tile, done_) + (beat + 1 == beats ? rest : 0);
      last = read_beat(gathered_beats_ + beat, last, all - read);
      read = all;
    }
  }
  gathered_beats_ += beats;
  const std::uint32_t way = loads_ != nullptr ? kDlaSumCycles : tile.is_mean ? kDlaMeanCycles : 0;
  waiting_.push_back({last + kDlaBurstSeenCycles + way, addr - offset, beats});
  gather_from_ = last + 1;
  done_ += bytes;
  if (done_ == run) {
    done_ = 0;
    if (++filter_ == tile.filters) {
      filter_ = 0;
      is_gathering_ = false;
      free_.push_back(last - rest + 1);
      if (loads_ != nullptr) {
        loads_->free_residual(last + kDlaResidualFreeCycles);
      }
      tiles_.pop_front();
    }
  }
  return true;
}

std::uint64_t StoreWalk::asks() {
  return waiting_.empty() && !gather() ? kNever : std::max(waiting_.front().ready, sender_free_) + 1;
}

/// When the last word of beat number `beat` of all is read, `words` behind the word that was read in cycle `before`.
/// The queue may have kReadableBeats; a beat whose last word was read in the cycle before is not in it yet.
std::uint64_t StoreWalk::read_beat(std::uint64_t beat, std::uint64_t before, std::uint32_t words) const {
  const std::uint64_t soonest = before + words;
  if (beat <= kReadableBeats) {
    return soonest;
  }
  const std::uint64_t left = beat - kReadableBeats - 1;  // Has to have moved, or at once only the one before it.
  if (words <= 1 && (left == 0 || sent_in(left - 1) < soonest)) {
    return soonest;
  }
  return std::max(soonest, sent_in(left) + 1);
}

void StoreWalk::send() {
  const Burst burst = waiting_.front();
  const BurstCycles cycles = dram_.request(kDramWrite, asks(), burst.addr, burst.beats);
  waiting_.pop_front();
  sender_free_ = cycles.accepted + 1;
  answered_ = cycles.answered;
  sent_.push_back({sent_beats_, cycles.first_beat, cycles.last_beat});
  sent_beats_ += burst.beats;
  if (sent_.size() > 4 * kDlaWriteBurstBeats) {
    sent_.pop_front();
  }
}

/// When beat number `beat` of all moves. \pre it has been sent.
std::uint64_t StoreWalk::sent_in(std::uint64_t beat) const {
  const auto burst = std::find_if(sent_.rbegin(), sent_.rend(), [&](const Sent& s) { return s.first_number <= beat; });
  if (burst == sent_.rend()) {
    return 0;
  }
  const std::uint64_t end = burst == sent_.rbegin() ? sent_beats_ : std::prev(burst)->first_number;
  const std::uint64_t steps = end - burst->first_number - 1;
  return steps == 0 ? burst->last_beat
                    : burst->first_beat + (burst->last_beat - burst->first_beat) * (beat - burst->first_number) / steps;
}

std::uint64_t StoreWalk::tile_free(std::uint64_t tile) {
  while (free_.size() <= tile && gather()) {
  }
  return free_.size() <= tile ? kNever : free_[tile];
}

}  // namespace fovea
