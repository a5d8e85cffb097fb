// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which elements of a layer's inputs one element of its output depends on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "layers/layer.h"
#include "loops/interval.h"

namespace fovea {

/// Elements of one input, without the batch: from low to high along each axis, none where one of them has low > high.
struct InputField {
  std::size_t input = 0;  ///< Place in Layer::inputs.
  Shape shape;
  std::vector<Interval> axes;

  std::size_t size() const;
  /// Calls `visit` with the place of each element.
  void for_each(const std::function<void(std::size_t)>& visit) const;
};

/// Indices of element `place` of a dense tensor.
Shape indices_of(std::size_t place, const Shape& shape);

/// What element `place` of the layer's output depends on: a box of each input, as small as it can be for windows and
/// elementwise layers, for others never too small. Inputs that it does not depend on are left out.
std::vector<InputField> receptive_field(const Layer& layer, std::size_t place);

}  // namespace fovea
