// SPDX-License-Identifier: Apache-2.0
/// \file
/// Logs every register access and every AXI burst with its cycle, on standard error (DEBUG=1).
#include "bus_log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace fovea {

BusLog::BusLog(const uint64_t& cycle) : cycle_(cycle), logger_(spdlog::get("bus")) {
  if (logger_ == nullptr) {
    logger_ = spdlog::stderr_logger_st("bus");
  }
  logger_->set_pattern("%v");
  logger_->set_level(spdlog::level::debug);
}

void BusLog::log_access(const char* verb, uint32_t offset, uint32_t value, dla_status_t status) {
  logger_->debug("{:>10}  reg {:<5} {:#05x} = {:#010x}{}", cycle_, verb, offset, value,
                 status == kDlaOk        ? ""
                 : status == kDlaTimeout ? "  no answer"
                                         : "  error response");
}

void BusLog::log_burst(const char* verb, uint32_t addr, uint32_t beats) {
  logger_->debug("{:>10}  axi {:<5} {:#010x}  {} beats", cycle_, verb, addr, beats);
}

void BusLog::log_layer(const char* name) { logger_->debug("{:>10}  layer {}", cycle_, name); }

}  // namespace fovea
