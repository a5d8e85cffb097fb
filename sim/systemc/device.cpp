// SPDX-License-Identifier: Apache-2.0
/// \file
/// The accelerator with its DRAM, elaborated once a process.
#include "device.h"

#include <array>
#include <cstdlib>
#include <memory>

namespace fovea {

namespace {

struct Nobody final : DeviceObserver {
  void note(Cycle, TransactionKind, uint32_t, uint32_t) override {}
  void note_drop(Cycle) override {}
};

}  // namespace

Device& Device::instance() {
  // Never destroyed: the kernel's own objects may go first.
  static Device* device = [] {
    // The kernel's banner is no output of ours.
    setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    return new Device("dla");
  }();
  return *device;
}

Device::Device(const sc_core::sc_module_name& name)
    : sc_module(name),
      units_("units", state_),
      control_("control", state_),
      registers_("registers"),
      dram_("dram", state_),
      waves_("waves", state_.clock) {
  register_port_.bind(registers_.port);
  registers_.control(control_.layer);
  control_.ended(registers_.layer_end);
  control_.units(units_.layer);
  units_.events(control_.events);
  units_.read_dma(dram_.read_port);
  units_.write_dma(dram_.write_port);
  registers_.on_irq = [this] {
    if (stops_at_irq_) {
      sc_core::sc_pause();
    }
  };
}

void Device::restart(const BackendOptions& options, const DeviceMemory& memory, DeviceObserver& observer) {
  // The observer before may be gone, and a layer that was left under way has a cycle to go.
  static Nobody nobody;
  state_.observer = &nobody;
  control_.drop();
  sc_core::sc_start(state_.clock.duration(1));
  state_.observer = &observer;
  state_.clock.restart(options.machine.clock_mhz);
  cycles_ = 0;
  control_.restart(options.machine.geometry);
  units_.restart(options.machine.geometry);
  registers_.restart(options.machine.geometry);
  dram_.restart(memory, memory_of(options.machine, options.dram), options.machine.geometry.bus_bytes,
                options.dram_fault);
}

void Device::start_waves(const WaveOptions& options, uint32_t bus_bytes) {
  sc_core::sc_trace_file* file = waves_.open(options, bus_bytes);
  control_.trace(file);
  units_.trace(file);
  dram_.trace(file);
}

/// The kernel's time is the start of the next cycle, before anything of it has happened.
void Device::run(Cycle cycles) {
  cycles_ += cycles;
  finish_cycle();
}

void Device::run_to_irq(Cycle cycles) {
  stops_at_irq_ = true;
  sc_core::sc_start(state_.clock.duration(cycles));
  stops_at_irq_ = false;
  const Cycle now = state_.clock.now();
  // A pause is in the middle of its cycle.
  cycles_ = registers_.irq() ? now + 1 : now;
  finish_cycle();
}

/// Up to the start of cycle cycles_. A start of no length would run what happens in that cycle.
void Device::finish_cycle() {
  const sc_core::sc_time left = state_.clock.until(cycles_);
  if (left != sc_core::SC_ZERO_TIME) {
    sc_core::sc_start(left);
  }
}

bool Device::access(tlm::tlm_command command, uint32_t offset, uint32_t& value, uint32_t strobes) {
  std::array<uint8_t, 4> enables;
  for (uint32_t lane = 0; lane < enables.size(); ++lane) {
    enables[lane] = (strobes >> lane & 1) != 0 ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
  }
  tlm::tlm_generic_payload word;
  word.set_command(command);
  word.set_address(offset);
  word.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  word.set_data_length(sizeof value);
  word.set_streaming_width(sizeof value);
  word.set_byte_enable_ptr(enables.data());
  word.set_byte_enable_length(enables.size());
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  register_port_->b_transport(word, delay);
  return word.is_response_ok();
}

bool Device::read(uint32_t offset, uint32_t& value) { return access(tlm::TLM_READ_COMMAND, offset, value, 0xf); }

bool Device::write(uint32_t offset, uint32_t value, uint32_t strobes) {
  return access(tlm::TLM_WRITE_COMMAND, offset, value, strobes);
}

}  // namespace fovea
