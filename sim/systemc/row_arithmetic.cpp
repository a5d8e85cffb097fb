// SPDX-License-Identifier: Apache-2.0
/// \file
/// The machine's arithmetic on rows, in loops that the compiler turns into vector instructions.
#include "row_arithmetic.h"

#include <algorithm>

#include "spec/dla_output.h"

namespace fovea {

// One build for every x86-64, and one for those with AVX2, chosen when the library is loaded.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define FOVEA_VECTOR __attribute__((target_clones("default", "avx2")))
#else
#define FOVEA_VECTOR
#endif

FOVEA_VECTOR void multiply_accumulate(const Product& product) {
  for (size_t filter = 0; filter < product.filters; ++filter) {
    const int16_t* weights = product.weights + filter * product.depth;
    for (size_t first = 0; first < product.pixels; first += kVectorPixels) {
      int32_t* psums = product.psums + filter * product.pixels + first;
      uint32_t sums[kVectorPixels];  // Unsigned: sums wrap.
      std::copy_n(psums, kVectorPixels, sums);
      const int16_t* window = product.window + first;
      for (size_t k = 0; k < product.depth; ++k, window += product.pixels) {
        for (size_t i = 0; i < kVectorPixels; ++i) {
          sums[i] += static_cast<uint32_t>(weights[k] * window[i]);
        }
      }
      std::copy_n(sums, kVectorPixels, psums);
    }
  }
}

FOVEA_VECTOR void shift_row(const dla_quant& quant, const int32_t* psums, size_t count, uint8_t* activations) {
  for (size_t i = 0; i < count; ++i) {
    activations[i] = dla_output(psums[i], &quant, false, 0);
  }
}

FOVEA_VECTOR void scale_row(const dla_quant& quant, float scale, const int32_t* psums, size_t count,
                            uint8_t* activations) {
  for (size_t i = 0; i < count; ++i) {
    activations[i] = dla_output(psums[i], &quant, true, scale);
  }
}

void pool_rows(const dla_shape& shape, const uint8_t* rows, size_t row_size, size_t cols, uint8_t* pooled) {
  const size_t size = dla_pool_size(&shape), stride = dla_pool_stride(&shape);
  for (size_t i = 0; i < cols; ++i) {
    uint8_t largest = 0;
    for (size_t row = 0; row < size; ++row) {
      const uint8_t* window = rows + row * row_size + i * stride;
      largest = std::max(largest, *std::max_element(window, window + size));
    }
    pooled[i] = largest;
  }
}

}  // namespace fovea
