// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where a layer's tensors lie: a plane of rows for each channel, in DRAM or in the GLB.
///
/// In DRAM, planes follow each other. On chip, that of channel c is in column c modulo dla_ifmap_columns(), so that the
/// ifmap's channels are read side by side where they lie: column k is the banks k, k + columns, k + 2 columns ... one
/// behind another. An address on chip is a column, in its bits from kDlaColumnLsb on, and a byte of that column. A
/// plane there begins with a word, and rows go on at its begin behind its last one: it may be a ring of the rows that
/// are still needed.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "dla_layer.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Of an address on chip: the first bit of the column; the byte in it is below.
enum { kDlaColumnLsb = 24 };

/// Which of a layer's tensors.
enum dla_layer_tensor { kDlaIfmap, kDlaOfmap, kDlaResidual };

/// The planes of a tensor of a layer.
struct dla_planes {
  bool on_chip;
  uint32_t addr;        ///< Of the first channel's plane on chip; in DRAM of the tensor's first row in it.
  uint32_t channels;    ///< Of all groups.
  uint32_t rows, cols;  ///< Of the tensor.
  uint32_t plane_rows;  ///< Rows of a plane, of cols bytes.
  uint32_t first_row;   ///< The plane's row that the tensor begins with; 0 in DRAM.
  uint32_t stride;      ///< Bytes from a plane to the next one: in DRAM, or in its column.
  uint32_t columns;     ///< That channels are dealt to; in DRAM 1.
};

/// \pre dla_check_mapping() returned kDlaErrorNone.
struct dla_planes dla_planes_of(const struct dla_machine *machine, const struct dla_layer *layer,
                                enum dla_layer_tensor tensor);

/// Bytes of each column that each column of the GLB has: those of its banks.
static inline uint32_t dla_column_bytes(const struct dla_machine *machine) {
  return machine->glb_bytes / machine->glb_bank_bytes / dla_ifmap_columns(machine) * machine->glb_bank_bytes;
}

/// The address of a tensor's row in a channel's plane. \pre row < rows.
static inline uint32_t dla_row_addr(const struct dla_planes *planes, uint32_t channel, uint32_t row) {
  const uint32_t at = planes->first_row + row;
  const uint32_t offset = (at < planes->plane_rows ? at : at - planes->plane_rows) * planes->cols;
  if (!planes->on_chip) {
    return planes->addr + channel * planes->stride + offset;
  }
  const uint32_t column = (planes->addr >> kDlaColumnLsb) + channel;
  const uint32_t byte = (planes->addr & ((1u << kDlaColumnLsb) - 1)) + column / planes->columns * planes->stride;
  return column % planes->columns << kDlaColumnLsb | (byte + offset);
}

/// Rows from `row` on that lie behind each other, of those up to `end`.
static inline uint32_t dla_rows_before_wrap(const struct dla_planes *planes, uint32_t row, uint32_t end) {
  const uint32_t at = planes->first_row + row, left = planes->plane_rows - at;
  return at < planes->plane_rows && left < end - row ? left : end - row;
}

/// Where a byte of an address on chip lies in the GLB.
static inline uint32_t dla_glb_byte(const struct dla_machine *machine, uint32_t addr) {
  const uint32_t column = addr >> kDlaColumnLsb, byte = addr & ((1u << kDlaColumnLsb) - 1);
  const uint32_t bank = byte / machine->glb_bank_bytes * dla_ifmap_columns(machine) + column;
  return bank * machine->glb_bank_bytes + byte % machine->glb_bank_bytes;
}

/// The banks that a tensor on chip has bytes in, and those beside them in other columns.
/// \pre it does not leave the GLB.
struct dla_region dla_banks_of(const struct dla_machine *machine, const struct dla_planes *planes);

#ifdef __cplusplus
}
#endif
