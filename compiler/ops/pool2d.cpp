// SPDX-License-Identifier: Apache-2.0
/// \file
/// nn.max_pool2d: x [N, C, H, W] of any element type -> [N, C, E, F]; padding never wins. nn.avg_pool2d: of float32;
/// padding counts as zeros where count_include_pad says so, what a last window has beyond it never.
#include <limits>

#include "definition.h"
#include "operator.h"
#include "ops.h"
#include "window.h"

namespace fovea {
namespace {

Window pool_window(const Call& call) {
  const std::vector<int64_t> kernel = ints_attribute(call, "kernel", {});
  check_call(kernel.size() == 2, call, "only 2-D pools are supported");
  const Window window = read_window(call, {kernel[0], kernel[1]});
  for (int axis = 0; axis < 2; ++axis) {
    check_call(window.pads[axis] < kernel[axis] && window.pads[axis + 2] < kernel[axis], call,
               "pads must be smaller than the kernel");
  }
  return window;
}

TensorType pool_type(const Call& call, const std::vector<TensorType>& inputs) {
  const Shape& x = inputs[0].shape;
  check_call(x.size() == 4, call, "only 2-D pools are supported: x is [N, C, H, W], not " + to_text(x));
  const Window window = pool_window(call);
  const bool ceil_mode = int_attribute(call, "ceil_mode", 0) != 0;
  return {{x[0], x[1], window_steps(call, window, 0, x[2], ceil_mode), window_steps(call, window, 1, x[3], ceil_mode)},
          inputs[0].element};
}

}  // namespace

TensorType max_pool2d_type(const Call& call, const std::vector<TensorType>& inputs) { return pool_type(call, inputs); }

TensorType avg_pool2d_type(const Call& call, const std::vector<TensorType>& inputs) {
  check_call(inputs[0].element == ElementType::kFloat32, call,
             "x must be float32, not " + std::string(to_text(inputs[0].element)));
  return pool_type(call, inputs);
}

Definition define_max_pool2d(const Call& call, const std::vector<TensorType>& inputs) {
  const Window window = pool_window(call);
  DefinitionBuilder builder(inputs, max_pool2d_type(call, inputs).shape);
  const bool is_float = inputs[0].element == ElementType::kFloat32;
  const Expression least = is_float ? Expression(-std::numeric_limits<double>::infinity())
                                    : integer_number(std::numeric_limits<int64_t>::min());
  const Axis r = builder.axis(window.kernel[0]), s = builder.axis(window.kernel[1]);
  const Expression x = builder.at(
      0, {builder.place(0), builder.place(1), tap(window, 0, builder.place(2), r), tap(window, 1, builder.place(3), s)},
      least);
  return builder.result(reduce(ScalarFunction::kMaximum, {r, s}, least, x));
}

Definition define_avg_pool2d(const Call& call, const std::vector<TensorType>& inputs) {
  const Window window = pool_window(call);
  DefinitionBuilder builder(inputs, avg_pool2d_type(call, inputs).shape);
  const Axis r = builder.axis(window.kernel[0]), s = builder.axis(window.kernel[1]);
  const Expression row = tap(window, 0, builder.place(2), r), col = tap(window, 1, builder.place(3), s);
  const Expression x = builder.at(0, {builder.place(0), builder.place(1), row, col}, 0);
  const bool counts_pads = int_attribute(call, "count_include_pad", 0) != 0;
  const auto taps = [&](int axis, const Axis& tap_axis, const Expression& at) {
    const int64_t before = counts_pads ? window.pads[axis] : 0, behind = counts_pads ? window.pads[axis + 2] : 0;
    const int64_t end = inputs[0].shape[axis + 2] + behind;
    const Expression is_counted = logical_and(integer_number(-before, ScalarType::kIndex) <= at, at < end);
    return reduce(ScalarFunction::kAdd, {tap_axis}, 0, select(is_counted, 1, 0));
  };
  const bool is_always_whole = window.pads == std::array<int64_t, 4>{} && int_attribute(call, "ceil_mode", 0) == 0;
  const Expression count =
      is_always_whole ? Expression(window.kernel[0] * window.kernel[1]) : taps(0, r, row) * taps(1, s, col);
  return builder.result(reduce(ScalarFunction::kAdd, {r, s}, 0, x) / count);
}

}  // namespace fovea
