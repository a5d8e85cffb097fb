// SPDX-License-Identifier: Apache-2.0
/// \file
/// The golden data that lie beside the repository, and the pictures they were made from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fovea {

/// Whether ../shared is there.
bool has_shared();

/// Bytes of a file under ../shared; a failed expectation where it is missing.
std::vector<uint8_t> shared_bytes(const std::string& name);

/// Names of the layers whose tensors are in ../shared/golden/<rounding>/, in the order they run.
const std::vector<std::string>& golden_layers();

}  // namespace fovea

/// Ends a test that needs ../shared where there is none.
#define FOVEA_NEEDS_SHARED()                                          \
  if (!fovea::has_shared()) {                                         \
    GTEST_SKIP() << "nothing to test here: ../shared is not present"; \
  }                                                                   \
  static_assert(true, "takes a semicolon")
