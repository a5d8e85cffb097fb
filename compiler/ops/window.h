// SPDX-License-Identifier: Apache-2.0
/// \file
/// How a window moves over the rows and columns of [N, C, H, W]: shared by convolution and pooling.
#ifndef FOVEA_COMPILER_OPS_WINDOW_H_
#define FOVEA_COMPILER_OPS_WINDOW_H_

#include <array>
#include <functional>
#include <vector>

#include "ir/graph.h"

namespace fovea {

/// How a window moves over rows and columns.
struct Window {
  std::array<int64_t, 2> kernel{1, 1}, strides{1, 1}, dilations{1, 1};  ///< Rows, columns.
  std::array<int64_t, 4> pads{0, 0, 0, 0};                              ///< Top, left, bottom, right.

  bool operator==(const Window&) const = default;
};

/// Reads the window off a call's attributes; `kernel` is rows and columns. UserError where a number makes no sense.
Window read_window(const Node& call, std::array<int64_t, 2> kernel);

/// Output rows (axis 0) or columns (axis 1) for an input of `size`.
/// floor((size + pads - dilation * (kernel - 1) - 1) / stride) + 1, or with ceil_mode rounded up, but never starting
/// a window in the end padding. UserError naming the call where that is less than 1.
int64_t window_steps(const Node& call, const Window& window, int axis, int64_t size, bool ceil_mode);

/// Calls visit(kernel row, kernel column, input row, input column) for each tap of the output pixel that is inside.
void for_each_tap(const Window& window, int64_t out_row, int64_t out_col, int64_t rows, int64_t cols,
                  const std::function<void(int64_t, int64_t, int64_t, int64_t)>& visit);

}  // namespace fovea

#endif  // FOVEA_COMPILER_OPS_WINDOW_H_
