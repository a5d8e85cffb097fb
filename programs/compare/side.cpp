// SPDX-License-Identifier: Apache-2.0
/// \file
/// Shapes as they are shown.
#include "side.h"

namespace fovea {

Shape without_batch(const Shape& shape) {
  if (shape.empty()) {
    return {1};
  }
  return shape.size() < 2 || shape[0] != 1 ? shape : Shape(shape.begin() + 1, shape.end());
}

std::string shape_text(const Shape& shape) {
  std::string text;
  for (const int64_t size : shape) {
    text += (text.empty() ? "" : ", ") + std::to_string(size);
  }
  return "[" + text + "]";
}

}  // namespace fovea
