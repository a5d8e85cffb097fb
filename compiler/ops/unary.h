// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which operators work element by element, so that a chain of them on 256 values is a table.
#pragma once

#include "call.h"

namespace fovea {

/// Whether it is a call of a function of one number, element by element: a FOVEA_UNARY row of ops.def.
bool is_unary(const Call& call);

/// Whether it is a sum, product or the like of two operands: a row of ops.def of arithmetic_type.
bool is_arithmetic(const Call& call);

/// Whether each element of a call's result depends on one element of each input, at the place that broadcasting puts
/// it: a unary call, a sum, product or quotient, a PRelu.
bool is_elementwise(const Call& call);

}  // namespace fovea
