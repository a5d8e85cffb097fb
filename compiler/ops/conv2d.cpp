// SPDX-License-Identifier: Apache-2.0
/// \file
/// nn.conv2d: x [N, C, H, W], w [M, C / groups, R, S] -> [N, M, E, F], float32.
#include "definition.h"
#include "operator.h"
#include "ops.h"
#include "tensor/type_text.h"
#include "window.h"

namespace fovea {

TensorType conv2d_type(const Call& call, const std::vector<TensorType>& inputs) {
  const Shape& x = inputs[0].shape;
  const Shape& w = inputs[1].shape;
  const int64_t groups = int_attribute(call, "groups", 1);
  check_call(inputs[0].element == ElementType::kFloat32 && inputs[1].element == ElementType::kFloat32, call,
             "a convolution takes float32 (dequantized) tensors, not " + type_text(inputs[0]) + " and " +
                 type_text(inputs[1]));
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

Definition define_conv2d(const Call& call, const std::vector<TensorType>& inputs) {
  const Shape& w = inputs[1].shape;
  const Window window = read_window(call, {w[2], w[3]});
  DefinitionBuilder builder(inputs, conv2d_type(call, inputs).shape);
  const Axis r = builder.axis(w[2]), s = builder.axis(w[3]), c = builder.axis(w[1]);
  const int64_t filters = w[0] / int_attribute(call, "groups", 1);  // Of a group.
  const Expression m = builder.place(1), channel = m / filters * w[1] + variable(c.id);
  const Expression pixel = builder.at(
      0, {builder.place(0), channel, tap(window, 0, builder.place(2), r), tap(window, 1, builder.place(3), s)}, 0);
  const Expression weight = builder.at(1, {m, variable(c.id), variable(r.id), variable(s.id)});
  return builder.result(reduce(ScalarFunction::kAdd, {r, s, c}, 0, pixel * weight));
}

}  // namespace fovea
