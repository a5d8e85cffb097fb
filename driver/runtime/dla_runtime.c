// SPDX-License-Identifier: Apache-2.0
/// \file
/// Opening the driver on a backend.
#include "dla_runtime.h"

#include "dif/dla_dif.h"
#include "hal/dla_try.h"

static bool has_memory(const dla_hal_t* hal) {
  return hal->mem_alloc != NULL && hal->mem_reset != NULL && hal->mem_write != NULL && hal->mem_read != NULL &&
         hal->mem_view != NULL;
}

dla_status_t dla_runtime_open(struct dla_runtime* rt, const dla_hal_t* hal) {
  if (rt == NULL || hal == NULL || !has_memory(hal)) {
    return kDlaBadArg;
  }
  *rt = (struct dla_runtime){.hal = hal, .last_layer = ""};
  if (hal->read32 == NULL) {
    return kDlaOk;
  }
  return dla_probe(hal, &rt->machine);
}
