// SPDX-License-Identifier: Apache-2.0
/// \file
/// nn.max_pool2d: x [N, C, H, W] of any element type -> [N, C, E, F]; padding never wins. nn.avg_pool2d: of float32;
/// padding counts as zeros where count_include_pad says so, what a last window has beyond it never.
#include "ir/operator.h"
#include "ops.h"
#include "window.h"

namespace fovea {
namespace {

Window pool_window(const Node& call) {
  const std::vector<int64_t> kernel = ints_attribute(call, "kernel", {});
  check_call(kernel.size() == 2, call, "only 2-D pools are supported");
  const Window window = read_window(call, {kernel[0], kernel[1]});
  for (int axis = 0; axis < 2; ++axis) {
    check_call(window.pads[axis] < kernel[axis] && window.pads[axis + 2] < kernel[axis], call,
               "pads must be smaller than the kernel");
  }
  return window;
}

TensorType pool_type(const Node& call, const std::vector<TensorType>& inputs) {
  const Shape& x = inputs[0].shape;
  check_call(x.size() == 4, call, "only 2-D pools are supported: x is [N, C, H, W], not " + to_text(x));
  const Window window = pool_window(call);
  const bool ceil_mode = int_attribute(call, "ceil_mode", 0) != 0;
  return {{x[0], x[1], window_steps(call, window, 0, x[2], ceil_mode), window_steps(call, window, 1, x[3], ceil_mode)},
          inputs[0].element};
}

}  // namespace

TensorType max_pool2d_type(const Node& call, const std::vector<TensorType>& inputs) { return pool_type(call, inputs); }

TensorType avg_pool2d_type(const Node& call, const std::vector<TensorType>& inputs) {
  check_call(inputs[0].element == ElementType::kFloat32, call,
             "x must be float32, not " + std::string(to_text(inputs[0].element)));
  return pool_type(call, inputs);
}

Tensor evaluate_max_pool2d(const Node& call, const std::vector<const Tensor*>& inputs) {
  Tensor result(max_pool2d_type(call, {inputs[0]->type()}));
  const Shape& x = inputs[0]->type().shape;
  const Shape& y = result.type().shape;
  const Window window = pool_window(call);
  for (int64_t i = 0; i < count_elements(y); ++i) {
    const int64_t f = i % y[3], e = i / y[3] % y[2], plane = i / (y[3] * y[2]);
    bool is_first = true;
    for_each_tap(window, e, f, x[2], x[3], [&](int64_t, int64_t, int64_t row, int64_t col) {
      const double value = inputs[0]->at((plane * x[2] + row) * x[3] + col);
      if (is_first || value > result.at(i)) {
        result.set(i, value);
      }
      is_first = false;
    });
  }
  return result;
}

/// Summed in double.
Tensor evaluate_avg_pool2d(const Node& call, const std::vector<const Tensor*>& inputs) {
  Tensor result(avg_pool2d_type(call, {inputs[0]->type()}));
  const Shape& x = inputs[0]->type().shape;
  const Shape& y = result.type().shape;
  const Window window = pool_window(call);
  Window inside = window;  // The same window on the padded input.
  inside.pads = {};
  const bool counts_pads = int_attribute(call, "count_include_pad", 0) != 0;
  for (int64_t i = 0; i < count_elements(y); ++i) {
    const int64_t f = i % y[3], e = i / y[3] % y[2], plane = i / (y[3] * y[2]);
    double sum = 0, count = 0, padded_count = 0;
    for_each_tap(window, e, f, x[2], x[3], [&](int64_t, int64_t, int64_t row, int64_t col) {
      sum += inputs[0]->at((plane * x[2] + row) * x[3] + col);
      ++count;
    });
    for_each_tap(inside, e, f, x[2] + window.pads[0] + window.pads[2], x[3] + window.pads[1] + window.pads[3],
                 [&](int64_t, int64_t, int64_t, int64_t) { ++padded_count; });
    result.set(i, sum / (counts_pads ? padded_count : count));
  }
  return result;
}

}  // namespace fovea
