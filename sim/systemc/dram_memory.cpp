// SPDX-License-Identifier: Apache-2.0
/// \file
/// The DRAM as a TLM-2.0 target: device memory behind the timing rules of a preset.
#include "dram_memory.h"

#include <algorithm>
#include <cstring>

namespace fovea {

DramMemory::DramMemory(const sc_core::sc_module_name& name, const DeviceState& device)
    : sc_module(name), device_(device), clock_(device.clock), schedule_(dram_preset("pipelined"), 4) {
  read_port.register_nb_transport_fw(this, &DramMemory::take_request, kDramRead);
  write_port.register_nb_transport_fw(this, &DramMemory::take_request, kDramWrite);
  SC_METHOD(serve);
  sensitive << work_;
  dont_initialize();
}

void DramMemory::restart(const DeviceMemory& memory, const DramPreset& preset, uint32_t bus_bytes,
                         const DramFault& fault) {
  memory_ = &memory;
  fault_ = fault;
  schedule_ = DramSchedule(preset, bus_bytes, fault);
  bus_bytes_ = bus_bytes;
  for (Channel& channel : channels_) {
    channel = {};
  }
}

tlm::tlm_sync_enum DramMemory::take_request(int direction, Burst& burst, tlm::tlm_phase& phase, sc_core::sc_time&) {
  const auto way = static_cast<Direction>(direction);
  burst.acquire();
  if (schedule_.is_ready(way, clock_.now())) {
    accept(way, burst);
    wake();
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  channels_[way].asking = &burst;
  wake();
  return tlm::TLM_ACCEPTED;
}

void DramMemory::accept(Direction direction, Burst& burst) {
  const uint32_t beats = burst.get_data_length() / bus_bytes_;
  Channel& channel = channels_[direction];
  channel.addr = static_cast<uint32_t>(burst.get_address());
  schedule_.accept(direction, clock_.now(), channel.addr, beats);
  channel.waiting.push_back(&burst);
  ++channel.requests;
  device_.observer->note(clock_.now(),
                         burst.is_write() ? TransactionKind::kWriteRequest : TransactionKind::kReadRequest,
                         channel.addr, beats);
}

void DramMemory::trace(sc_core::sc_trace_file* waves) const {
  for (const Direction direction : {kDramRead, kDramWrite}) {
    const std::string prefix = std::string(basename()) + (direction == kDramRead ? ".read_" : ".write_");
    sc_core::sc_trace(waves, channels_[direction].addr, prefix + "addr");
    sc_core::sc_trace(waves, channels_[direction].requests, prefix + "requests");
  }
}

void DramMemory::serve() {
  const Cycle now = clock_.now();
  for (const Direction direction : {kDramRead, kDramWrite}) {
    Burst*& asking = channels_[direction].asking;
    if (asking != nullptr && schedule_.is_ready(direction, now)) {
      accept(direction, *asking);
      send(direction, *asking, tlm::END_REQ, 0);
      asking = nullptr;
    }
  }
  while (begin_due_burst()) {
  }
  wake();
}

/// Begins a burst whose place in the schedule is certain.
bool DramMemory::begin_due_burst() {
  const Cycle now = clock_.now();
  const DramSchedule::Next next = schedule_.next(now);
  if (next.cycle == kNever || (!schedule_.is_fixed() && next.cycle > now)) {
    return false;
  }
  begin(next);
  return true;
}

void DramMemory::begin(const DramSchedule::Next& next) {
  Burst& burst = *channels_[next.direction].waiting.front();
  channels_[next.direction].waiting.pop_front();
  BurstTiming& timing = *burst.get_extension<BurstTiming>();
  timing.response = schedule_.begin(next, timing.beats);
  burst.is_write() ? device_.observer->note(timing.response, TransactionKind::kWriteEnd)
                   : device_.observer->note(timing.last_beat(), TransactionKind::kReadEnd);
  move_data(burst, timing);
  inject_fault(burst, channels_[next.direction].begun++, timing);
  send(next.direction, burst, tlm::BEGIN_RESP, timing.beats.front() - clock_.now());
  burst.release();
}

void DramMemory::send(Direction direction, Burst& burst, tlm::tlm_phase phase, Cycle delay) {
  sc_core::sc_time annotated = clock_.duration(delay);
  auto& port = direction == kDramRead ? read_port : write_port;
  port->nb_transport_bw(burst, phase, annotated);
}

/// Wakes serve() in the next cycle in which it has something to do.
void DramMemory::wake() {
  const Cycle now = clock_.now();
  Cycle next = kNever;
  for (const Direction direction : {kDramRead, kDramWrite}) {
    if (channels_[direction].asking != nullptr) {
      next = std::min(next, schedule_.ready_from(direction, now));
    }
  }
  const Cycle begin = schedule_.next(now).cycle;
  next = std::min(next, schedule_.is_fixed() && begin != kNever ? now : begin);
  if (next != kNever) {
    work_.notify(clock_.duration(next - now));
  }
}

namespace {

/// The first beat or response that says error counts.
void fail(BurstTiming& timing, Cycle cycle, uint32_t addr) {
  if (cycle < timing.failed_in) {
    timing.failed_in = cycle;
    timing.failed_addr = addr;
  }
}

}  // namespace

void DramMemory::inject_fault(const Burst& burst, uint64_t number, BurstTiming& timing) const {
  const auto addr = static_cast<uint32_t>(burst.get_address());
  if (!fault_.hits(DramFault::Kind::kError, burst.is_write(), number)) {
    return;
  }
  if (burst.is_write()) {
    fail(timing, timing.response, addr);
  } else if (fault_.beat < timing.beats.size()) {
    fail(timing, timing.beats[fault_.beat], addr + fault_.beat * bus_bytes_);
  }
}

/// Where memory has the whole burst; the common case.
bool DramMemory::move_whole(Burst& burst) const {
  const uint32_t bytes = burst.get_data_length();
  uint8_t* memory = memory_->view(static_cast<uint32_t>(burst.get_address()), bytes);
  if (memory == nullptr || bytes > memory_->size()) {
    return false;
  }
  uint8_t* data = burst.get_data_ptr();
  if (burst.is_read()) {
    std::memcpy(data, memory, bytes);
  } else {
    const uint8_t* enables = burst.get_byte_enable_ptr();
    for (uint32_t i = 0; i < bytes; ++i) {
      memory[i] = enables[i] != 0 ? data[i] : memory[i];
    }
  }
  return true;
}

void DramMemory::move_data(Burst& burst, BurstTiming& timing) const {
  burst.set_response_status(tlm::TLM_OK_RESPONSE);
  if (move_whole(burst)) {
    return;
  }
  // Beat by beat: some exist and some do not.
  const auto addr = static_cast<uint32_t>(burst.get_address());
  const uint32_t bytes = burst.get_data_length();
  uint8_t* data = burst.get_data_ptr();
  const uint8_t* enables = burst.get_byte_enable_ptr();
  for (uint32_t done = 0; done < bytes; done += bus_bytes_) {
    uint8_t* word = memory_->view(addr + done, bus_bytes_);
    if (word == nullptr) {
      const Cycle beat = timing.beats[done / bus_bytes_];
      fail(timing, burst.is_write() ? timing.response : beat, burst.is_write() ? addr : addr + done);
      burst.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    }
    for (uint32_t i = done; i < done + bus_bytes_; ++i) {
      if (burst.is_read()) {
        data[i] = word == nullptr ? 0 : word[i - done];
      } else if (word != nullptr && enables[i] != 0) {
        word[i - done] = data[i];
      }
    }
  }
}

}  // namespace fovea
