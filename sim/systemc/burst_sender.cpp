// SPDX-License-Identifier: Apache-2.0
/// \file
/// Sends finished write bursts to DRAM, or to the GLB, one after another.
#include "burst_sender.h"

#include <algorithm>
#include <cstring>

#include "spec/dla_list.h"

namespace fovea {

BurstSender::BurstSender(const sc_core::sc_module_name& name, DeviceState& device) : Unit(name, device) {
  sent(static_cast<SentBeats&>(*this));
  dma.register_nb_transport_bw(this, &BurstSender::take_answer);
}

void BurstSender::clear() {
  answer_.cancel();
  accepted_in_ = asks_to_ = 0;
  asked_.clear();
  beats_ = bytes_ = 0;
  sent_ = 0;
}

bool BurstSender::is_idle() const {
  const Cycle now = clock_.now();
  return asks_to_ <= now && (asked_.empty() || asked_.back().is_answered_before(now)) && !is_recording();
}

bool BurstSender::is_recording() const { return record_ && !record_->is_answered_before(clock_.now()); }

Cycle BurstSender::Asked::last_progress(Cycle now) const {
  const bool is_answered = !is_on_chip && timing.response <= now;
  return is_scheduled ? std::max(timing.last_beat_by(now), is_answered ? timing.response : 0) : 0;
}

Cycle BurstSender::last_progress() const {
  const Cycle now = clock_.now();
  Cycle last = accepted_in_;
  for (const Asked& asked : asked_) {
    last = std::max(last, asked.last_progress(now));
  }
  return record_ ? std::max(last, record_->last_progress(now)) : last;
}

uint64_t BurstSender::beats_before(Cycle cycle) const {
  uint64_t beats = beats_;
  for (const Asked& asked : asked_) {
    beats += asked.is_scheduled ? asked.timing.beats_before(cycle) : 0;
  }
  return beats;
}

void BurstSender::count(Cycle cycle, dla_counters& counters) const {
  const uint32_t bus_bytes = plan().machine.bus_bytes;
  if (plan().ofmap.on_chip) {
    counters.glb_write_words += static_cast<uint32_t>(beats_before(cycle - kGlbWriteCycles));
    return;
  }
  uint64_t bytes = bytes_;
  for (const Asked& asked : asked_) {
    const uint32_t moved = asked.is_scheduled ? asked.timing.beats_before(cycle) : 0;
    bytes += moved == 0 ? 0 : std::min(asked.burst.bytes, moved * bus_bytes - asked.burst.addr % bus_bytes);
  }
  counters.write_bytes = static_cast<uint32_t>(bytes);
  counters.write_bursts = sent_;
}

void BurstSender::trace(sc_core::sc_trace_file* waves) const {
  trace_as(waves, sent_, "bursts");
  trace_as(waves, accepted_, "accepted");
}

void BurstSender::run() {
  for (;;) {
    bursts->wait_valid();
    if (device_.is_stopped()) {
      halt();
    }
    asks_to_ = kNever;
    wait_until(clock_, clock_.now() + 1);
    send(bursts->pop());
    asks_to_ = clock_.now() + 1;
    wait_until(clock_, asks_to_);
  }
}

/// The bus is a record's up to its answer.
void BurstSender::wait_for_record() {
  while (is_recording()) {
    record_->is_scheduled ? wait_until(clock_, record_->timing.response + 1) : sc_core::wait(answer_);
  }
}

/// From the request to the cycle in which it is accepted.
void BurstSender::send(const WriteBurst& burst) {
  const bool is_on_chip = plan().ofmap.on_chip;
  wait_for_record();
  if (is_on_chip) {
    wait_for_answers();
  }
  forget_answered();
  const Cycle beats_end = asked_.empty() || !is_on_chip ? 0 : asked_.back().timing.last_beat();
  asked_.push_back({burst, {}, beats_of(burst.addr, burst.bytes, plan().machine.bus_bytes), false, is_on_chip, {}});
  if (is_on_chip) {
    store_on_chip(asked_.back(), std::max(clock_.now(), beats_end) + 1);
  } else {
    ask(asked_.back());
    while (!accepted_) {
      sc_core::wait(answer_);
    }
  }
  ++sent_;
}

void BurstSender::wait_for_answers() {
  const auto is_owed = [this](const Asked& asked) { return !asked.is_answered_before(clock_.now()); };
  for (auto owed = asked_.begin(); std::count_if(owed, asked_.end(), is_owed) >= kMaxUnanswered;) {
    owed = std::find_if(owed, asked_.end(), is_owed);
    wait_until(clock_, owed->timing.response + 1);
  }
}

/// Accepted in this cycle; its beats move from cycle `beats_from` on.
void BurstSender::store_on_chip(Asked& asked, Cycle beats_from) {
  asked.is_scheduled = true;
  for (uint32_t beat = 0; beat < asked.beats; ++beat) {
    asked.timing.beats.push_back(beats_from + beat);
  }
  asked.timing.response = asked.timing.last_beat() + 1;
  write_on_chip(asked.burst);
  if (asked.burst.last) {
    events->last_response_comes(asked.timing.response);
  }
}

/// Nobody reads it before the layer has ended.
void BurstSender::write_on_chip(const WriteBurst& burst) {
  const uint32_t offset = burst.addr % plan().machine.bus_bytes;
  for (uint32_t i = 0; i < burst.bytes; ++i) {
    glb->bytes()[dla_glb_byte(&plan().machine, burst.addr + i)] = burst.data[offset + i];
  }
}

void BurstSender::send_record(uint32_t addr, const uint32_t* words) {
  const uint32_t bus_bytes = plan().machine.bus_bytes;
  WriteBurst burst;
  burst.addr = addr;
  burst.bytes = dla_list_record_beats(bus_bytes) * bus_bytes;
  burst.data.fill(0);
  std::memcpy(burst.data.data(), words, 4 * kDlaListRecordWords);
  record_ = Asked{burst, {}, burst.bytes / bus_bytes, false, false, {}};
  ask(*record_);
}

/// Makes a request in this cycle; `accepted_` says when it has been accepted.
void BurstSender::ask(Asked& asked) {
  const uint32_t bus_bytes = plan().machine.bus_bytes;
  const uint32_t offset = asked.burst.addr % bus_bytes, beats = asked.beats;
  asked.enables.fill(TLM_BYTE_DISABLED);
  std::fill_n(asked.enables.begin() + offset, asked.burst.bytes, uint8_t{TLM_BYTE_ENABLED});
  tlm::tlm_generic_payload& request = pool_.allocate();
  request.set_write();
  request.set_address(asked.burst.addr - offset);
  request.set_data_length(beats * bus_bytes);
  request.set_streaming_width(beats * bus_bytes);
  request.set_data_ptr(asked.burst.data.data());
  request.set_byte_enable_ptr(asked.enables.data());
  request.set_byte_enable_length(beats * bus_bytes);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  accepted_ = dma->nb_transport_fw(request, phase, delay) == tlm::TLM_UPDATED;
  accepted_in_ = accepted_ ? clock_.now() : accepted_in_;
}

/// Those whose response has come count as a sum; the last of them is kept, for when it came.
void BurstSender::forget_answered() {
  const Cycle now = clock_.now();
  while (asked_.size() > 1 && asked_[1].is_scheduled && asked_[1].timing.response <= now) {
    beats_ += asked_.front().beats;
    bytes_ += asked_.front().burst.bytes;
    asked_.pop_front();
  }
}

tlm::tlm_sync_enum BurstSender::take_answer(tlm::tlm_generic_payload& request, tlm::tlm_phase& phase,
                                            sc_core::sc_time&) {
  if (phase == tlm::END_REQ) {
    accepted_ = true;
    accepted_in_ = clock_.now();
    answer_.notify();
    return tlm::TLM_ACCEPTED;
  }
  const BurstTiming timing = *request.get_extension<BurstTiming>();
  request.release();
  if (record_ && !record_->is_scheduled) {
    record_->is_scheduled = true;
    record_->timing = timing;
    events->record_answered(timing.response, timing.failed_in != kNever);
    answer_.notify();
    return tlm::TLM_COMPLETED;
  }
  // Bursts are scheduled in the order of their requests.
  const auto asked = std::find_if(asked_.begin(), asked_.end(), [](const Asked& burst) { return !burst.is_scheduled; });
  sc_assert(asked != asked_.end());
  asked->is_scheduled = true;
  asked->timing = timing;
  if (asked->timing.failed_in != kNever) {
    events->write_fails(asked->timing.failed_in, asked->timing.failed_addr);
  }
  if (asked->burst.last) {
    events->last_response_comes(asked->timing.response);
  }
  return tlm::TLM_COMPLETED;
}

}  // namespace fovea
