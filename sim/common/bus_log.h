// SPDX-License-Identifier: Apache-2.0
/// \file
/// Logs every register access and every AXI burst with its cycle, on standard error (DEBUG=1).
#pragma once

#include <cstdint>
#include <memory>

#include "hal/dla_hal.h"

namespace spdlog {
class logger;
}

namespace fovea {

/// One line an event. Where logging is off there is no BusLog.
class BusLog {
 public:
  /// \param cycle  The backend's own count, read at each event; outlives the log.
  explicit BusLog(const uint64_t& cycle);

  /// A register access that has ended with `status`; `verb` is "read" or "write".
  void log_access(const char* verb, uint32_t offset, uint32_t value, dla_status_t status);

  /// A request that was accepted.
  void log_burst(const char* verb, uint32_t addr, uint32_t beats);

  /// A layer that is about to be started.
  void log_layer(const char* name);

 private:
  const uint64_t& cycle_;
  std::shared_ptr<spdlog::logger> logger_;
};

}  // namespace fovea
