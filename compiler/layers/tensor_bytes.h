// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which tensors of a network share their bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "layer.h"

namespace fovea {

/// The bytes of a tensor: those of another from `offset` on, or its own.
struct TensorBytes {
  TensorId whole = 0;
  std::uint64_t offset = 0;
};

/// For each tensor, the largest tensor that its bytes are part of: itself, what a view views, or what a join joins.
std::vector<TensorBytes> resolve_bytes(const Network& network);

}  // namespace fovea
