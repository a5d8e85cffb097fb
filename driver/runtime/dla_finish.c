// SPDX-License-Identifier: Apache-2.0
/// \file
/// Waiting for the device, and what is done where it ends badly.
#include "dla_finish.h"

#include "dif/dla_dif.h"
#include "hal/dla_try.h"

/// Reads of STATUS after which a device that was reset counts as dead.
enum { kResetPolls = 1000 };

static uint64_t macs_of(const struct dla_layer* layer) {
  const struct dla_shape* s = &layer->shape;
  return dla_needed_outputs(s) * dla_groups(s) * s->M * s->C * s->R * s->S;
}

uint64_t dla_layer_cycle_limit(const struct dla_runtime* rt, const struct dla_layer* layer, uint32_t predicted_cycles) {
  const uint64_t slack = 1000000;
  if (rt->max_layer_cycles != 0) {
    return rt->max_layer_cycles;
  }
  return slack + (predicted_cycles != 0 ? 16 * (uint64_t)predicted_cycles : 64 * macs_of(layer));
}

/// Brings a device that does not answer back to idle; what it was doing is lost.
static dla_status_t give_up(const struct dla_runtime* rt) {
  DLA_TRY(dla_reset(rt->hal, kResetPolls));
  DLA_TRY(dla_ack_irq(rt->hal));
  return kDlaTimeout;
}

/// Takes the cause from the device and leaves it ready for another layer.
static dla_status_t take_error(struct dla_runtime* rt) {
  DLA_TRY(dla_read_error(rt->hal, &rt->last_error));
  DLA_TRY(dla_read_error_addr(rt->hal, &rt->last_error_addr));
  DLA_TRY(dla_clear_error(rt->hal));
  DLA_TRY(dla_ack_irq(rt->hal));
  return kDlaRefused;
}

dla_status_t dla_finish(struct dla_runtime* rt, uint64_t max_cycles) {
  const dla_status_t waited = dla_wait(rt->hal, max_cycles);
  if (waited != kDlaOk) {
    return waited == kDlaTimeout ? give_up(rt) : waited;
  }
  struct dla_state state;
  DLA_TRY(dla_read_state(rt->hal, &state));
  if (state.error) {
    return take_error(rt);
  }
  return state.done ? dla_ack_irq(rt->hal) : give_up(rt);  // An interrupt without an event: nothing can be trusted.
}
