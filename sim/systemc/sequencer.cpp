// SPDX-License-Identifier: Apache-2.0
/// \file
/// Walks the schedule of a layer, once, and hands out its passes, filter sets and loads in the order of first use.
#include "sequencer.h"

#include <algorithm>

namespace fovea {

void Sequencer::trace(sc_core::sc_trace_file* waves) const {
  trace_as(waves, schedule_.first[kDlaRowTiles], "row0");
  trace_as(waves, schedule_.first[kDlaChannelGroups], "channel_group");
  trace_as(waves, schedule_.first[kDlaFilterTiles], "m0");
  trace_as(waves, schedule_.first[kDlaChunks], "c0");
  trace_as(waves, schedule_.first[kDlaFolds], "fold_row0");
  trace_as(waves, schedule_.first[kDlaGroups], "group0");
  trace_as(waves, schedule_.first[kDlaStrips], "strip0");
}

void Sequencer::run() {
  sc_core::wait(started_);
  const LayerPlan& of = load_plan();
  dla_schedule_begin(&of.machine, &of.layer.shape, &of.layer.mapping, &schedule_);
  const dla_shape& s = of.layer.shape;
  const bool waits = is_ahead_ && (!s.ifmap_on_chip || (s.residual && !s.residual_on_chip));
  Cycle from = waits ? begin_ahead() : clock_.now();
  while (dla_schedule_next(&schedule_) != kDlaItemEnd) {
    wait_until(clock_, from + schedule_.steps);
    schedule_.item == kDlaItemPass ? push_pass() : push_load(schedule_.load);
    from = clock_.now();
  }
  ended_in_ = clock_.now();
  halt();
}

/// The first filter chunk and its set, and once the layer has started the ifmap chunk before it, which an ifmap on chip
/// does not have. Steps of the first strip pass beside them. Of filters on chip, there is the set alone.
/// \return the cycle from which those to the next item count.
Cycle Sequencer::begin_ahead() {
  dla_schedule next = schedule_;
  const bool loads_ifmap = dla_schedule_next(&next) == kDlaItemIfmapLoad;
  const dla_load ifmap = next.load;
  Cycle due = clock_.now() + next.steps;
  if (loads_ifmap) {
    schedule_ = next;
    dla_schedule_next(&next);
    due += next.steps - kDlaPushSteps;
  }
  const bool loads_filters = next.item == kDlaItemFilterLoad;
  wait_until(clock_, loads_filters ? due : due - kDlaStripSteps);
  if (loads_filters) {
    schedule_ = next;
    push_load(next.load);
    wait_until(clock_, clock_.now() + kDlaPushSteps);
    dla_schedule_next(&next);
  }
  sets->wait_room();
  sets->push(next.set);
  is_set_out_ = true;
  const Cycle in_first_step = clock_.now();
  while (started_in_ > clock_.now()) {
    sc_core::wait(started_);
  }
  if (loads_ifmap) {
    push_load(ifmap);
  }
  return std::max(in_first_step + kDlaStripSteps, clock_.now() + kDlaPushSteps) - next.steps;
}

void Sequencer::push_load(const dla_load& load) {
  loads->wait_room();
  loads->push(load);
  note(clock_.now(), TransactionKind::kLoadQueued);
}

/// A pass and its filter set leave together, if the set has not left before.
void Sequencer::push_pass() {
  const bool has_set = schedule_.pass.new_set && !is_set_out_;
  while (!passes->has_room() || (has_set && !sets->has_room())) {
    passes->has_room() ? sets->wait_room() : passes->wait_room();
  }
  if (has_set) {
    sets->push(schedule_.set);
  }
  is_set_out_ = false;
  passes->push_at(schedule_.pass, started_in_ == kNever ? kNever : std::max(started_in_, clock_.now() + 1));
  note(clock_.now(), TransactionKind::kPassQueued);
}

}  // namespace fovea
