// SPDX-License-Identifier: Apache-2.0
/// \file
/// On the host, the range of float32 values as the quantization that just takes it.
#include "dla_tensors.h"
#include "hal/dla_try.h"
#include "spec/dla_requant.h"

/// Begins the call and finds the smallest and largest of x.
static dla_status_t find_range(struct dla_runtime* rt, const struct dla_dynamic_range_cpu* args, float* least,
                               float* most) {
  if (args == NULL) {
    return kDlaBadArg;
  }
  DLA_TRY(dla_begin(rt, args->name));
  const uint32_t elements = dla_elements(args->rank, args->shape);
  const float* x = dla_float_input(rt, args->x_host, args->x, elements);
  if (elements == 0 || x == NULL) {
    return kDlaBadArg;
  }
  *least = *most = x[0];
  for (uint32_t i = 1; i < elements; ++i) {
    *least = x[i] < *least ? x[i] : *least;
    *most = x[i] > *most ? x[i] : *most;
  }
  return kDlaOk;
}

static const uint32_t kOne[1] = {1};

dla_status_t dla_dynamic_scale_cpu(struct dla_runtime* rt, const struct dla_dynamic_range_cpu* args) {
  float least = 0, most = 0;
  DLA_TRY(find_range(rt, args, &least, &most));
  float* y = dla_float_output(rt, args->y_host, args->y, 1);
  if (y == NULL) {
    return kDlaBadArg;
  }
  *y = dla_dynamic_scale(least, most);
  dla_show_f32(rt, args->name, 1, kOne, y);
  return kDlaOk;
}

dla_status_t dla_dynamic_zero_point_cpu(struct dla_runtime* rt, const struct dla_dynamic_range_cpu* args) {
  float least = 0, most = 0;
  DLA_TRY(find_range(rt, args, &least, &most));
  uint8_t* y = dla_arena_view(rt, args->y, 1);
  if (y == NULL) {
    return kDlaBadArg;
  }
  *y = dla_dynamic_zero_point(least, dla_dynamic_scale(least, most));
  dla_show_u8(rt, args->name, 1, kOne, y);
  return kDlaOk;
}
