// SPDX-License-Identifier: Apache-2.0
/// \file
/// How a window moves over the rows and columns of [N, C, H, W]: shared by convolution and pooling.
#pragma once

#include <array>
#include <vector>

#include "call.h"
#include "expression.h"

namespace fovea {

/// How a window moves over rows and columns.
struct Window {
  std::array<int64_t, 2> kernel{1, 1}, strides{1, 1}, dilations{1, 1};  ///< Rows, columns.
  std::array<int64_t, 4> pads{0, 0, 0, 0};                              ///< Top, left, bottom, right.

  bool operator==(const Window&) const = default;
};

/// Reads the window off a call's attributes; `kernel` is rows and columns. UserError where a number makes no sense.
Window read_window(const Call& call, std::array<int64_t, 2> kernel);

/// Output rows (axis 0) or columns (axis 1) for an input of `size`.
/// floor((size + pads - dilation * (kernel - 1) - 1) / stride) + 1, or with ceil_mode rounded up, but never starting
/// a window in the end padding. UserError naming the call where that is less than 1.
int64_t window_steps(const Call& call, const Window& window, int axis, int64_t size, bool ceil_mode);

/// Input row (axis 0) or column (axis 1) under tap `k` of the window at output row or column `place`.
Expression tap(const Window& window, int axis, const Expression& place, const Axis& k);

}  // namespace fovea
