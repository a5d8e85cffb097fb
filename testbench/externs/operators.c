// SPDX-License-Identifier: Apache-2.0
/// \file
/// Six operators of ONNX Runtime's, each a plain loop nest.
#include <dla_extern.h>
#include <math.h>
#include <string.h>

// output of BitShift: x0
int BitShift(const struct dla_extern_call* call) {
  const struct dla_extern_tensor *x = &call->inputs[0], *by = &call->inputs[1];
  if (x->type != kDlaUint8 || by->elements != 1) {
    return 1;
  }
  const int is_left = strcmp(dla_extern_text(call, "direction", ""), "LEFT") == 0;
  const int n = *(const uint8_t*)by->data;
  for (uint64_t i = 0; i < x->elements; ++i) {
    const uint8_t value = ((const uint8_t*)x->data)[i];
    ((uint8_t*)call->outputs[0].data)[i] = (uint8_t)(is_left ? value << n : value >> n);
  }
  return 0;
}

// output of Cosh: x0
int Cosh(const struct dla_extern_call* call) {
  const float* x = call->inputs[0].data;
  float* y = call->outputs[0].data;
  for (uint64_t i = 0; i < call->inputs[0].elements; ++i) {
    y[i] = coshf(x[i]);
  }
  return 0;
}

/* output of LpNormalization: x0 */
int LpNormalization(const struct dla_extern_call* call) {
  const struct dla_extern_tensor* x = &call->inputs[0];
  int64_t axis = dla_extern_int(call, "axis", -1);
  axis += axis < 0 ? x->rank : 0;
  int64_t inner = 1;
  for (uint32_t i = (uint32_t)axis + 1; i < x->rank; ++i) {
    inner *= x->dims[i];
  }
  const int64_t size = x->dims[axis], outer = (int64_t)x->elements / (size * inner);
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      const float* from = (const float*)x->data + o * size * inner + i;
      float* to = (float*)call->outputs[0].data + o * size * inner + i;
      double sum = 0;
      for (int64_t k = 0; k < size; ++k) {
        const double value = from[k * inner];
        sum += dla_extern_int(call, "p", 2) == 1 ? fabs(value) : value * value;
      }
      const double norm = dla_extern_int(call, "p", 2) == 1 ? sum : sqrt(sum);
      for (int64_t k = 0; k < size; ++k) {
        to[k * inner] = norm == 0 ? 0 : (float)(from[k * inner] / norm);
      }
    }
  }
  return 0;
}

// output of ReverseSequence: x0
int ReverseSequence(const struct dla_extern_call* call) {
  const struct dla_extern_tensor *x = &call->inputs[0], *lengths = &call->inputs[1];
  if (dla_extern_int(call, "time_axis", 0) != 0 || dla_extern_int(call, "batch_axis", 1) != 1) {
    return 2;
  }
  const int64_t steps = x->dims[0], batch = x->dims[1], row = (int64_t)x->elements / (steps * batch);
  for (int64_t t = 0; t < steps; ++t) {
    for (int64_t b = 0; b < batch; ++b) {
      const int64_t length = ((const int64_t*)lengths->data)[b], from = t < length ? length - 1 - t : t;
      memcpy((float*)call->outputs[0].data + (t * batch + b) * row, (const float*)x->data + (from * batch + b) * row,
             (size_t)row * sizeof(float));
    }
  }
  return 0;
}

// Y and Y_h of one direction, without biases, of tanh.
// output of RNN: float32 [x0[0], 1, x0[1], hidden_size]
// output of RNN: float32 [1, x0[1], hidden_size]
int RNN(const struct dla_extern_call* call) {
  const struct dla_extern_tensor* x = &call->inputs[0];
  const float *w = call->inputs[1].data, *r = call->inputs[2].data;
  float *all = call->outputs[0].data, *last = call->outputs[1].data;
  const int64_t steps = x->dims[0], batch = x->dims[1], width = x->dims[2];
  const int64_t hidden = dla_extern_int(call, "hidden_size", 0);
  memset(last, 0, (size_t)(batch * hidden) * sizeof(float));
  for (int64_t t = 0; t < steps; ++t) {
    float* now = all + t * batch * hidden;
    for (int64_t b = 0; b < batch; ++b) {
      for (int64_t h = 0; h < hidden; ++h) {
        double sum = 0;
        for (int64_t i = 0; i < width; ++i) {
          sum += (double)((const float*)x->data)[(t * batch + b) * width + i] * w[h * width + i];
        }
        for (int64_t k = 0; k < hidden; ++k) {
          sum += (double)last[b * hidden + k] * r[h * hidden + k];
        }
        now[b * hidden + h] = (float)tanh(sum);
      }
    }
    memcpy(last, now, (size_t)(batch * hidden) * sizeof(float));
  }
  return 0;
}

// output of Inverse: x0
int Inverse(const struct dla_extern_call* call) {
  enum { kMost = 16 };
  const struct dla_extern_tensor* x = &call->inputs[0];
  const int64_t n = x->dims[x->rank - 1];
  if (n > kMost || x->dims[x->rank - 2] != n) {
    return 3;
  }
  for (uint64_t at = 0; at < x->elements; at += (uint64_t)(n * n)) {
    double rows[kMost][2 * kMost];
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        rows[i][j] = ((const float*)x->data)[at + (uint64_t)(i * n + j)];
        rows[i][n + j] = i == j;
      }
    }
    for (int64_t i = 0; i < n; ++i) {
      if (rows[i][i] == 0) {
        return 4;
      }
      for (int64_t j = 0; j < n; ++j) {
        const double factor = j == i ? 0 : rows[j][i] / rows[i][i];
        for (int64_t k = 0; k < 2 * n; ++k) {
          rows[j][k] -= factor * rows[i][k];
        }
      }
    }
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        ((float*)call->outputs[0].data)[at + (uint64_t)(i * n + j)] = (float)(rows[i][n + j] / rows[i][i]);
      }
    }
  }
  return 0;
}
