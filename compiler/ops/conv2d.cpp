// SPDX-License-Identifier: Apache-2.0
/// \file
/// nn.conv2d: x [N, C, H, W], w [M, C / groups, R, S] -> [N, M, E, F], float32.
#include "ir/operator.h"
#include "ops.h"
#include "window.h"

namespace fovea {

TensorType conv2d_type(const Node& call, const std::vector<TensorType>& inputs) {
  const Shape& x = inputs[0].shape;
  const Shape& w = inputs[1].shape;
  const int64_t groups = int_attribute(call, "groups", 1);
  check_call(inputs[0].element == ElementType::kFloat32 && inputs[1].element == ElementType::kFloat32, call,
             "a convolution takes float32 (dequantized) tensors");
  check_call(x.size() == 4 && w.size() == 4, call,
             "only 2-D convolutions are supported: x [N, C, H, W], w [M, C/groups, R, S]; here x is " + to_text(x) +
                 " and w is " + to_text(w));
  check_call(
      groups >= 1 && groups <= x[1] && x[1] == w[1] * groups && w[0] % groups == 0, call,
      "channels don't fit: x is " + to_text(x) + ", w is " + to_text(w) + ", groups is " + std::to_string(groups));
  const Window window = read_window(call, {w[2], w[3]});
  return {{x[0], w[0], window_steps(call, window, 0, x[2], false), window_steps(call, window, 1, x[3], false)},
          ElementType::kFloat32};
}

Tensor evaluate_conv2d(const Node& call, const std::vector<const Tensor*>& inputs) {
  Tensor result(conv2d_type(call, {inputs[0]->type(), inputs[1]->type()}));
  const Shape& x = inputs[0]->type().shape;
  const Shape& w = inputs[1]->type().shape;
  const Shape& y = result.type().shape;
  const Window window = read_window(call, {w[2], w[3]});
  const auto xs = inputs[0]->values<float>(), ws = inputs[1]->values<float>();
  const auto ys = result.values<float>();
  const int64_t filters_per_group = w[0] / int_attribute(call, "groups", 1);
  for (int64_t i = 0; i < count_elements(y); ++i) {
    const int64_t f = i % y[3], e = i / y[3] % y[2], m = i / (y[3] * y[2]) % y[1], n = i / (y[3] * y[2] * y[1]);
    const int64_t c0 = m / filters_per_group * w[1];
    double sum = 0;
    for_each_tap(window, e, f, x[2], x[3], [&](int64_t r, int64_t s, int64_t row, int64_t col) {
      for (int64_t c = 0; c < w[1]; ++c) {
        sum += static_cast<double>(xs[((n * x[1] + c0 + c) * x[2] + row) * x[3] + col]) *
               ws[((m * w[1] + c) * w[2] + r) * w[3] + s];
      }
    });
    ys[i] = static_cast<float>(sum);
  }
  return result;
}

}  // namespace fovea
