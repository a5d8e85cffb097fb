// SPDX-License-Identifier: Apache-2.0
/// \file
/// The units that a layer runs through, with what they hand to each other.
#ifndef FOVEA_SIM_SYSTEMC_UNITS_H_
#define FOVEA_SIM_SYSTEMC_UNITS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "array.h"
#include "burst_sender.h"
#include "filter_feed.h"
#include "gather.h"
#include "load.h"
#include "sequencer.h"
#include "stream.h"

namespace fovea {

/// The units that a layer runs through, with what they hand to each other.
class Units {
 public:
  explicit Units(DeviceState& device);

  /// Adds queue levels and what each unit has to show to a VCD file.
  void trace(sc_core::sc_trace_file* waves) const;

  /// Adds what they did before `cycle`.
  void count(Cycle cycle, dla_counters& counters) const;

  /// Puts everything back to its state after reset. Call from a process.
  void restart(const LayerPlan& plan);

  std::vector<uint8_t> glb;

 private:
  Stream<dla_load> loads_;
  Stream<dla_filter_set> sets_;
  Stream<dla_pass> passes_;
  Stream<FedSet> fed_;
  Stream<Tile> tiles_;
  Stream<WriteBurst> bursts_;
  Tokens free_ifmaps_, free_filters_;

 public:
  Array array;
  FilterFeed feed;
  Load load;
  Sequencer sequencer;
  BurstSender sender;
  Gather gather;

 private:
  std::array<Unit*, 6> all_ = {&sequencer, &load, &feed, &array, &gather, &sender};
};

}  // namespace fovea

#endif  // FOVEA_SIM_SYSTEMC_UNITS_H_
