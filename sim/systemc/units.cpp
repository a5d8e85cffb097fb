// SPDX-License-Identifier: Apache-2.0
/// \file
/// The units that a layer runs through, with what they hand to each other.
#include "units.h"

namespace fovea {

Units::Units(DeviceState& device)
    : loads_(device.clock, kDlaQueueEntries),
      sets_(device.clock, kDlaQueueEntries),
      passes_(device.clock, kDlaQueueEntries),
      fed_(device.clock, kDlaFilterHalves),
      tiles_(device.clock, kDlaOutputTiles),
      bursts_(device.clock, Gather::kQueueBeats),
      free_ifmaps_(device.clock),
      free_filters_(device.clock),
      array("array", device, {passes_, fed_, tiles_, free_ifmaps_}, glb),
      feed("filter_feed", device, sets_, glb, free_filters_, fed_),
      load("load", device, {loads_, free_ifmaps_, free_filters_, array.ifmaps, feed.chunks}, glb),
      sequencer("sequencer", device, loads_, sets_, passes_),
      sender("burst_sender", device, bursts_),
      gather("gather", device, tiles_, bursts_, sender, array.free_tiles) {
  array.feed = &feed;
  array.free_halves = &feed.halves;
}

void Units::trace(sc_core::sc_trace_file* waves) const {
  loads_.trace(waves, "loads");
  sets_.trace(waves, "filter_sets");
  passes_.trace(waves, "passes");
  fed_.trace(waves, "fed_sets");
  tiles_.trace(waves, "tiles");
  bursts_.trace(waves, "write_bursts");
  for (const Unit* unit : all_) {
    unit->trace(waves);
  }
}

void Units::count(Cycle cycle, dla_counters& counters) const {
  for (const Unit* unit : all_) {
    unit->count(cycle, counters);
  }
}

void Units::restart(const LayerPlan& plan) {
  loads_.clear();
  sets_.clear();
  passes_.clear();
  fed_.clear();
  tiles_.clear();
  bursts_.clear();
  free_ifmaps_.reset(plan.passes.ifmap_buffers);
  free_filters_.reset(plan.layer.mapping.filter_buffers);
  for (Unit* unit : all_) {
    unit->restart();
  }
}

}  // namespace fovea
