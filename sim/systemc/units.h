// SPDX-License-Identifier: Apache-2.0
/// \file
/// The units that a layer runs through, and the channels between them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "array.h"
#include "burst_sender.h"
#include "filter_feed.h"
#include "gather.h"
#include "glb.h"
#include "layer_run.h"
#include "load.h"
#include "sequencer.h"
#include "stream.h"

namespace fovea {

/// The units that a layer runs through, and the channels between them. Who is bound to what is units.cpp's
/// constructor.
class Units : public sc_core::sc_module, private LayerUnits {
 public:
  Units(const sc_core::sc_module_name& name, DeviceState& device);

  sc_core::sc_export<LayerUnits> layer{"layer"};
  sc_core::sc_port<EndingEvents> events{"events"};
  tlm::tlm_initiator_socket<> read_dma{"read_dma"}, write_dma{"write_dma"};

  /// A new machine.
  void restart(const dla_machine& machine) {
    glb_.restart(machine.glb_bytes);
    table_.restart(DLA_TABLE_BYTES);
    sender_.forget_record();
  }

  /// Adds queue levels and what each unit has to show to a VCD file.
  void trace(sc_core::sc_trace_file* waves) const override;

 private:
  void restart_layer(const LayerPlan& plan, bool keep) override;
  void prefetch(const LayerPlan& plan) override;
  void count_next() override {
    load_.count_next();
    feed_.count_next();
  }
  void count_loads(Cycle cycle, dla_counters& counters) const override {
    load_.count(cycle, counters);
    feed_.count(cycle, counters);
  }
  void stop_sequencer() override { sequencer_.restart(); }
  void wait_for_last_set() const override;
  void wait_for_free_array() const override { array_.wait_for_free(); }
  void start_layer() override;
  void end_layer() override;
  bool is_idle() const override { return load_.is_idle() && sender_.is_idle(); }
  bool has_loaded() const override { return sequencer_.has_ended() && !loads_.is_valid() && load_.is_idle(); }
  void fetch_entry(uint32_t addr, uint32_t* words) override { load_.fetch_entry(addr, words); }
  Cycle array_is_free_from() const override { return array_.free_from(); }
  void send_record(uint32_t addr, const uint32_t* words) override { sender_.send_record(addr, words); }
  Cycle last_progress() const override {
    return std::max({load_.last_progress(), sender_.last_progress(), array_.last_progress()});
  }
  void count(Cycle cycle, dla_counters& counters) const override;

  const Clock& clock_;
  const LayerPlan& plan_;
  Glb glb_{"glb"};
  Glb table_{"table"};

  // Queues.
  Stream<dla_load> loads_;
  Stream<dla_filter_set> sets_;
  Stream<dla_pass> passes_;
  Stream<FedSet> fed_;
  Stream<Tile> tiles_;
  Stream<WriteBurst> bursts_;

  // Buffers that are full, and buffers that are free.
  Tokens ifmaps_, filters_, residuals_;
  Tokens free_ifmaps_, free_filters_, free_residuals_, free_halves_, free_tiles_;

  Sequencer sequencer_;
  Load load_;
  FilterFeed feed_;
  Array array_;
  Gather gather_;
  BurstSender sender_;
  std::array<Unit*, 3> loading_ = {&sequencer_, &load_, &feed_};
  std::array<Unit*, 3> others_ = {&array_, &gather_, &sender_};
};

}  // namespace fovea
