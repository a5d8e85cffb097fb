// SPDX-License-Identifier: Apache-2.0
/// \file
/// The lab's host functions.
#include "dla_convolve.h"
#include "dla_scale.h"
#include "runtime.h"

enum { kZeroPoint = 128 };

static struct dla_quant quant_of(uint32_t scale, bool relu) {
  return (struct dla_quant){.shift = scale,
                            .rounding = kDlaFloor,
                            .lowest = relu ? kZeroPoint : 0,
                            .ifmap_zero_point = kZeroPoint,
                            .ofmap_zero_point = kZeroPoint};
}

static int convolve(const uint8_t* input, const int8_t* filter, uint8_t* output, const int32_t* bias,
                    uint32_t ofmap_len, uint32_t ifmap_len, uint32_t filter_len, const struct dla_convolution* conv) {
  if (input == NULL || filter == NULL || output == NULL || bias == NULL || !dla_convolution_is_valid(conv)) {
    return kDlaBadArg;
  }
  uint32_t rows = 0, cols = 0;
  dla_convolution_outputs(conv, &rows, &cols);
  const uint64_t taps = (uint64_t)conv->C * conv->window.kernel[0] * conv->window.kernel[1];
  if ((uint64_t)conv->M * rows * cols != ofmap_len || (uint64_t)conv->C * conv->H * conv->W != ifmap_len ||
      conv->M * taps != filter_len) {
    return kDlaBadArg;
  }
  dla_convolve(conv, input, filter, bias, output);
  return 0;
}

int qconv2d_relu_maxpool_cpu(uint8_t* input, int8_t* filter, uint8_t* output, int32_t* bias, uint32_t ofmap_len,
                             uint32_t ifmap_len, uint32_t filter_len, uint32_t PAD, uint32_t U, uint32_t R, uint32_t S,
                             uint32_t C, uint32_t M, uint32_t W, uint32_t H, uint32_t scale) {
  const struct dla_window window = {{R, S}, {U, U}, {1, 1}, {PAD, PAD, PAD, PAD}};
  const struct dla_convolution conv = {C, H, W, M, 1, window, quant_of(scale, true), true, NULL, 0, {0}};
  return convolve(input, filter, output, bias, ofmap_len, ifmap_len, filter_len, &conv);
}

int qconv2d_relu_cpu(uint8_t* input, int8_t* filter, uint8_t* output, int32_t* bias, uint32_t ofmap_len,
                     uint32_t ifmap_len, uint32_t filter_len, uint32_t PAD, uint32_t U, uint32_t R, uint32_t S,
                     uint32_t C, uint32_t M, uint32_t W, uint32_t H, uint32_t scale) {
  const struct dla_window window = {{R, S}, {U, U}, {1, 1}, {PAD, PAD, PAD, PAD}};
  const struct dla_convolution conv = {C, H, W, M, 1, window, quant_of(scale, true), false, NULL, 0, {0}};
  return convolve(input, filter, output, bias, ofmap_len, ifmap_len, filter_len, &conv);
}

static int multiply(const uint8_t* input, const int8_t* filter, uint8_t* output, const int32_t* bias,
                    uint32_t ofmap_len, uint32_t ifmap_len, uint32_t filter_len, uint32_t scale, bool relu) {
  const struct dla_convolution conv = {ifmap_len, 1,    1, ofmap_len, 1, DLA_ONE_PIXEL, quant_of(scale, relu),
                                       false,     NULL, 0, {0}};
  return convolve(input, filter, output, bias, ofmap_len, ifmap_len, filter_len, &conv);
}

int qlinear_relu_cpu(uint8_t* input, int8_t* filter, uint8_t* output, int32_t* bias, uint32_t ofmap_len,
                     uint32_t ifmap_len, uint32_t filter_len, uint32_t scale) {
  return multiply(input, filter, output, bias, ofmap_len, ifmap_len, filter_len, scale, true);
}

int qlinear_cpu(uint8_t* input, int8_t* filter, uint8_t* output, int32_t* bias, uint32_t ofmap_len, uint32_t ifmap_len,
                uint32_t filter_len, uint32_t scale) {
  return multiply(input, filter, output, bias, ofmap_len, ifmap_len, filter_len, scale, false);
}

void quantize_cpu(float* in, uint8_t* out, uint32_t size, uint32_t scale) {
  for (uint32_t i = 0; i < size && scale <= DLA_SCALE_LOG2_LIMIT; ++i) {
    out[i] = dla_truncate_element(in[i], dla_scale((int32_t)scale), kZeroPoint);
  }
}

void dequantize_cpu(uint8_t* in, float* out, uint32_t size, uint32_t scale) {
  for (uint32_t i = 0; i < size && scale <= DLA_SCALE_LOG2_LIMIT; ++i) {
    out[i] = dla_dequantize_element(in[i], dla_scale(-(int32_t)scale), kZeroPoint);
  }
}
