// SPDX-License-Identifier: Apache-2.0
/// \file
/// The AI-on-Chip lab's runtime functions, with the lab's names and positional arguments, on this driver.
///
/// For the lab's own generated model code, unchanged. Floor rounding; zero point 128 everywhere; `scale` is -log2 of a
/// real scale, and for a layer the right shift from accumulator to output. Lengths are in elements. All pointers are
/// host memory: the device functions copy in and out, and drop whatever device memory held.
/// int functions return 0 on success, else a dla_status_t; nothing is written then. Test: lab_runtime_test.cpp.
#pragma once

#include <stdint.h>

/// \name The lab's mapping, as its generated code names it.
/// @{
#define DEFAULT_m 64
#define DEFAULT_e 8
#define DEFAULT_p 4
#define DEFAULT_q 4
#define DEFAULT_r 1
#define DEFAULT_t 2
/// @}

#ifdef __cplusplus
extern "C" {
#endif

/// On the device: input [C, H, W], filter [M, C zero-padded to a multiple of 4, R, S], bias [M], output [M, E, F], with
/// `_maxpool` [M, E/2, F/2]. `m` is an upper bound: it is lowered to what the GLB holds.
/// The filter tensor is always padded. `filter_len` may count the padding or not, as the lab's programs do. A tensor
/// without padding is refused with kDlaBadArg if weights are where zeros should be. If zero weights are there, it goes
/// unnoticed, and is read past its end: pad.
int qconv2d_relu_maxpool(uint8_t* input, int8_t* filter, uint8_t* output, int32_t* bias, uint32_t ofmap_len,
                         uint32_t ifmap_len, uint32_t filter_len, uint32_t m, uint32_t e, uint32_t p, uint32_t q,
                         uint32_t r, uint32_t t, uint32_t PAD, uint32_t U, uint32_t R, uint32_t S, uint32_t C,
                         uint32_t M, uint32_t W, uint32_t H, uint32_t scale);
int qconv2d_relu(uint8_t* input, int8_t* filter, uint8_t* output, int32_t* bias, uint32_t ofmap_len, uint32_t ifmap_len,
                 uint32_t filter_len, uint32_t m, uint32_t e, uint32_t p, uint32_t q, uint32_t r, uint32_t t,
                 uint32_t PAD, uint32_t U, uint32_t R, uint32_t S, uint32_t C, uint32_t M, uint32_t W, uint32_t H,
                 uint32_t scale);

/// The same on the host, filter [M, C, R, S].
int qconv2d_relu_maxpool_cpu(uint8_t* input, int8_t* filter, uint8_t* output, int32_t* bias, uint32_t ofmap_len,
                             uint32_t ifmap_len, uint32_t filter_len, uint32_t PAD, uint32_t U, uint32_t R, uint32_t S,
                             uint32_t C, uint32_t M, uint32_t W, uint32_t H, uint32_t scale);
int qconv2d_relu_cpu(uint8_t* input, int8_t* filter, uint8_t* output, int32_t* bias, uint32_t ofmap_len,
                     uint32_t ifmap_len, uint32_t filter_len, uint32_t PAD, uint32_t U, uint32_t R, uint32_t S,
                     uint32_t C, uint32_t M, uint32_t W, uint32_t H, uint32_t scale);

/// Fully connected: input [ifmap_len], filter [ofmap_len, ifmap_len], bias and output [ofmap_len].
int qlinear_relu_cpu(uint8_t* input, int8_t* filter, uint8_t* output, int32_t* bias, uint32_t ofmap_len,
                     uint32_t ifmap_len, uint32_t filter_len, uint32_t scale);
int qlinear_cpu(uint8_t* input, int8_t* filter, uint8_t* output, int32_t* bias, uint32_t ofmap_len, uint32_t ifmap_len,
                uint32_t filter_len, uint32_t scale);

/// clamp(trunc(in * 2^scale) + 128, 0, 255) and (in - 128) * 2^-scale; `scale` at most 126.
void quantize_cpu(float* in, uint8_t* out, uint32_t size, uint32_t scale);
void dequantize_cpu(uint8_t* in, float* out, uint32_t size, uint32_t scale);

/// Opens the device (dla_lab_open() in lab_host.h), disables its interrupt after a layer, closes it and writes the CSV,
/// and forgets the layers recorded so far.
void dla_init(void);
void dla_stop(void);
void dla_final(void);
void dla_reset_runtime_info(void);

#ifdef __cplusplus
}
#endif
