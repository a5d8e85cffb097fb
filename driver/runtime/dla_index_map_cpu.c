// SPDX-License-Identifier: Apache-2.0
/// \file
/// Elements in other places, on the host: loops over the output that read the input by steps or tables.
#include "dla_tensors.h"
#include "hal/dla_try.h"

/// A place that nothing is read at.
#define DLA_NOWHERE INT64_MIN

/// A map on its way: loops, their tables, both tensors.
struct mover {
  const struct dla_index_map_loop* loops;
  uint32_t count;
  uint64_t fill;
  size_t element_bytes;
  const int32_t* tables[DLA_INDEX_MAP_LOOPS];
  const uint8_t* input;
};

/// Where index `i` of a loop is read, from a place that the loops around it read at.
static int64_t place_of(const struct dla_index_map_loop* loop, const int32_t* table, uint32_t i, int64_t place) {
  const bool is_inside = table != NULL ? table[i] >= 0 : i >= loop->first && i < loop->last;
  if (place == DLA_NOWHERE || !is_inside) {
    return DLA_NOWHERE;
  }
  return place + (table != NULL ? table[i] : (int64_t)loop->input_step * (i - loop->first));
}

/// Writes indices `from` to `to` - 1 of a loop with the fill.
static inline void fill_run(const struct mover* m, uint8_t* output, size_t step, uint32_t from, uint32_t to,
                            size_t bytes) {
  for (uint32_t i = from; i < to; ++i) {
    __builtin_memcpy(output + i * step, &m->fill, bytes);
  }
}

/// The innermost loop, of elements of `bytes`, a constant where it is called.
static inline __attribute__((always_inline)) void move_run(const struct mover* m, int64_t place, uint8_t* output,
                                                           size_t bytes) {
  const struct dla_index_map_loop* loop = &m->loops[m->count - 1];
  const int32_t* table = m->tables[m->count - 1];
  const size_t step = loop->output_step * bytes;
  if (place == DLA_NOWHERE) {
    fill_run(m, output, step, 0, loop->size, bytes);
    return;
  }
  const uint8_t* input = m->input + place * (int64_t)bytes;
  if (table != NULL) {
    for (uint32_t i = 0; i < loop->size; ++i) {
      __builtin_memcpy(output + i * step, table[i] < 0 ? (const uint8_t*)&m->fill : input + (size_t)table[i] * bytes,
                       bytes);
    }
    return;
  }
  fill_run(m, output, step, 0, loop->first, bytes);
  const uint32_t count = loop->last - loop->first;
  uint8_t* inside = output + loop->first * step;
  if (loop->input_step == 1 && loop->output_step == 1) {
    __builtin_memcpy(inside, input, count * bytes);
  } else {
    const int64_t input_step = loop->input_step * (int64_t)bytes;
    for (uint32_t i = 0; i < count; ++i) {
      __builtin_memcpy(inside + i * step, input + i * input_step, bytes);
    }
  }
  fill_run(m, output, step, loop->last, loop->size, bytes);
}

static void move(const struct mover* m, uint32_t level, int64_t place, uint8_t* output) {
  if (level + 1 == m->count) {
    switch (m->element_bytes) {
      case 1:
        move_run(m, place, output, 1);
        break;
      case 4:
        move_run(m, place, output, 4);
        break;
      default:
        move_run(m, place, output, 8);
        break;
    }
    return;
  }
  const struct dla_index_map_loop* loop = &m->loops[level];
  for (uint32_t i = 0; i < loop->size; ++i) {
    move(m, level + 1, place_of(loop, m->tables[level], i, place),
         output + (size_t)loop->output_step * i * m->element_bytes);
  }
}

/// Adds the least and the furthest place that a loop reads. \return false where it reads nothing.
static bool add_reach(const struct dla_index_map_loop* loop, const int32_t* table, int64_t* least, int64_t* most) {
  if (table == NULL) {
    const int64_t reach = loop->first < loop->last ? (int64_t)loop->input_step * (loop->last - loop->first - 1) : 0;
    *(reach < 0 ? least : most) += reach;
    return loop->first < loop->last;
  }
  int32_t first = INT32_MAX, last = -1;
  for (uint32_t i = 0; i < loop->size; ++i) {
    first = table[i] >= 0 && table[i] < first ? table[i] : first;
    last = table[i] > last ? table[i] : last;
  }
  *least += last < 0 ? 0 : first;
  *most += last < 0 ? 0 : last;
  return last >= 0;
}

/// Finds a loop's table, if it has one. \return whether the loop makes sense.
static bool open_loop(const struct dla_runtime* rt, const struct dla_index_map_loop* loop, const int32_t** table) {
  if (loop->has_table) {
    *table = dla_weights_view(rt, loop->table, loop->size * (uint64_t)sizeof(int32_t));
    return loop->size != 0 && loop->table % sizeof(int32_t) == 0 && *table != NULL;
  }
  return loop->size != 0 && loop->first <= loop->last && loop->last <= loop->size;
}

/// Opens the loops. \return whether they stay in both tensors, and are as many steps as the output has elements.
static bool open_loops(const struct dla_runtime* rt, const struct dla_index_map_cpu* args, uint64_t elements,
                       struct mover* m) {
  if (args->loops == NULL || args->count == 0 || args->count > DLA_INDEX_MAP_LOOPS) {
    return false;
  }
  bool is_read = true;
  uint64_t steps = 1, last = 0;
  int64_t least = args->start, most = args->start;
  for (uint32_t level = 0; level < args->count; ++level) {
    const struct dla_index_map_loop* loop = &args->loops[level];
    if (!open_loop(rt, loop, &m->tables[level])) {
      return false;
    }
    steps *= loop->size;
    last += (uint64_t)loop->output_step * (loop->size - 1);
    if (steps > elements || last >= elements) {
      return false;
    }
    is_read = add_reach(loop, m->tables[level], &least, &most) && is_read;
  }
  return steps == elements && (!is_read || (least >= 0 && most < args->input_elements));
}

dla_status_t dla_index_map_cpu(struct dla_runtime* rt, const struct dla_index_map_cpu* args) {
  if (args == NULL) {
    return kDlaBadArg;
  }
  DLA_TRY(dla_begin(rt, args->name));
  const size_t bytes = args->element_bytes;
  const uint64_t elements = dla_elements(args->rank, args->shape);
  const uint8_t* input =
      args->input_host != NULL ? args->input_host : dla_arena_view(rt, args->input, args->input_elements * bytes);
  uint8_t* output = args->output_host != NULL ? args->output_host : dla_arena_view(rt, args->output, elements * bytes);
  struct mover m = {.loops = args->loops, .count = args->count, .fill = args->fill, .input = input};
  m.element_bytes = bytes;
  if ((bytes != 1 && bytes != 4 && bytes != 8) || args->type == NULL || elements == 0 || input == NULL ||
      output == NULL || !open_loops(rt, args, elements, &m)) {
    return kDlaBadArg;
  }
  move(&m, 0, args->start, output);
  dla_show(rt, args->name, args->type, args->element_bytes, args->rank, args->shape, output);
  return kDlaOk;
}
