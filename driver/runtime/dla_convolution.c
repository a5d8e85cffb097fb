// SPDX-License-Identifier: Apache-2.0
/// \file
/// Whether a convolution's numbers make sense, and its outputs.
#include "dla_convolution.h"

uint32_t dla_window_positions(const struct dla_window* window, uint32_t axis, uint32_t in) {
  const uint64_t padded = (uint64_t)in + window->pads[axis] + window->pads[axis + 2];
  const uint64_t reach = (uint64_t)window->dilations[axis] * (window->kernel[axis] - 1) + 1;
  return padded < reach ? 0 : (uint32_t)((padded - reach) / window->strides[axis]) + 1;
}

/// Windows of the pool over so many rows or columns.
static uint32_t pooled(const struct dla_convolution* conv, uint32_t axis, uint32_t outputs) {
  const struct dla_pooling* pool = &conv->pooling;
  const uint64_t padded = (uint64_t)outputs + pool->pads[axis] + pool->pads[axis + 2];
  const uint32_t size = dla_pooling_size(pool);
  if (!conv->pool || outputs == 0) {
    return outputs;
  }
  return padded < size ? 0 : (uint32_t)((padded - size) / dla_pooling_stride(pool)) + 1;
}

/// Whether each window has more than padding.
static bool pool_is_valid(const struct dla_pooling* pool) {
  const uint32_t size = dla_pooling_size(pool);
  return (size == 2 || size == 3) && pool->pads[0] < size && pool->pads[1] < size && pool->pads[2] < size &&
         pool->pads[3] < size;
}

void dla_convolution_outputs(const struct dla_convolution* conv, uint32_t* rows, uint32_t* cols) {
  *rows = pooled(conv, 0, dla_window_positions(&conv->window, 0, conv->H));
  *cols = pooled(conv, 1, dla_window_positions(&conv->window, 1, conv->W));
}

bool dla_window_is_valid(const struct dla_window* window) {
  for (uint32_t axis = 0; axis < 2; ++axis) {
    if (window->kernel[axis] == 0 || window->strides[axis] == 0 || window->dilations[axis] == 0) {
      return false;
    }
  }
  return true;
}

bool dla_convolution_is_valid(const struct dla_convolution* conv) {
  if (conv->C == 0 || conv->H == 0 || conv->W == 0 || conv->M == 0 || conv->groups == 0 ||
      conv->C % conv->groups != 0 || conv->M % conv->groups != 0 || conv->quant.shift > 31 ||
      conv->quant.lowest + conv->quant.headroom > 255 || !dla_window_is_valid(&conv->window) ||
      !pool_is_valid(&conv->pooling)) {
    return false;
  }
  uint32_t rows = 0, cols = 0;
  dla_convolution_outputs(conv, &rows, &cols);
  const uint64_t taps = (uint64_t)conv->C / conv->groups * conv->window.kernel[0] * conv->window.kernel[1];
  return rows != 0 && cols != 0 && taps <= INT32_MAX && (uint64_t)rows * cols <= UINT32_MAX / 9;
}
