// SPDX-License-Identifier: Apache-2.0
/// \file
/// The machine's arithmetic on rows, in loops that the compiler turns into vector instructions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "spec/dla_layer.h"

namespace fovea {

/// Pixels that the loops take at a time.
constexpr size_t kVectorPixels = 16;

constexpr size_t round_up_to_vector(size_t pixels) {
  return (pixels + kVectorPixels - 1) / kVectorPixels * kVectorPixels;
}

/// psums[filters][pixels] += weights[filters][depth] * window[depth][pixels], modulo 2^32.
struct Product {
  const int16_t* window;
  const int16_t* weights;
  int32_t* psums;
  size_t depth;
  size_t pixels;  ///< A multiple of kVectorPixels.
  size_t filters;
};

void multiply_accumulate(const Product& product);

/// dla_output() of each psum, by the layer's shift or by a scale.
void shift_row(const dla_quant& quant, const int32_t* psums, size_t count, uint8_t* activations);
void scale_row(const dla_quant& quant, float scale, const int32_t* psums, size_t count, uint8_t* activations);

/// A row of the shape's max-pool: `cols` pixels from the rows of its windows, the first at `rows`, `row_size` each.
void pool_rows(const dla_shape& shape, const uint8_t* rows, size_t row_size, size_t cols, uint8_t* pooled);

}  // namespace fovea
