// SPDX-License-Identifier: Apache-2.0
/// \file
/// Writes a layer command to its registers.
#include "dla_dif.h"
#include "hal/dla_try.h"
#include "spec/dla_fields.h"

dla_status_t dla_write_layer(const dla_hal_t* hal, const struct dla_machine* machine, const struct dla_layer* layer) {
  struct dla_state state;
  uint32_t words[DLA_LAYER_WORDS];
  if (hal == NULL || hal->write32 == NULL || machine == NULL || layer == NULL ||
      !dla_pack_layer(machine, layer, words)) {
    return kDlaBadArg;
  }
  DLA_TRY(dla_read_state(hal, &state));
  if (state.busy) {
    return kDlaBusy;
  }
  for (uint32_t i = 0; i < DLA_LAYER_WORDS; ++i) {
    DLA_TRY(hal->write32(hal->ctx, DLA_LAYER_REG + 4 * i, words[i]));
  }
  return kDlaOk;
}
