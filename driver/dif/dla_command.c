// SPDX-License-Identifier: Apache-2.0
/// \file
/// A layer command as register words.
#include <stddef.h>

#include "dla_dif.h"
#include "dla_field.h"
#include "hal/dla_try.h"

static bool shape_fits(const struct dla_shape* s) {
  return DLA_FITS(CHANNELS_C, s->C) && DLA_FITS(CHANNELS_M, s->M) && DLA_FITS(IFMAP_SIZE_H, s->H) &&
         DLA_FITS(IFMAP_SIZE_W, s->W) && DLA_FITS(KERNEL_R, s->R) && DLA_FITS(KERNEL_S, s->S) &&
         DLA_FITS(KERNEL_U, s->U) && DLA_FITS(KERNEL_PAD, s->PAD);
}

static bool mapping_fits(const struct dla_mapping* m) {
  return DLA_FITS(MAP_GLB_M, m->m) && DLA_FITS(MAP_GLB_E_GLB, m->e_glb) && DLA_FITS(MAP_GLB_N, m->n) &&
         DLA_FITS(MAP_PE_E, m->e) && DLA_FITS(MAP_PE_P, m->p) && DLA_FITS(MAP_PE_Q, m->q) && DLA_FITS(MAP_PE_R, m->r) &&
         DLA_FITS(MAP_PE_T, m->t) && DLA_FITS(MAP_LOOP_ORDER, m->order) &&
         DLA_FITS(MAP_LOOP_FILTER_BUFFERS, m->filter_buffers);
}

static bool quant_fits(const struct dla_quant* q) {
  return DLA_FITS(QUANT_SHIFT, q->shift) && DLA_FITS(QUANT_ROUNDING, q->rounding);
}

static bool region_fits(const struct dla_region* region, uint32_t bank_bytes) {
  return region->base_bytes % bank_bytes == 0 && region->size_bytes % bank_bytes == 0 &&
         DLA_FITS(GLB_IFMAP_BASE_BANK, region->base_bytes / bank_bytes) &&
         DLA_FITS(GLB_IFMAP_BANKS, region->size_bytes / bank_bytes);
}

static bool glb_fits(const struct dla_glb_plan* glb, uint32_t bank_bytes) {
  return region_fits(&glb->ifmap, bank_bytes) && region_fits(&glb->filter, bank_bytes) &&
         region_fits(&glb->psum, bank_bytes) && region_fits(&glb->out, bank_bytes);
}

bool dla_layer_fits_registers(const struct dla_machine* machine, const struct dla_layer* layer) {
  return machine != NULL && machine->glb_bank_bytes != 0 && layer != NULL && shape_fits(&layer->shape) &&
         mapping_fits(&layer->mapping) && quant_fits(&layer->quant) && glb_fits(&layer->glb, machine->glb_bank_bytes);
}

static uint32_t kernel_word(const struct dla_shape* s) {
  return DLA_PUT(KERNEL_R, s->R) | DLA_PUT(KERNEL_S, s->S) | DLA_PUT(KERNEL_U, s->U) | DLA_PUT(KERNEL_PAD, s->PAD) |
         DLA_PUT(KERNEL_POOL, s->pool);
}

static uint32_t pe_word(const struct dla_mapping* m) {
  return DLA_PUT(MAP_PE_E, m->e) | DLA_PUT(MAP_PE_P, m->p) | DLA_PUT(MAP_PE_Q, m->q) | DLA_PUT(MAP_PE_R, m->r) |
         DLA_PUT(MAP_PE_T, m->t);
}

static uint32_t loop_word(const struct dla_mapping* m) {
  return DLA_PUT(MAP_LOOP_ORDER, m->order) | DLA_PUT(MAP_LOOP_IFMAP_RESIDENT, m->ifmap_resident) |
         DLA_PUT(MAP_LOOP_FILTER_BUFFERS, m->filter_buffers);
}

static uint32_t quant_word(const struct dla_quant* q) {
  return DLA_PUT(QUANT_SHIFT, q->shift) | DLA_PUT(QUANT_ROUNDING, q->rounding) | DLA_PUT(QUANT_RELU, q->relu) |
         DLA_PUT(QUANT_IFMAP_ZERO_POINT, q->ifmap_zero_point) | DLA_PUT(QUANT_OFMAP_ZERO_POINT, q->ofmap_zero_point);
}

/// A region in banks; all four GLB registers have the same fields.
static uint32_t region_word(const struct dla_region* region, uint32_t bank_bytes) {
  return DLA_PUT(GLB_IFMAP_BASE_BANK, region->base_bytes / bank_bytes) |
         DLA_PUT(GLB_IFMAP_BANKS, region->size_bytes / bank_bytes);
}

dla_status_t dla_write_layer(const dla_hal_t* hal, const struct dla_machine* machine, const struct dla_layer* layer) {
  struct dla_state state;
  if (hal == NULL || hal->write32 == NULL || !dla_layer_fits_registers(machine, layer)) {
    return kDlaBadArg;
  }
  DLA_TRY(dla_read_state(hal, &state));
  if (state.busy) {
    return kDlaBusy;
  }
  const struct dla_shape* s = &layer->shape;
  const struct dla_mapping* m = &layer->mapping;
  const uint32_t bank_bytes = machine->glb_bank_bytes;
  const struct {
    uint32_t offset, value;
  } words[] = {
      {DLA_IFMAP_ADDR_REG, layer->ifmap_addr},
      {DLA_FILTER_ADDR_REG, layer->filter_addr},
      {DLA_OFMAP_ADDR_REG, layer->ofmap_addr},
      {DLA_CHANNELS_REG, DLA_PUT(CHANNELS_C, s->C) | DLA_PUT(CHANNELS_M, s->M)},
      {DLA_IFMAP_SIZE_REG, DLA_PUT(IFMAP_SIZE_H, s->H) | DLA_PUT(IFMAP_SIZE_W, s->W)},
      {DLA_KERNEL_REG, kernel_word(s)},
      {DLA_MAP_GLB_REG, DLA_PUT(MAP_GLB_M, m->m) | DLA_PUT(MAP_GLB_E_GLB, m->e_glb) | DLA_PUT(MAP_GLB_N, m->n)},
      {DLA_MAP_PE_REG, pe_word(m)},
      {DLA_MAP_LOOP_REG, loop_word(m)},
      {DLA_QUANT_REG, quant_word(&layer->quant)},
      {DLA_GLB_IFMAP_REG, region_word(&layer->glb.ifmap, bank_bytes)},
      {DLA_GLB_FILTER_REG, region_word(&layer->glb.filter, bank_bytes)},
      {DLA_GLB_PSUM_REG, region_word(&layer->glb.psum, bank_bytes)},
      {DLA_GLB_OUT_REG, region_word(&layer->glb.out, bank_bytes)},
  };
  for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
    DLA_TRY(hal->write32(hal->ctx, words[i].offset, words[i].value));
  }
  return kDlaOk;
}
