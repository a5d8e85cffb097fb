// SPDX-License-Identifier: Apache-2.0
/// \file
/// What products of matrices are defined with.
#pragma once

#include <vector>

#include "definition.h"

namespace fovea {

/// The places of a [..., N, C] and b [..., C, M], the builder's inputs 0 and 1, whose elements are multiplied at the
/// place of its result, broadcast; to be added up along `axis`.
struct MatmulTaps {
  Axis axis;
  std::vector<Expression> a, b;
};

MatmulTaps matmul_taps(DefinitionBuilder& builder, const Shape& a, const Shape& b);

}  // namespace fovea
