// SPDX-License-Identifier: Apache-2.0
/// \file
/// Broadcasting, as numpy defines it: shapes, and the order of operands.
#pragma once

#include <algorithm>

#include "call.h"
#include "tensor/tensor.h"

namespace fovea {

/// Shape of the result. UserError naming the call where the two don't fit.
Shape broadcast(const Call& call, const Shape& a, const Shape& b);

/// Whether ONNX Runtime exchanges the operands of a sum: the first has one element along the innermost axis that
/// counts, the last one where either has more, of those that both have; the first of those where none has.
inline bool is_first_broadcast(const Shape& a, const Shape& b) {
  const std::size_t axes = std::min(a.size(), b.size());
  std::size_t last = 1;
  for (; last < axes && a[a.size() - last] == 1 && b[b.size() - last] == 1; ++last) {
  }
  return a.empty() || a[a.size() - last] == 1;
}

}  // namespace fovea
