// SPDX-License-Identifier: Apache-2.0
/// \file
/// Operators of two operands on the host, broadcast as numpy does it: row by row of what both walk through evenly.
#include "dla_scale.h"
#include "dla_tensors.h"
#include "dla_widest_vectors.h"
#include "hal/dla_try.h"

/// An operand while it is walked through.
struct side {
  const uint8_t* bytes;  ///< Null where it is float32.
  const float* floats;
  uint32_t steps[DLA_MOST_DIMENSIONS];  ///< From one element to the next along each dimension of the ofmap; 0 where it
                                        ///< is broadcast.
  float values[256];                    ///< What each byte stands for.
};

/// How elements become those of the ofmap.
struct job {
  const struct dla_qbinary_cpu* args;
  struct side a, b;
  bool is_quantized;  ///< Both operands are: sums and products have formulas of their own.
  struct dla_addition addition;
  bool is_exact;  ///< sums_are_exact() of it.
  float product_scale;
  uint8_t lowest;
  uint8_t* ofmap;
};

static bool is_broadcast(const struct dla_qbinary_cpu* args, const struct dla_operand* operand) {
  for (uint32_t i = 0; i < args->rank; ++i) {
    if (operand->shape[i] != 1 && operand->shape[i] != args->shape[i]) {
      return false;
    }
  }
  return true;
}

/// \return false where the operand's numbers make no sense.
static bool open_side(const struct dla_runtime* rt, const struct dla_qbinary_cpu* args,
                      const struct dla_operand* operand, struct side* side) {
  const uint64_t bytes = (uint64_t)dla_elements(args->rank, operand->shape) * (operand->is_float ? sizeof(float) : 1);
  const void* view = operand->data_host != NULL ? operand->data_host
                     : operand->is_constant     ? dla_weights_view(rt, operand->data, bytes)
                                                : dla_arena_view(rt, operand->data, bytes);
  if (bytes == 0 || view == NULL || !is_broadcast(args, operand) ||
      (operand->is_float ? operand->data % sizeof(float) != 0 : !dla_is_scale(operand->scale))) {
    return false;
  }
  side->bytes = operand->is_float ? NULL : view;
  side->floats = operand->is_float ? view : NULL;
  uint32_t step = 1;
  for (uint32_t i = args->rank; i-- > 0; step *= operand->shape[i]) {
    side->steps[i] = operand->shape[i] == args->shape[i] ? step : 0;
  }
  if (!operand->is_float) {
    dla_fill_value_table(side->values, operand->scale, operand->zero_point);
  }
  return true;
}

/// Bits from the lowest to the highest that double has.
#define DLA_DOUBLE_BITS 53

/// The exponent of a float32, of what is less than normal numbers the least normal one's.
static int32_t exponent_of(float x) {
  const union {
    float value;
    uint32_t bits;
  } it = {.value = x};
  const int32_t biased = (int32_t)(it.bits >> 23 & 0xff);
  return (biased == 0 ? 1 : biased) - 127;
}

/// Whether double holds a * ra + (b * rb + fx) of any bytes a and b, and the sum in the brackets, with all their bits:
/// from the lowest bit of one of the three to the highest of the sum. Scales have to be far apart for it not to.
static bool sums_are_exact(const struct dla_addition* by) {
  const int32_t a = exponent_of(by->ra), b = exponent_of(by->rb), f = by->fx == 0 ? b : exponent_of(by->fx);
  const int32_t lowest = a < b ? a : b, highest = a > b ? a : b;
  const int32_t bottom = (lowest < f ? lowest : f) - 23, top = (highest + 8 > f ? highest + 8 : f) + 2;
  return top - bottom < DLA_DOUBLE_BITS;
}

/// Scales of the formulas. \return false where they make no sense.
static bool derive(struct job* job) {
  const struct dla_qbinary_cpu* args = job->args;
  const struct dla_operand *a = &args->a, *b = &args->b;
  job->is_quantized = !a->is_float && !b->is_float;
  job->lowest = args->relu ? args->ofmap_zero_point : 0;
  if (job->is_quantized && args->op == kDlaAdd) {
    const bool is_sum = dla_derive_addition(a->scale, a->zero_point, b->scale, b->zero_point, args->ofmap_scale,
                                            args->ofmap_zero_point, args->rounding, &job->addition);
    job->is_exact = is_sum && sums_are_exact(&job->addition);
    return is_sum;
  }
  struct dla_requantization by = {.scale = 0};
  if (job->is_quantized && args->op == kDlaMultiply &&
      !dla_derive_requantization(a->scale, b->scale, args->ofmap_scale, args->rounding, &by)) {
    return false;
  }
  job->product_scale = by.scale;
  return dla_is_scale(args->ofmap_scale);
}

static void add_row(const struct job* job, const uint8_t* a, uint32_t a_step, const uint8_t* b, uint32_t b_step,
                    uint32_t count, uint8_t* ofmap) {
  const struct dla_addition by = job->addition;
  for (uint32_t i = 0; i < count; ++i) {
    ofmap[i] = dla_add_u8(a[(size_t)i * a_step], b[(size_t)i * b_step], &by, job->lowest);
  }
}

