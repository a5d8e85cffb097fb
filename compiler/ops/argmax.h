// SPDX-License-Identifier: Apache-2.0
/// \file
/// What argmax is defined as.
#pragma once

#include "definition.h"

namespace fovea {

/// Where along `axis` the largest element of x is; of equal ones the first, or the last. \param y  Shape of the result:
/// that of x with 1 for the axis, or without it.
Definition argmax_definition(const TensorType& x, std::size_t axis, bool selects_last, const Shape& y);

}  // namespace fovea
