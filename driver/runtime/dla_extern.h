// SPDX-License-Identifier: Apache-2.0
/// \file
/// An operator of the user's as a C function (foveac --extern Op=file.c), and what it is called with.
///
/// The function has the operator's name, without its domain: `int TopK2(const struct dla_extern_call* call)`. It reads
/// the inputs, writes all elements of all outputs, and returns 0; another number ends the run and is reported. Equal
/// inputs must give equal outputs. C11, freestanding; needs no other header of the driver.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The type of a tensor's elements: that of the ONNX node, but float32 for float64.
enum dla_element { kDlaFloat32, kDlaUint8, kDlaInt8, kDlaInt32, kDlaInt64, kDlaBool };

/// A dense tensor. `data` is NULL where the ONNX node leaves it out.
struct dla_extern_tensor {
  void* data;  ///< Of an input, for reading only.
  enum dla_element type;
  uint32_t rank;
  const int64_t* dims;  ///< As many as the rank says, the batch among them.
  uint64_t elements;    ///< Their product.
};

/// An attribute of the ONNX node: `count` numbers or texts in one of the lists, whose others are NULL. Of a tensor, its
/// elements.
struct dla_extern_attribute {
  const char* name;
  uint32_t count;
  const int64_t* ints;
  const float* floats;
  const char* const* texts;
};

struct dla_extern_call {
  const char* op;    ///< The operator, with its domain where that is not ONNX's own: "com.microsoft.Inverse".
  const char* node;  ///< Name of the ONNX node.
  const struct dla_extern_tensor* inputs;  ///< In the ONNX node's order.
  uint32_t input_count;
  const struct dla_extern_tensor* outputs;
  uint32_t output_count;
  const struct dla_extern_attribute* attributes;
  uint32_t attribute_count;
};

/// The attribute of that name, or NULL.
static inline const struct dla_extern_attribute* dla_extern_find(const struct dla_extern_call* call, const char* name) {
  for (uint32_t i = 0; i < call->attribute_count; ++i) {
    const char *a = call->attributes[i].name, *b = name;
    while (*a != '\0' && *a == *b) {
      ++a;
      ++b;
    }
    if (*a == *b) {
      return &call->attributes[i];
    }
  }
  return NULL;
}

/// The attribute's first number, or `fallback` where there is none of that kind.
static inline int64_t dla_extern_int(const struct dla_extern_call* call, const char* name, int64_t fallback) {
  const struct dla_extern_attribute* found = dla_extern_find(call, name);
  return found != NULL && found->ints != NULL && found->count > 0 ? found->ints[0] : fallback;
}

static inline float dla_extern_float(const struct dla_extern_call* call, const char* name, float fallback) {
  const struct dla_extern_attribute* found = dla_extern_find(call, name);
  return found != NULL && found->floats != NULL && found->count > 0 ? found->floats[0] : fallback;
}

static inline const char* dla_extern_text(const struct dla_extern_call* call, const char* name, const char* fallback) {
  const struct dla_extern_attribute* found = dla_extern_find(call, name);
  return found != NULL && found->texts != NULL && found->count > 0 ? found->texts[0] : fallback;
}

#ifdef __cplusplus
}
#endif