/// dla_add_u8() where sums_are_exact(): each of its two fma is then one sum in double, rounded to float32.
DLA_WIDEST_VECTORS
static void add_exactly(const struct dla_addition* addition, const uint8_t* a, const uint8_t* b, int32_t lowest,
                        uint32_t count, uint8_t* ofmap) {
  const struct dla_addition by = *addition;
  const double ra = by.ra, rb = by.rb, fx = by.fx;
  for (uint32_t i = 0; i < count; ++i) {
    const float second = (float)((double)b[i] * rb + fx);
    const float sum = (float)((double)a[i] * ra + (double)second);
    ofmap[i] = (uint8_t)dla_round_f32(sum, lowest, 255, by.rounding);
  }
}

static void multiply_row(const struct job* job, const uint8_t* a, uint32_t a_step, const uint8_t* b, uint32_t b_step,
                         uint32_t count, uint8_t* ofmap) {
  const struct dla_qbinary_cpu* args = job->args;
  const int32_t za = args->a.zero_point, zb = args->b.zero_point;
  for (uint32_t i = 0; i < count; ++i) {
    const int32_t product = (a[(size_t)i * a_step] - za) * (b[(size_t)i * b_step] - zb);
    ofmap[i] = dla_multiply_u8(product, job->product_scale, args->ofmap_zero_point, args->rounding, job->lowest);
  }
}

static float value_at(const struct side* side, size_t place) {
  return side->bytes == NULL ? side->floats[place] : side->values[side->bytes[place]];
}

static void combine_row(const struct job* job, size_t a, uint32_t a_step, size_t b, uint32_t b_step, uint32_t count,
                        size_t first) {
  const struct dla_qbinary_cpu* args = job->args;
  for (size_t i = first; i < first + count; ++i, a += a_step, b += b_step) {
    const float value = dla_combine_f32(args->op, value_at(&job->a, a), value_at(&job->b, b));
    job->ofmap[i] = dla_round_to_u8(value, args->ofmap_scale, args->ofmap_zero_point, args->rounding, job->lowest);
  }
}

/// `count` elements from places a and b on, to place `first` and on. Steps are 0 or 1, which the compiler is told where
/// it pays.
static void run_row(const struct job* job, size_t a, uint32_t a_step, size_t b, uint32_t b_step, uint32_t count,
                    size_t first) {
  const bool is_add = job->args->op == kDlaAdd, is_dense = a_step == 1 && b_step == 1;
  if (!job->is_quantized || (!is_add && job->args->op != kDlaMultiply)) {
    combine_row(job, a, a_step, b, b_step, count, first);
    return;
  }
  const uint8_t *bytes_a = job->a.bytes + a, *bytes_b = job->b.bytes + b;
  uint8_t* ofmap = job->ofmap + first;
  if (is_add && is_dense && job->is_exact) {
    add_exactly(&job->addition, bytes_a, bytes_b, job->lowest, count, ofmap);
  } else if (is_add && is_dense) {
    add_row(job, bytes_a, 1, bytes_b, 1, count, ofmap);
  } else if (is_add) {
    add_row(job, bytes_a, a_step, bytes_b, b_step, count, ofmap);
  } else if (is_dense) {
    multiply_row(job, bytes_a, 1, bytes_b, 1, count, ofmap);
  } else {
    multiply_row(job, bytes_a, a_step, bytes_b, b_step, count, ofmap);
  }
}

/// Whether dimension i continues what the one after it does, so that both are one row.
static bool continues(const struct side* side, uint32_t i, const uint32_t* shape) {
  return side->steps[i] == side->steps[i + 1] * shape[i + 1];
}

/// Runs row by row: the last dimensions are one as far as both operands step through them evenly.
static void run(const struct job* job) {
  const uint32_t* shape = job->args->shape;
  uint32_t inner = job->args->rank - 1;
  for (; inner > 0 && shape[inner] == 1; --inner) {
  }
  uint32_t count = shape[inner];
  const uint32_t a_step = job->a.steps[inner], b_step = job->b.steps[inner];
  for (; inner > 0 && continues(&job->a, inner - 1, shape) && continues(&job->b, inner - 1, shape); --inner) {
    count *= shape[inner - 1];
  }
  const uint32_t rows = dla_elements(job->args->rank, shape) / count;
  for (uint32_t row = 0; row < rows; ++row) {
    size_t a = 0, b = 0;
    uint32_t rest = row;
    for (uint32_t i = inner; i-- > 0; rest /= shape[i]) {
      a += (size_t)(rest % shape[i]) * job->a.steps[i];
      b += (size_t)(rest % shape[i]) * job->b.steps[i];
    }
    run_row(job, a, a_step, b, b_step, count, (size_t)row * count);
  }
}

dla_status_t dla_qbinary_cpu(struct dla_runtime* rt, const struct dla_qbinary_cpu* args) {
  if (args == NULL) {
    return kDlaBadArg;
  }
  DLA_TRY(dla_begin(rt, args->name));
  const uint32_t elements = dla_elements(args->rank, args->shape);
  struct job job = {.args = args, .ofmap = dla_arena_view(rt, args->ofmap, elements)};
  if (elements == 0 || job.ofmap == NULL || args->op > kDlaMaximum || !open_side(rt, args, &args->a, &job.a) ||
      !open_side(rt, args, &args->b, &job.b) || !derive(&job)) {
    return kDlaBadArg;
  }
  run(&job);
  dla_show_u8(rt, args->name, args->rank, args->shape, job.ofmap);
  return kDlaOk;
}
