// SPDX-License-Identifier: Apache-2.0
/// \file
/// When output tiles are gathered and written, a burst at a time.
#include "store_walk.h"

#include <algorithm>

#include "spec/dla_schedule.h"

namespace fovea {
namespace {

/// A word is read while no more beats than this wait to be sent.
constexpr std::uint64_t kReadableBeats = 2 * kDlaWriteBurstBeats - 2;

}  // namespace

StoreWalk::StoreWalk(DramWalk& dram, const dla_machine& machine, const dla_layer& layer)
    : dram_(dram),
      machine_(machine),
      layer_(layer),
      passes_(dla_derive_passes(&machine, &layer.shape, &layer.mapping)),
      ofmap_(dla_planes_of(&machine, &layer, kDlaOfmap)),
      way_(layer.shape.residual ? kDlaSumCycles
           : layer.shape.mean   ? kDlaMeanCycles
                                : 0) {}

void StoreWalk::add(FinishedTile tile) {
  tile.is_one_run = dla_is_one_run(&layer_.shape, &passes_, tile.rows);
  if (layer_.shape.mean) {
    tile.mean_words = dla_gather_words(&machine_, tile.cols, tile.rows * tile.cols);
    tile.rows = tile.cols = 1;
  }
  tiles_.push_back(tile);
}

/// Words of the first `bytes` bytes of a run.
std::uint32_t StoreWalk::words_until(const FinishedTile& tile, std::uint32_t bytes) const {
  return tile.mean_words != 0 ? bytes * tile.mean_words : dla_gather_words(&machine_, tile.cols, bytes);
}

/// The run under way: all of the tile, or of a filter the rows up to where they go on at its plane's begin.
StoreWalk::Run StoreWalk::run_of(const FinishedTile& tile) const {
  const std::uint32_t row = tile.row + row_, filters = tile.is_one_run ? tile.filters : 1;
  const std::uint32_t rows = dla_rows_before_wrap(&ofmap_, row, tile.row + tile.rows);
  return {dla_row_addr(&ofmap_, tile.filter + filter_, row), filters * rows * tile.cols, rows};
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
  const Run run = run_of(tile);
  const std::uint32_t addr = run.addr + done_;
  const std::uint32_t bus_bytes = machine_.bus_bytes, offset = addr % bus_bytes;
  const std::uint32_t bytes = std::min({run.bytes - done_, kDlaWriteBurstBeats * bus_bytes - offset,
                                        std::uint32_t{kDlaBurstBoundaryBytes} - addr % kDlaBurstBoundaryBytes});
  const std::uint32_t beats = dla_ceil_div(offset + bytes, bus_bytes);
  const std::uint32_t begun = done_ == 0 ? ahead_ : words_until(tile, done_);
  const std::uint32_t words = words_until(tile, done_ + bytes) - begun;
  const bool rests = tile.mean_words == 0 && dla_run_rests(&machine_, tile.cols, addr + bytes);
  const std::uint32_t rest = done_ + bytes == run.bytes && rests ? 1 : 0;
  std::uint64_t last = gather_from_ + words + rest - 1;
  if (gathered_beats_ + beats > kReadableBeats + 1) {
    if (gathered_beats_ + beats - kReadableBeats - 2 >= sent_beats_) {
      return false;
    }
    last = gather_from_ - 1;
    for (std::uint32_t beat = 0, read = 0; beat < beats; ++beat) {
      const std::uint32_t all = words_until(tile, done_ + std::min(bytes, (beat + 1) * bus_bytes - offset)) - begun +
                                (beat + 1 == beats ? rest : 0);
      last = read_beat(gathered_beats_ + beat, last, all - read);
      read = all;
    }
  }
  gathered_beats_ += beats;
  waiting_.push_back({last + kDlaBurstSeenCycles + way_, addr - offset, beats});
  gather_from_ = last + 1;
  done_ += bytes;
  if (done_ == run.bytes) {
    const bool tile_ends = end_run(tile, run, last - rest, last);
    ahead_ = 0;
    if (rest != 0 && !tile_ends) {
      const Run next = run_of(tile);
      ahead_ = dla_first_word_ends_beat(&machine_, tile.cols, next.addr, next.bytes) ? 0 : 1;
    }
  }
  return true;
}

/// Goes on to the next run, or the next tile. \param last  The cycle of its last step: that of the last word, or one
/// later. \return whether the tile is over.
bool StoreWalk::end_run(const FinishedTile& tile, const Run& run, std::uint64_t last_word, std::uint64_t last) {
  done_ = 0;
  row_ += run.rows;
  if (row_ != tile.rows) {
    return false;
  }
  row_ = 0;
  filter_ += tile.is_one_run ? tile.filters : 1;
  if (filter_ != tile.filters) {
    return false;
  }
  filter_ = 0;
  is_gathering_ = false;
  free_.push_back(last_word + 1);
  if (loads_ != nullptr) {
    loads_->free_residual(last + kDlaResidualFreeCycles);
  }
  tiles_.pop_front();
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

/// The GLB takes a request at once, a beat a cycle from the next one on, and answers the cycle behind the last.
BurstCycles StoreWalk::request(const Burst& burst) {
  const std::uint64_t asked = asks();
  if (!ofmap_.on_chip) {
    return dram_.request(kDramWrite, asked, burst.addr, burst.beats);
  }
  const std::uint64_t first = std::max(asked, sent_.empty() ? 0 : sent_.back().last_beat) + 1;
  const std::uint64_t last = first + burst.beats - 1;
  return {asked, first, last, last + 1};
}

void StoreWalk::send() {
  const Burst burst = waiting_.front();
  const BurstCycles cycles = request(burst);
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
