// SPDX-License-Identifier: Apache-2.0
/// \file
/// Windows over rows and columns.
#include "window.h"

#include <algorithm>

#include "operator.h"

namespace fovea {
namespace {

template <std::size_t N>
std::array<int64_t, N> read_numbers(const Call& call, const char* name, int64_t least) {
  const std::vector<int64_t> values = ints_attribute(call, name, {});
  check_call(values.size() == N, call, std::string(name) + " must be " + std::to_string(N) + " numbers");
  const auto [smallest, largest] = std::minmax_element(values.begin(), values.end());
  check_call(*smallest >= least && *largest <= INT32_MAX, call,
             std::string(name) + " must be " + std::to_string(least) + " or more, and below 2^31");
  std::array<int64_t, N> numbers{};
  std::copy(values.begin(), values.end(), numbers.begin());
  return numbers;
}

}  // namespace

Window read_window(const Call& call, std::array<int64_t, 2> kernel) {
  check_call(std::min(kernel[0], kernel[1]) >= 1 && std::max(kernel[0], kernel[1]) <= INT32_MAX, call,
             "the kernel must be 1x1 or larger, with less than 2^31 rows and columns");
  return {kernel, read_numbers<2>(call, "strides", 1), read_numbers<2>(call, "dilations", 1),
          read_numbers<4>(call, "pads", 0)};
}

int64_t window_steps(const Call& call, const Window& window, int axis, int64_t size, bool ceil_mode) {
  const int64_t padded = size + window.pads[axis] + window.pads[axis + 2];
  const int64_t reach = window.dilations[axis] * (window.kernel[axis] - 1) + 1;
  check_call(padded >= reach, call,
             "a window of " + std::to_string(reach) + " does not fit " + std::to_string(padded) + " padded " +
                 (axis == 0 ? "rows" : "columns"));
  const int64_t stride = window.strides[axis];
  int64_t steps = (padded - reach + (ceil_mode ? stride - 1 : 0)) / stride + 1;
  if (ceil_mode && (steps - 1) * stride >= size + window.pads[axis]) {
    --steps;
  }
  return steps;
}

Expression tap(const Window& window, int axis, const Expression& place, const Axis& k) {
  const auto times = [](const Expression& x, int64_t factor) { return factor == 1 ? x : x * factor; };
  const Expression first = times(place, window.strides[axis]);
  return (window.pads[axis] == 0 ? first : first - window.pads[axis]) + times(variable(k.id), window.dilations[axis]);
}

}  // namespace fovea
