// SPDX-License-Identifier: Apache-2.0
/// \file
/// SEED and CASES: numbers that a person gives a random test.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace fovea {

/// The variable's value, decimal or 0x; `otherwise` where it is not set.
inline uint64_t number_from_environment(const char* variable, uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr || *text == '\0' ? otherwise : std::strtoull(text, nullptr, 0);
}

}  // namespace fovea
