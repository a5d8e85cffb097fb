// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finding out which device is there.
#include <stddef.h>

#include "dla_dif.h"
#include "dla_field.h"
#include "hal/dla_try.h"

static dla_status_t read_array(const dla_hal_t* hal, struct dla_machine* machine) {
  uint32_t word = 0;
  DLA_TRY(hal->read32(hal->ctx, DLA_GEOMETRY_ARRAY_REG, &word));
  machine->rows = DLA_GET(GEOMETRY_ARRAY_ROWS, word);
  machine->cols = DLA_GET(GEOMETRY_ARRAY_COLS, word);
  machine->max_pass_filters = DLA_GET(GEOMETRY_ARRAY_PASS_FILTERS, word);
  return kDlaOk;
}

static dla_status_t read_spads(const dla_hal_t* hal, struct dla_machine* machine) {
  uint32_t word = 0;
  DLA_TRY(hal->read32(hal->ctx, DLA_GEOMETRY_SPADS_REG, &word));
  machine->ifmap_spad_bytes = DLA_GET(GEOMETRY_SPADS_IFMAP_BYTES, word);
  machine->filter_spad_bytes = DLA_GET(GEOMETRY_SPADS_FILTER_BYTES, word);
  machine->max_pe_filters = DLA_GET(GEOMETRY_SPADS_MAX_PE_FILTERS, word);
  return kDlaOk;
}

static dla_status_t read_glb(const dla_hal_t* hal, struct dla_machine* machine) {
  uint32_t word = 0;
  DLA_TRY(hal->read32(hal->ctx, DLA_GEOMETRY_GLB_REG, &word));
  const uint32_t bank_bytes_log2 = DLA_GET(GEOMETRY_GLB_BANK_BYTES_LOG2, word);
  if (bank_bytes_log2 > 15) {
    return kDlaNoDevice;
  }
  machine->glb_bank_bytes = 1u << bank_bytes_log2;
  machine->glb_bytes = DLA_GET(GEOMETRY_GLB_BANKS, word) << bank_bytes_log2;
  machine->bus_bytes = DLA_GET(GEOMETRY_GLB_BUS_BYTES, word);
  return kDlaOk;
}

static dla_status_t read_networks(const dla_hal_t* hal, struct dla_machine* machine) {
  uint32_t word = 0;
  DLA_TRY(hal->read32(hal->ctx, DLA_GEOMETRY_NETWORKS_REG, &word));
  machine->psum_lanes = DLA_GET(GEOMETRY_NETWORKS_PSUM_LANES, word);
  machine->ifmap_bytes_per_cycle = DLA_GET(GEOMETRY_NETWORKS_IFMAP_BYTES, word);
  machine->filter_bytes_per_cycle = DLA_GET(GEOMETRY_NETWORKS_FILTER_BYTES, word);
  return kDlaOk;
}

dla_status_t dla_probe(const dla_hal_t* hal, struct dla_machine* machine) {
  if (hal == NULL || hal->read32 == NULL || machine == NULL) {
    return kDlaBadArg;
  }
  uint32_t id = 0, version = 0;
  DLA_TRY(hal->read32(hal->ctx, DLA_ID_REG, &id));
  DLA_TRY(hal->read32(hal->ctx, DLA_VERSION_REG, &version));
  if (id != DLA_ID_RESET || DLA_GET(VERSION_MAJOR, version) != DLA_DRIVER_MAJOR_VERSION) {
    return kDlaNoDevice;
  }
  DLA_TRY(read_array(hal, machine));
  DLA_TRY(read_spads(hal, machine));
  DLA_TRY(read_glb(hal, machine));
  return read_networks(hal, machine);
}
