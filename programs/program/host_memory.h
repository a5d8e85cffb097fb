// SPDX-License-Identifier: Apache-2.0
/// \file
/// Memory of this process as a device's, for networks on the CPU.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>

#include "hal/dla_host_memory.h"

namespace fovea {

/// A hardware abstraction without a device behind it: only memory, which lives as long as this.
class HostMemory {
 public:
  /// \param bytes  A multiple of DLA_HOST_MEMORY_ALIGN.
  explicit HostMemory(uint32_t bytes);
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  const dla_hal_t& hal() const { return hal_; }

 private:
  std::unique_ptr<void, decltype(&std::free)> memory_;
  dla_host_memory space_{};
  dla_hal_t hal_{};
};

}  // namespace fovea
