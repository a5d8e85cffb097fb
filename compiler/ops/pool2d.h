// SPDX-License-Identifier: Apache-2.0
/// \file
/// What pools are defined with: the taps of a window over x [N, C, H, W], for a result [N, C, E, F].
#pragma once

#include <array>
#include <vector>

#include "definition.h"
#include "window.h"

namespace fovea {

/// The taps of the window at the place of a builder's result. What it is made of outlives it.
class PoolTaps {
 public:
  PoolTaps(DefinitionBuilder& builder, const Window& window, const TensorType& x);

  /// Element of x, the builder's input 0, under the tap; `outside` in the padding.
  Expression x(const Expression& outside) const;
  /// How many taps are inside of x and so much of its padding (top, left, bottom, right), a real number.
  Expression count(const std::array<int64_t, 4>& counted_pads) const;

  const std::vector<Axis> axes;  ///< To reduce over: rows, columns.

 private:
  DefinitionBuilder& builder_;
  const Window& window_;
  const TensorType& x_;
  std::array<Expression, 2> places_;
};

/// The largest element under the window; padding never wins.
Definition max_pool_definition(const Window& window, const TensorType& x, const Shape& y);

}  // namespace fovea
