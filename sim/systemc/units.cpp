// SPDX-License-Identifier: Apache-2.0
/// \file
/// The units that a layer runs through, and the channels between them.
#include "units.h"

namespace fovea {

Units::Units(const sc_core::sc_module_name& name, DeviceState& device)
    : sc_module(name),
      clock_(device.clock),
      plan_(device.plan),
      loads_("loads", clock_, kDlaQueueEntries),
      sets_("filter_sets", clock_, kDlaQueueEntries),
      passes_("passes", clock_, kDlaQueueEntries),
      fed_("fed_sets", clock_, kDlaFilterHalves),
      tiles_("tiles", clock_, kDlaOutputTiles),
      bursts_("write_bursts", clock_, Gather::kQueueBeats),
      ifmaps_("ifmaps", clock_),
      filters_("filters", clock_),
      residuals_("residuals", clock_),
      free_ifmaps_("free_ifmaps", clock_),
      free_filters_("free_filters", clock_),
      free_residuals_("free_residuals", clock_),
      free_halves_("free_halves", clock_),
      free_tiles_("free_tiles", clock_),
      sequencer_("sequencer", device),
      load_("load", device),
      feed_("filter_feed", device),
      array_("array", device),
      gather_("gather", device),
      sender_("burst_sender", device) {
  layer(static_cast<LayerUnits&>(*this));

  sequencer_.loads(loads_);
  sequencer_.sets(sets_);
  sequencer_.passes(passes_);

  load_.jobs(loads_);
  load_.free_ifmaps(free_ifmaps_);
  load_.free_filters(free_filters_);
  load_.ifmaps(ifmaps_);
  load_.filters(filters_);
  load_.free_residuals(free_residuals_);
  load_.residuals(residuals_);
  load_.glb(glb_);
  load_.table(table_);
  load_.events(events);
  load_.dma(read_dma);

  feed_.sets(sets_);
  feed_.chunks(filters_);
  feed_.free_halves(free_halves_);
  feed_.free_buffers(free_filters_);
  feed_.fed(fed_);
  feed_.glb(glb_);

  array_.passes(passes_);
  array_.ifmaps(ifmaps_);
  array_.free_ifmaps(free_ifmaps_);
  array_.fed(fed_);
  array_.set_moves(feed_.moves);
  array_.free_halves(free_halves_);
  array_.free_tiles(free_tiles_);
  array_.tiles(tiles_);
  array_.glb(glb_);
  array_.table(table_);

  gather_.tiles(tiles_);
  gather_.free_tiles(free_tiles_);
  gather_.bursts(bursts_);
  gather_.sent(sender_.sent);
  gather_.residuals(residuals_);
  gather_.free_residuals(free_residuals_);
  gather_.glb(glb_);

  sender_.bursts(bursts_);
  sender_.glb(glb_);
  sender_.events(events);
  sender_.dma(write_dma);
}

void Units::trace(sc_core::sc_trace_file* waves) const {
  for (const sc_core::sc_object* part : get_child_objects()) {
    part->trace(waves);
  }
}

void Units::count(Cycle cycle, dla_counters& counters) const {
  count_loads(cycle, counters);
  for (const Unit* unit : others_) {
    unit->count(cycle, counters);
  }
}

void Units::restart_layer(const LayerPlan& plan, bool keep) {
  if (keep) {
    // The last set of the layer before is in the other.
    free_halves_.put(clock_.now() + 1);
  } else {
    loads_.clear();
    sets_.clear();
    passes_.clear();
    fed_.clear();
    filters_.reset(0);
    free_halves_.reset(kDlaFilterHalves);
    free_filters_.reset(plan.layer.mapping.filter_buffers);
    for (Unit* unit : loading_) {
      unit->restart();
    }
  }
  tiles_.clear();
  bursts_.clear();
  ifmaps_.reset(0);
  residuals_.reset(0);
  free_ifmaps_.reset(plan.passes.ifmap_buffers);
  free_residuals_.reset(kDlaResiduals);
  free_tiles_.reset(kDlaOutputTiles);
  for (Unit* unit : others_) {
    unit->restart();
  }
}

void Units::wait_for_last_set() const {
  while (!feed_.is_idle() || sets_.level() != 0) {
    feed_.wait_moved();
  }
}

void Units::prefetch(const LayerPlan& plan) {
  free_filters_.reset(plan.layer.mapping.filter_buffers);
  load_.begin_next();
  feed_.begin_next(sets_.level());
  sequencer_.start_ahead();
}

void Units::start_layer() {
  glb_.spoil(plan_.layer.glb.psum);
  glb_.spoil(plan_.layer.glb.out);
  sequencer_.start();
  array_.start_layer();
}

void Units::end_layer() { array_.end_layer(); }

}  // namespace fovea
