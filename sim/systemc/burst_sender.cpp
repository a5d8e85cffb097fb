// SPDX-License-Identifier: Apache-2.0
/// \file
/// Sends finished write bursts to DRAM, one after another.
#include "burst_sender.h"

#include <algorithm>

namespace fovea {

BurstSender::BurstSender(const sc_core::sc_module_name& name, DeviceState& device) : Unit(name, device) {
  sent(static_cast<SentBeats&>(*this));
  dma.register_nb_transport_bw(this, &BurstSender::take_answer);
}

void BurstSender::clear() {
  answer_.cancel();
  timing_ = {};
  timing_beats_ = timing_bytes_ = timing_addr_ = 0;
  accepted_in_ = quiet_from_ = last_response_ = 0;
  responses_.clear();
  beats_ = bytes_ = 0;
  sent_ = 0;
}

bool BurstSender::is_idle() const { return quiet_from_ <= clock_.now() && last_response_ <= clock_.now(); }

Cycle BurstSender::last_progress() const {
  const Cycle now = clock_.now();
  Cycle last = std::max(accepted_in_, timing_.last_beat_by(now));
  for (const Cycle response : responses_) {
    last = response <= now ? std::max(last, response) : last;
  }
  return last;
}

uint64_t BurstSender::beats_before(Cycle cycle) const { return beats_ + timing_.beats_before(cycle); }

void BurstSender::count(Cycle cycle, dla_counters& counters) const {
  const auto moved = static_cast<uint32_t>(beats_before(cycle) - beats_);
  const uint32_t bus_bytes = plan().machine.bus_bytes;
  const uint32_t now = moved == 0 ? 0 : std::min(timing_bytes_, moved * bus_bytes - timing_addr_ % bus_bytes);
  counters.write_bytes = static_cast<uint32_t>(bytes_ + now);
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
    quiet_from_ = kNever;
    wait_until(clock_, clock_.now() + 1);
    send(bursts->front());
    wait_until(clock_, timing_.last_beat());
    bursts->pop();
    quiet_from_ = timing_.last_beat() + 1;
    wait_until(clock_, quiet_from_);
  }
}

/// From the request to the cycle in which the DRAM says when its beats move.
void BurstSender::send(const WriteBurst& burst) {
  const uint32_t bus_bytes = plan().machine.bus_bytes;
  const uint32_t offset = burst.addr % bus_bytes, length = beats_of(burst.addr, burst.bytes, bus_bytes) * bus_bytes;
  tlm::tlm_generic_payload& request = pool_.allocate();
  enables_.fill(TLM_BYTE_DISABLED);
  std::fill_n(enables_.begin() + offset, burst.bytes, uint8_t{TLM_BYTE_ENABLED});
  request.set_write();
  request.set_address(burst.addr - offset);
  request.set_data_length(length);
  request.set_streaming_width(length);
  request.set_data_ptr(const_cast<uint8_t*>(burst.data.data()));
  request.set_byte_enable_ptr(enables_.data());
  request.set_byte_enable_length(length);
  scheduled_ = false;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  accepted_ = dma->nb_transport_fw(request, phase, delay) == tlm::TLM_UPDATED;
  while (!accepted_) {
    sc_core::wait(answer_);
  }
  accepted_in_ = clock_.now();
  ++sent_;
  while (!scheduled_) {
    sc_core::wait(answer_);
  }
  beats_ += timing_beats_;
  bytes_ += timing_bytes_;
  timing_beats_ = length / bus_bytes;
  timing_addr_ = burst.addr;
  timing_bytes_ = burst.bytes;
  timing_ = answered_;
  last_response_ = timing_.response + 1;
  while (responses_.size() > 1 && responses_[1] <= clock_.now()) {
    responses_.pop_front();
  }
  responses_.push_back(timing_.response);
  if (timing_.failed_in != kNever) {
    events->write_fails(timing_.failed_in, timing_.failed_addr);
  }
  if (burst.last) {
    events->last_response_comes(timing_.response);
  }
}

tlm::tlm_sync_enum BurstSender::take_answer(tlm::tlm_generic_payload& burst, tlm::tlm_phase& phase, sc_core::sc_time&) {
  answer_.notify();
  if (phase == tlm::END_REQ) {
    accepted_ = true;
    return tlm::TLM_ACCEPTED;
  }
  scheduled_ = true;
  answered_ = *burst.get_extension<BurstTiming>();
  burst.release();
  return tlm::TLM_COMPLETED;
}

}  // namespace fovea
