// SPDX-License-Identifier: Apache-2.0
/// \file
/// Device layers in a row as one list: entries, one START, records.
#include "dla_run_list.h"

#include "dif/dla_dif.h"
#include "dla_finish.h"
#include "hal/dla_try.h"
#include "spec/dla_list.h"
#include "spec/dla_slice.h"

static uint32_t entry_addr(const struct dla_list* list, uint32_t i) { return list->addr + i * kDlaListEntryAlign; }

/// Behind all entries.
static uint32_t record_addr(const struct dla_list* list, uint32_t i) {
  return entry_addr(list, DLA_LIST_LAYERS) + i * kDlaListRecordAlign;
}

/// A backend need not align to what an entry asks for.
static dla_status_t reserve(const struct dla_runtime* rt, struct dla_list* list) {
  uint32_t addr = 0;
  DLA_TRY(rt->hal->mem_alloc(rt->hal->ctx, DLA_LIST_BYTES, 4, &addr));
  list->addr = (addr + kDlaListEntryAlign - 1) / kDlaListEntryAlign * kDlaListEntryAlign;
  return kDlaOk;
}

static dla_status_t write_entries(const struct dla_runtime* rt, const struct dla_list* list, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t next = i + 1 < count ? entry_addr(list, i + 1) : 0;
    const struct dla_listed_layer* of = &list->layers[i];
    const struct dla_layer layer = of->rows == 0 ? of->layer : dla_slice_of(&of->layer, of->first_row, of->rows);
    DLA_TRY(dla_put_list_entry(rt->hal, &rt->machine, &layer, entry_addr(list, i), next, record_addr(list, i)));
  }
  return kDlaOk;
}

static bool are_slices_of_one(const struct dla_listed_layer* a, const struct dla_listed_layer* b) {
  return a->rows != 0 && b->rows != 0 && a->name == b->name;
}

/// Whether a later one of the first `count` entries is a slice of the same layer.
static bool goes_on(const struct dla_list* list, uint32_t i, uint32_t count) {
  bool found = false;
  for (uint32_t later = i + 1; later < count && !found; ++later) {
    found = are_slices_of_one(&list->layers[i], &list->layers[later]);
  }
  return found;
}

/// What entry i and the slices before it of the same layer counted.
static dla_status_t read_counters(const struct dla_runtime* rt, const struct dla_list* list, uint32_t i,
                                  struct dla_counters* sum) {
  uint32_t number = 0;
  DLA_TRY(dla_read_record(rt->hal, record_addr(list, i), &number, sum));
  for (uint32_t before = 0; before < i; ++before) {
    if (are_slices_of_one(&list->layers[before], &list->layers[i])) {
      struct dla_counters counters;
      DLA_TRY(dla_read_record(rt->hal, record_addr(list, before), &number, &counters));
      dla_add_counters(sum, &counters);
    }
  }
  return kDlaOk;
}

static dla_status_t report_records(const struct dla_runtime* rt, const struct dla_list* list, uint32_t count) {
  for (uint32_t i = 0; rt->observer.on_layer != NULL && i < count; ++i) {
    const struct dla_listed_layer* of = &list->layers[i];
    if (goes_on(list, i, count)) {
      continue;
    }
    struct dla_layer_record record = {.operation = of->operation,
                                      .name = of->name,
                                      .layer = &of->layer,
                                      .predicted_cycles = of->predicted_cycles,
                                      .list = list->lists};
    DLA_TRY(read_counters(rt, list, i, &record.counters));
    rt->observer.on_layer(rt->observer.ctx, &record);
  }
  return kDlaOk;
}

static dla_status_t start(const struct dla_runtime* rt, const struct dla_list* list, uint32_t count) {
  DLA_TRY(write_entries(rt, list, count));
  if (rt->hal->note_layer != NULL) {
    rt->hal->note_layer(rt->hal->ctx, list->layers[0].name);
  }
  DLA_TRY(dla_enable_irq(rt->hal, true, true));
  return dla_start_list(rt->hal, entry_addr(list, 0), count);
}

dla_status_t dla_run_list(struct dla_runtime* rt) {
  struct dla_list* list = rt->list;
  if (list == NULL || list->count == 0) {
    return kDlaOk;
  }
  const uint32_t count = list->count;
  list->count = 0;
  rt->last_layer = list->layers[0].name;
  if (list->addr == 0) {
    DLA_TRY(reserve(rt, list));
  }
  uint64_t max_cycles = 0;
  for (uint32_t i = 0; i < count; ++i) {
    max_cycles += dla_layer_cycle_limit(rt, &list->layers[i].layer, list->layers[i].predicted_cycles);
  }
  ++list->lists;
  DLA_TRY(start(rt, list, count));
  const dla_status_t finished = dla_finish(rt, max_cycles);
  uint32_t ran = count;
  if (finished != kDlaOk) {
    DLA_TRY(dla_read_list_layer(rt->hal, &ran));
    ran = ran < count ? ran : count - 1;
    rt->last_layer = list->layers[ran].name;
  }
  DLA_TRY(report_records(rt, list, ran));
  return finished;
}
