// SPDX-License-Identifier: Apache-2.0
/// \file
/// The register file: the layer command, status, interrupt and counters behind a TLM-2.0 target socket.
#include "registers.h"

#include <algorithm>
#include <cstring>

#include "spec/dla_regs.h"

namespace fovea {

namespace {

#define FOVEA_PUT(name, value) ((static_cast<uint32_t>(value) & DLA_##name##_MASK) << DLA_##name##_LSB)
#define FOVEA_HAS(name, value) (((value) >> DLA_##name##_LSB & DLA_##name##_MASK) != 0)

constexpr uint32_t kOffsetMask = 0xfff;
constexpr uint32_t kDoneEvent = FOVEA_PUT(IRQ_STATUS_DONE, 1), kErrorEvent = FOVEA_PUT(IRQ_STATUS_ERROR, 1);

/// Which layer register an offset is; LayerWords().size() or more: none.
uint32_t layer_index(uint32_t offset) { return (offset - DLA_LAYER_REG) / 4; }

uint32_t log2_of(uint32_t power) {
  uint32_t log2 = 0;
  while ((1u << log2) < power) {
    ++log2;
  }
  return log2;
}

uint32_t array_word(const dla_machine& m) {
  return FOVEA_PUT(GEOMETRY_ARRAY_ROWS, m.rows) | FOVEA_PUT(GEOMETRY_ARRAY_COLS, m.cols) |
         FOVEA_PUT(GEOMETRY_ARRAY_PASS_FILTERS, m.max_pass_filters);
}

uint32_t spads_word(const dla_machine& m) {
  return FOVEA_PUT(GEOMETRY_SPADS_IFMAP_BYTES, m.ifmap_spad_bytes) |
         FOVEA_PUT(GEOMETRY_SPADS_FILTER_BYTES, m.filter_spad_bytes) |
         FOVEA_PUT(GEOMETRY_SPADS_MAX_PE_FILTERS, m.max_pe_filters);
}

uint32_t glb_word(const dla_machine& m) {
  return FOVEA_PUT(GEOMETRY_GLB_BANKS, m.glb_bytes / m.glb_bank_bytes) |
         FOVEA_PUT(GEOMETRY_GLB_BANK_BYTES_LOG2, log2_of(m.glb_bank_bytes)) |
         FOVEA_PUT(GEOMETRY_GLB_BUS_BYTES, m.bus_bytes);
}

uint32_t networks_word(const dla_machine& m) {
  return FOVEA_PUT(GEOMETRY_NETWORKS_PSUM_LANES, m.psum_lanes) |
         FOVEA_PUT(GEOMETRY_NETWORKS_IFMAP_BYTES, m.ifmap_bytes_per_cycle) |
         FOVEA_PUT(GEOMETRY_NETWORKS_FILTER_BYTES, m.filter_bytes_per_cycle);
}

std::optional<uint32_t> read_counter(const dla_counters& counters, uint32_t offset) {
  switch (offset) {
#define FOVEA_COUNTER(NAME, name, at) \
  case at:                            \
    return counters.name;
    DLA_FOR_EACH_COUNTER(FOVEA_COUNTER)
#undef FOVEA_COUNTER
    default:
      return std::nullopt;
  }
}

}  // namespace

Registers::Registers(const sc_core::sc_module_name& name) : sc_module(name) {
  port.register_b_transport(this, &Registers::access);
  layer_end(static_cast<LayerEnd&>(*this));
}

void Registers::restart(const dla_machine& machine) {
  machine_ = machine;
  layer_ = {};
  done_ = false;
  error_ = kDlaErrorNone;
  error_addr_ = watchdog_ = list_addr_ = list_limit_ = 0;
  irq_enable_ = irq_status_ = 0;
}

void Registers::access(tlm::tlm_generic_payload& word, sc_core::sc_time&) {
  const auto offset = static_cast<uint32_t>(word.get_address()) & kOffsetMask;
  dla_error cause = kDlaErrorNone;
  if (word.is_read()) {
    const std::optional<uint32_t> value = read(offset);
    const uint32_t data = value.value_or(0);
    std::memcpy(word.get_data_ptr(), &data, sizeof data);
    cause = value ? kDlaErrorNone : kDlaErrorBadAccess;
  } else {
    uint32_t data;
    std::memcpy(&data, word.get_data_ptr(), sizeof data);
    const uint8_t* enables = word.get_byte_enable_ptr();
    const bool is_whole =
        enables == nullptr || std::all_of(enables, enables + sizeof data, [](uint8_t byte) { return byte != 0; });
    cause = write(offset, data, is_whole);
  }
  if (cause != kDlaErrorNone) {
    note_error(cause);
  }
  word.set_response_status(cause == kDlaErrorNone ? tlm::TLM_OK_RESPONSE : tlm::TLM_GENERIC_ERROR_RESPONSE);
}

/// The first error stays.
void Registers::note_error(dla_error cause) { error_ = error_ == kDlaErrorNone ? cause : error_; }

void Registers::clear_error() { error_ = kDlaErrorNone; }

std::optional<uint32_t> Registers::read(uint32_t offset) const {
  if (offset % 4 != 0) {
    return std::nullopt;
  }
  if (layer_index(offset) < layer_.size()) {
    return layer_[layer_index(offset)];
  }
  const uint32_t has_error = error_ != kDlaErrorNone;
  switch (offset) {
    case DLA_ID_REG:
      return DLA_ID_RESET;
    case DLA_VERSION_REG:
      return DLA_VERSION_RESET;
    case DLA_GEOMETRY_ARRAY_REG:
      return array_word(machine_);
    case DLA_GEOMETRY_SPADS_REG:
      return spads_word(machine_);
    case DLA_GEOMETRY_GLB_REG:
      return glb_word(machine_);
    case DLA_GEOMETRY_NETWORKS_REG:
      return networks_word(machine_);
    case DLA_CTRL_REG:
      return 0;
    case DLA_STATUS_REG:
      return FOVEA_PUT(STATUS_BUSY, control->is_busy()) | FOVEA_PUT(STATUS_DONE, done_) |
             FOVEA_PUT(STATUS_ERROR, has_error) | FOVEA_PUT(STATUS_DRAINING, control->is_draining());
    case DLA_ERROR_REG:
      return FOVEA_PUT(ERROR_VALID, has_error) | FOVEA_PUT(ERROR_CAUSE, error_);
    case DLA_IRQ_ENABLE_REG:
      return irq_enable_;
    case DLA_IRQ_STATUS_REG:
      return irq_status_;
    case DLA_WATCHDOG_REG:
      return watchdog_;
    case DLA_ERROR_ADDR_REG:
      return error_addr_;
    case DLA_LIST_ADDR_REG:
      return list_addr_;
    case DLA_LIST_LIMIT_REG:
      return list_limit_;
    case DLA_LIST_LAYER_REG:
      return control->list_layer();
    default:
      return read_counter(control->counters(), offset);
  }
}

dla_error Registers::write(uint32_t offset, uint32_t value, bool is_whole) {
  if (!is_whole || offset % 4 != 0) {
    return kDlaErrorBadAccess;
  }
  if (layer_index(offset) < layer_.size()) {
    if (control->is_busy()) {
      return kDlaErrorBusy;
    }
    layer_[layer_index(offset)] = value;
    return kDlaErrorNone;
  }
  switch (offset) {
    case DLA_CTRL_REG:
      return write_command(value);
    case DLA_ERROR_REG:
      if (FOVEA_HAS(ERROR_VALID, value)) {
        clear_error();
      }
      return kDlaErrorNone;
    case DLA_IRQ_ENABLE_REG:
      irq_enable_ = value & (kDoneEvent | kErrorEvent);
      return kDlaErrorNone;
    case DLA_IRQ_STATUS_REG:
      irq_status_ &= ~value;
      return kDlaErrorNone;
    case DLA_WATCHDOG_REG:
      return write_setting(watchdog_, value);
    case DLA_LIST_ADDR_REG:
      return write_setting(list_addr_, value);
    case DLA_LIST_LIMIT_REG:
      return write_setting(list_limit_, value & DLA_LIST_LIMIT_LAYERS_MASK);
    default:
      return kDlaErrorBadAccess;
  }
}

/// What is not to be written while a layer runs.
dla_error Registers::write_setting(uint32_t& setting, uint32_t value) {
  if (control->is_busy()) {
    return kDlaErrorBusy;
  }
  setting = value;
  return kDlaErrorNone;
}

dla_error Registers::write_command(uint32_t value) {
  const bool list = FOVEA_HAS(CTRL_RUN_LIST, value), start = list || FOVEA_HAS(CTRL_START, value),
             reset = FOVEA_HAS(CTRL_RESET, value);
  if (start && (control->is_busy() || control->is_draining())) {
    return kDlaErrorBusy;
  }
  if (start || reset) {
    done_ = false;
    error_addr_ = 0;
    clear_error();
  }
  if (reset) {
    control->reset();
  } else if (list) {
    control->start_list(list_addr_, list_limit_, watchdog_);
  } else if (start) {
    control->start(layer_, watchdog_);
  }
  return kDlaErrorNone;
}

void Registers::end_layer(dla_error cause, uint32_t addr) {
  if (cause == kDlaErrorNone) {
    done_ = true;
    irq_status_ |= kDoneEvent;
  } else {
    error_ = cause;
    error_addr_ = addr;
    irq_status_ |= kErrorEvent;
  }
  if (irq()) {
    on_irq();
  }
}

}  // namespace fovea
