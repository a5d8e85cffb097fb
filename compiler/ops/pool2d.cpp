// SPDX-License-Identifier: Apache-2.0
/// \file
/// nn.max_pool2d: x [N, C, H, W] of any element type -> [N, C, E, F]; padding never wins. nn.avg_pool2d: of float32;
/// padding counts as zeros where count_include_pad says so, what a last window has beyond it never.
#include <limits>

#include "definition.h"
#include "operator.h"
#include "ops.h"
#include "pool2d.h"

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

PoolTaps::PoolTaps(DefinitionBuilder& builder, const Window& window, const TensorType& x)
    : axes{builder.axis(window.kernel[0]), builder.axis(window.kernel[1])},
      builder_(builder),
      window_(window),
      x_(x),
      places_{tap(window, 0, builder.place(2), axes[0]), tap(window, 1, builder.place(3), axes[1])} {}

Expression PoolTaps::x(const Expression& outside) const {
  return builder_.at(0, {builder_.place(0), builder_.place(1), places_[0], places_[1]}, outside);
}

Expression PoolTaps::count(const std::array<int64_t, 4>& counted_pads) const {
  const auto taps = [&](std::size_t axis) {
    const int64_t end = x_.shape[axis + 2] + counted_pads[axis + 2];
    const Expression is_counted =
        logical_and(integer_number(-counted_pads[axis], ScalarType::kIndex) <= places_[axis], places_[axis] < end);
    return reduce(ScalarFunction::kAdd, {axes[axis]}, 0, select(is_counted, 1, 0));
  };
  return taps(0) * taps(1);
}

Definition max_pool_definition(const Window& window, const TensorType& x, const Shape& y) {
  DefinitionBuilder builder({x}, y);
  const PoolTaps taps(builder, window, x);
  const Expression least = x.element == ElementType::kFloat32 ? Expression(-std::numeric_limits<double>::infinity())
                                                              : integer_number(range_of(x.element).first);
  return builder.result(reduce(ScalarFunction::kMaximum, taps.axes, least, taps.x(least)));
}

Definition define_max_pool2d(const Call& call, const std::vector<TensorType>& inputs) {
  return max_pool_definition(pool_window(call), inputs[0], max_pool2d_type(call, inputs).shape);
}

Definition define_avg_pool2d(const Call& call, const std::vector<TensorType>& inputs) {
  const Window window = pool_window(call);
  DefinitionBuilder builder(inputs, avg_pool2d_type(call, inputs).shape);
  const PoolTaps taps(builder, window, inputs[0]);
  const bool counts_pads = int_attribute(call, "count_include_pad", 0) != 0;
  const bool is_always_whole = window.pads == std::array<int64_t, 4>{} && int_attribute(call, "ceil_mode", 0) == 0;
  const Expression count = is_always_whole ? Expression(window.kernel[0] * window.kernel[1])
                                           : taps.count(counts_pads ? window.pads : std::array<int64_t, 4>{});
  return builder.result(reduce(ScalarFunction::kAdd, taps.axes, 0, taps.x(0)) / count);
}

}  // namespace fovea
