// SPDX-License-Identifier: Apache-2.0
/// \file
/// Aligned memory, handed to the driver's own table.
#include "host_memory.h"

#include "tensor/error.h"

namespace fovea {

HostMemory::HostMemory(uint32_t bytes) : memory_(std::aligned_alloc(DLA_HOST_MEMORY_ALIGN, bytes), std::free) {
  internal_check(dla_host_memory_open(&space_, memory_.get(), bytes, &hal_) == kDlaOk, "host memory opens");
}

}  // namespace fovea
