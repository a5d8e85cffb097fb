// SPDX-License-Identifier: Apache-2.0
/// \file
/// What Python says of operators, as the IR has it.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "ops/operator.h"

namespace fovea {

/// The row of that name. \throws UsageError, with what was meant, where there is none.
const Operator& operator_of(const std::string& name);

/// \throws UsageError, beginning with `place`, where the value is of another kind.
Attribute attribute_of(const std::string& place, AttributeKind kind, const pybind11::handle& value);

}  // namespace fovea
