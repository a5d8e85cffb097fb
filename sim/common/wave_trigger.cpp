// SPDX-License-Identifier: Apache-2.0
/// \file
/// The event that opens a window of waves.
#include "wave_trigger.h"

#include <algorithm>
#include <cstdlib>

#include "backend.h"

namespace fovea {

WaveTrigger::WaveTrigger(const std::string& text, uint32_t bus_bytes) : bus_bytes_(bus_bytes) {
  const size_t equals = text.find('=');
  const std::string name = text.substr(0, equals), number = equals == std::string::npos ? "" : text.substr(equals + 1);
  char* end = nullptr;
  value_ = std::strtoull(number.c_str(), &end, 0);
  const bool is_number = !number.empty() && number[0] >= '0' && number[0] <= '9' && *end == '\0';
  if (text == "error") {
    kind_ = Kind::kAnyError;
  } else if (name == "stall" && is_number) {
    kind_ = Kind::kStall;
  } else if (name == "error" && is_number) {
    kind_ = Kind::kError;
  } else if (name == "write" && is_number) {
    kind_ = Kind::kWrite;
  } else {
    throw BackendError("trigger " + text + ": unknown; choose stall=CYCLES, error, error=CAUSE or write=ADDRESS");
  }
}

bool WaveTrigger::matches(const Transaction& event) const {
  switch (event.kind) {
    case TransactionKind::kLayerEnd:
      return (kind_ == Kind::kAnyError && event.number != 0) || (kind_ == Kind::kError && event.number == value_);
    case TransactionKind::kRegisterWrite:
      return kind_ == Kind::kWrite && event.number == value_;
    case TransactionKind::kWriteRequest:
      return kind_ == Kind::kWrite && value_ >= event.number &&
             value_ - event.number < uint64_t{event.second} * bus_bytes_;
    default:
      return false;
  }
}

void WaveTrigger::note(const Transaction& event) {
  if (event.kind == TransactionKind::kPassEnd) {
    idle_from_ = event.cycle + 1;
  } else if (event.kind == TransactionKind::kPassStart || event.kind == TransactionKind::kLayerEnd) {
    settle(event.cycle);
    idle_from_ = kNever;
  }
  if (fired_ == kNever && event.cycle >= armed_from_ && matches(event)) {
    fired_ = event.cycle;
  }
}

uint64_t WaveTrigger::fires_in() const {
  const bool may_stall = kind_ == Kind::kStall && idle_from_ != kNever && armed_from_ != kNever;
  return fired_ != kNever ? fired_ : may_stall ? std::max(idle_from_ + value_, armed_from_) : kNever;
}

void WaveTrigger::settle(uint64_t cycle) {
  if (fires_in() <= cycle) {
    fired_ = fires_in();
  }
}

}  // namespace fovea
