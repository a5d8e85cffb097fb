// SPDX-License-Identifier: Apache-2.0
/// \file
/// The DRAM as an AXI4 slave: device memory behind the timing rules of a preset.
#include "dram.h"

#include <cstring>

namespace fovea {

Dram::Dram(const DeviceMemory& memory, const DramPreset& preset, uint32_t bus_bytes, BusLog* log,
           const DramFault& fault)
    : memory_(memory), fault_(fault), timing_(preset, bus_bytes, fault), bus_bytes_(bus_bytes), log_(log) {
  end_cycle();
}

Dram::Burst Dram::request(const char* verb, uint32_t addr, uint32_t len, uint64_t number) {
  if (log_ != nullptr) {
    log_->log_burst(verb, addr, len + 1);
  }
  return {addr & ~(bus_bytes_ - 1), len + 1, kOkay, number, 0};
}

void Dram::move_ar(uint32_t addr, uint32_t len) {
  moves_.ar_addr = addr;
  moves_.ar_beats = len + 1;
  reads_.push(request("read", addr, len, reads_.tail));
}

void Dram::move_aw(uint32_t addr, uint32_t len) {
  moves_.aw_addr = addr;
  moves_.aw_beats = len + 1;
  writes_.push(request("write", addr, len, writes_.tail));
}

void Dram::move_r() {
  moves_.r = true;
  Burst& burst = reads_.front();
  burst.addr += bus_bytes_;
  ++burst.moved;
  reads_.head += --burst.beats == 0;
}

void Dram::move_w(const BusWord& data, uint32_t strobes) {
  moves_.w = true;
  Burst& burst = writes_.front();
  uint8_t* word = memory_.view(burst.addr, bus_bytes_);
  if (word == nullptr) {
    burst.resp = kDecodeError;
  } else {
    uint8_t bytes[sizeof(BusWord)];
    std::memcpy(bytes, data.data(), sizeof bytes);
    for (uint32_t lane = 0; lane < bus_bytes_; ++lane) {
      word[lane] = (strobes >> lane & 1) != 0 ? bytes[lane] : word[lane];
    }
  }
  burst.addr += bus_bytes_;
  if (--burst.beats == 0) {
    burst.resp = fault_.hits(DramFault::Kind::kError, true, burst.number) ? kSlaveError : burst.resp;
    responses_.push(burst);
    ++writes_.head;
  }
}

void Dram::move_b() {
  moves_.b = true;
  ++responses_.head;
}

void Dram::load_beat() {
  const Burst& burst = reads_.front();
  const uint8_t* word = memory_.view(burst.addr, bus_bytes_);
  const bool fails = fault_.hits(DramFault::Kind::kError, false, burst.number) && burst.moved == fault_.beat;
  pins_.rresp = word == nullptr ? kDecodeError : fails ? kSlaveError : kOkay;
  pins_.rdata = {};
  if (word != nullptr) {
    std::memcpy(pins_.rdata.data(), word, bus_bytes_);
  }
}

void Dram::end_cycle() {
  const bool beat_stays = pins_.rvalid && !moves_.r;
  timing_.step(moves_);
  moves_ = {};
  pins_.arready = timing_.ar_ready();
  pins_.awready = timing_.aw_ready();
  pins_.wready = timing_.w_ready();
  pins_.rvalid = timing_.r_valid();
  pins_.rlast = timing_.r_last();
  pins_.bvalid = timing_.b_valid();
  pins_.bresp = pins_.bvalid ? responses_.front().resp : kOkay;
  if (pins_.rvalid && !beat_stays) {
    load_beat();
  }
}

}  // namespace fovea
