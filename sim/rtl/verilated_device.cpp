// SPDX-License-Identifier: Apache-2.0
/// \file
/// The verilated dla_top with its DRAM, cycle by cycle.
#include "verilated_device.h"

#include <cstring>

#include "Vdla___024root.h"
#include "spec/dla_machine.h"

// Verilator's own would end the process. It has printed which assertion failed, with its hierarchy.
void vl_stop(const char*, int, const char*) VL_MT_UNSAFE { throw fovea::AssertionFailed(); }

namespace fovea {

namespace {

/// Cycles with reset low.
constexpr int kResetCycles = 4;

/// events_t of dla_pkg.sv, from the least significant bit.
constexpr TransactionKind kEvents[] = {
    TransactionKind::kLayerStart,     TransactionKind::kLayerEnd,     TransactionKind::kLoadQueued,
    TransactionKind::kPassQueued,     TransactionKind::kIfmapLoaded,  TransactionKind::kFilterLoaded,
    TransactionKind::kResidualLoaded, TransactionKind::kIfmapFree,    TransactionKind::kSetStart,
    TransactionKind::kSetEnd,         TransactionKind::kWindow,       TransactionKind::kPassEnd,
    TransactionKind::kPassStart,      TransactionKind::kTileStart,    TransactionKind::kTileEnd,
    TransactionKind::kTileFree,       TransactionKind::kResidualFree,
};

/// Random bits, always the same, in all registers, where the model was verilated for that (FOVEA_RTL_POWER_UP).
VerilatedContext* power_up(VerilatedContext& context) {
  context.randReset(2);
  context.randSeed(1);
  return &context;
}

/// Whether someone looks at a cycle before its edge: waves, and assertions, which hold of what was there then.
#ifdef FOVEA_RTL_ASSERTIONS
constexpr bool kShowsSettled = true;
#else
constexpr bool kShowsSettled = WaveDump::kRecords;
#endif

/// Makes the model take the clock for low: it sees the next edge without an evaluation of the other one.
/// \return whether it could: where Verilator's code has the last level by the name that 5.006 gives it.
template <typename Root>
auto forget_clock(Root& root, int) -> decltype(root.__Vtrigrprev__TOP__clk_i, true) {
  root.__Vtrigrprev__TOP__clk_i = 0;
  return true;
}
template <typename Root>
bool forget_clock(Root&, long) {
  return false;
}

}  // namespace

VerilatedDevice::VerilatedDevice(const BackendOptions& options, const DeviceMemory& memory)
    : half_period_ps_(static_cast<uint64_t>(5e5 / options.machine.clock_mhz)),
      top_(power_up(context_), "TOP"),
      log_(options.log_bus ? std::make_unique<BusLog>(cycles_) : nullptr),
      transactions_(TransactionLog::open(options)),
      dram_(memory, memory_of(options.machine, options.dram), options.machine.geometry.bus_bytes, log_.get(),
            options.dram_fault),
      waves_(top_, options) {
  top_.dbg_enable_i = WaveDump::kRecords || transactions_ != nullptr;
  reset();
}

VerilatedDevice::~VerilatedDevice() {
  // Verilator's destructors look in the thread's context, which is that of the device opened last.
  Verilated::threadContextp(&context_);
  top_.final();
}

void VerilatedDevice::reset() {
  top_.m_axi_rid_i = 0;
  top_.m_axi_bid_i = 0;
  // The reset is asynchronous, and what registers hold before its edge is not for the DRAM to see.
  top_.rst_ni = 1;
  eval_clock(false);
  top_.rst_ni = 0;
  // Nor is what assertions remember of the cycle before the first edge: it is as random as the registers.
  context_.assertOn(false);
  run_register_cycle({});
  context_.assertOn(true);
  for (int cycle = 0; cycle < kResetCycles; ++cycle) {
    run_cycle();
  }
  top_.rst_ni = 1;
  cycles_ = 0;
  dram_.start_clock();
}

void VerilatedDevice::drive_dram_pins() {
  const AxiSlavePins& pins = dram_.pins();
  top_.m_axi_arready_i = pins.arready;
  top_.m_axi_awready_i = pins.awready;
  top_.m_axi_wready_i = pins.wready;
  top_.m_axi_rvalid_i = pins.rvalid;
  top_.m_axi_rlast_i = pins.rlast;
  top_.m_axi_rresp_i = pins.rresp;
  std::memcpy(&top_.m_axi_rdata_i, pins.rdata.data(), sizeof top_.m_axi_rdata_i);
  top_.m_axi_bvalid_i = pins.bvalid;
  top_.m_axi_bresp_i = pins.bresp;
}

void VerilatedDevice::note(const Transaction& event) {
  if (transactions_ != nullptr) {
    transactions_->note(event.cycle, event.kind, event.number, event.second);
  }
  if (waves_.wants_events()) {
    waves_.note(event);
  }
}

void VerilatedDevice::note_now(TransactionKind kind, uint32_t number, uint32_t second) {
  note({cycles_, kind, number, second});
}

void VerilatedDevice::note_events(const AxiSlavePins& pins) {
  if (top_.m_axi_arvalid_o && pins.arready) {
    note_now(TransactionKind::kReadRequest, top_.m_axi_araddr_o, top_.m_axi_arlen_o + 1u);
  }
  if (pins.rvalid && top_.m_axi_rready_o && pins.rlast) {
    note_now(TransactionKind::kReadEnd);
  }
  if (top_.m_axi_awvalid_o && pins.awready) {
    note_now(TransactionKind::kWriteRequest, top_.m_axi_awaddr_o, top_.m_axi_awlen_o + 1u);
  }
  if (pins.bvalid && top_.m_axi_bready_o) {
    note_now(TransactionKind::kWriteEnd);
  }
  for (size_t bit = 0; top_.dbg_events_o >> bit != 0; ++bit) {
    if ((top_.dbg_events_o >> bit & 1) != 0) {
      note_now(kEvents[bit], top_.dbg_cause_o);
    }
  }
}

void VerilatedDevice::take_dram_handshakes() {
  const AxiSlavePins& pins = dram_.pins();
  if (wants_events()) {
    note_events(pins);
  }
  if (top_.m_axi_arvalid_o && pins.arready) {
    dram_.move_ar(top_.m_axi_araddr_o, top_.m_axi_arlen_o);
  }
  if (pins.rvalid && top_.m_axi_rready_o) {
    dram_.move_r();
  }
  if (top_.m_axi_awvalid_o && pins.awready) {
    dram_.move_aw(top_.m_axi_awaddr_o, top_.m_axi_awlen_o);
  }
  if (top_.m_axi_wvalid_o && pins.wready) {
    BusWord data{};
    std::memcpy(data.data(), &top_.m_axi_wdata_o, sizeof top_.m_axi_wdata_o);
    dram_.move_w(data, top_.m_axi_wstrb_o);
  }
  if (pins.bvalid && top_.m_axi_bready_o) {
    dram_.move_b();
  }
  dram_.end_cycle();
}

void VerilatedDevice::eval_clock(bool level) {
  top_.clk_i = level;
  top_.eval();
}

void VerilatedDevice::run_cycle() {
  drive_dram_pins();
  // What the DMA drives is registers, and follows no pin within a cycle.
  if (kShowsSettled || register_access_ || wants_events() || !forget_clock(*top_.rootp, 0)) {
    eval_clock(false);
  }
  context_.timeInc(half_period_ps_);
  waves_.sample(cycles_, context_.time());
  if (register_access_) {
    register_pins_ = {top_.s_axil_awready_o != 0, top_.s_axil_wready_o != 0, top_.s_axil_bvalid_o != 0,
                      top_.s_axil_arready_o != 0, top_.s_axil_rvalid_o != 0, top_.s_axil_rdata_o,
                      top_.s_axil_bresp_o,        top_.s_axil_rresp_o};
  }
  take_dram_handshakes();
  eval_clock(true);
  context_.timeInc(half_period_ps_);
  ++cycles_;
  waves_.sample(cycles_, context_.time());
}

AxiLiteSlavePins VerilatedDevice::run_register_cycle(const AxiLiteMasterPins& pins) {
  top_.s_axil_awvalid_i = pins.awvalid;
  top_.s_axil_awaddr_i = pins.awaddr & 0xfff;
  top_.s_axil_wvalid_i = pins.wvalid;
  top_.s_axil_wdata_i = pins.wdata;
  top_.s_axil_wstrb_i = pins.wstrb & 0xf;
  top_.s_axil_bready_i = pins.bready;
  top_.s_axil_arvalid_i = pins.arvalid;
  top_.s_axil_araddr_i = pins.araddr & 0xfff;
  top_.s_axil_rready_i = pins.rready;
  register_access_ = true;
  run_cycle();
  register_access_ = false;
  return register_pins_;
}

void VerilatedDevice::note_access(uint64_t cycle, bool is_write, uint32_t offset, uint32_t value) {
  if (wants_events()) {
    note({cycle, is_write ? TransactionKind::kRegisterWrite : TransactionKind::kRegisterRead, offset, value});
  }
  if (transactions_ != nullptr) {
    transactions_->write_before(cycle);
  }
}

void VerilatedDevice::write_events() {
  if (transactions_ != nullptr) {
    transactions_->write_before(cycles_);
  }
}

void VerilatedDevice::finish() {
  if (transactions_ != nullptr) {
    transactions_->finish(cycles_);
  }
  waves_.finish(cycles_);
}

void VerilatedDevice::note_layer(const char* name) {
  waves_.note_layer(name, cycles_);
  if (transactions_ != nullptr) {
    transactions_->note_layer(cycles_, name);
  }
  if (log_ != nullptr) {
    log_->log_layer(name);
  }
}

void VerilatedDevice::note_cpu_layer(const char* name) {
  if (transactions_ != nullptr) {
    transactions_->note_cpu_layer(cycles_, name);
  }
}

}  // namespace fovea
