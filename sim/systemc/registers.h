// SPDX-License-Identifier: Apache-2.0
/// \file
/// The register file: the layer command, status, interrupt and counters behind a TLM-2.0 target socket.
#pragma once

#include <tlm_utils/simple_target_socket.h>
#include <functional>
#include <optional>

#include "layer_run.h"

namespace fovea {

/// Offsets and fields come from sim/spec/dla.json. A transaction is one 32-bit word, with byte enables for its strobes,
/// and takes no time. An access that is outside the map, not a whole word, or a write to a read-only register changes
/// nothing but ERROR and is answered with TLM_GENERIC_ERROR_RESPONSE; so is a write to a layer register, to WATCHDOG,
/// to the list's, START or RUN_LIST while a layer runs, and either while bursts of an ended one are out.
class Registers : public sc_core::sc_module, private LayerEnd {
 public:
  explicit Registers(const sc_core::sc_module_name& name);

  sc_core::sc_port<LayerControl> control{"control"};
  sc_core::sc_export<LayerEnd> layer_end{"layer_end"};
  tlm_utils::simple_target_socket<Registers> port{"port"};

  /// A new device, after reset.
  void restart(const dla_machine& machine);

  bool irq() const { return (irq_enable_ & irq_status_) != 0; }

  /// Told when the interrupt line rises because a layer has ended.
  std::function<void()> on_irq;

 private:
  void access(tlm::tlm_generic_payload& word, sc_core::sc_time& delay);
  std::optional<uint32_t> read(uint32_t offset) const;
  dla_error write(uint32_t offset, uint32_t value, bool is_whole);
  dla_error write_command(uint32_t value);
  dla_error write_setting(uint32_t& setting, uint32_t value);
  void clear_error();
  void note_error(dla_error cause);
  void end_layer(dla_error cause, uint32_t addr) override;
  void take_command(const LayerWords& words) override { layer_ = words; }

  dla_machine machine_{};
  LayerWords layer_{};
  bool done_ = false;
  dla_error error_ = kDlaErrorNone;
  uint32_t error_addr_ = 0, watchdog_ = 0, list_addr_ = 0, list_limit_ = 0;
  uint32_t irq_enable_ = 0, irq_status_ = 0;
};

}  // namespace fovea
