// SPDX-License-Identifier: Apache-2.0
/// \file
/// What messages call a type; to_text() is the IR's own form.
#pragma once

#include <string>

#include "tensor.h"

namespace fovea {

/// "float32 (1, 3)".
inline std::string type_text(const TensorType& type) {
  return std::string(to_text(type.element)) + " " + to_text(type.shape);
}

}  // namespace fovea
