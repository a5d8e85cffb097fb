// SPDX-License-Identifier: Apache-2.0
/// \file
/// Who watches a device: told of its transactions, for logs and traces.
#pragma once

#include <cstdint>

#include "clock.h"
#include "common/transaction.h"

namespace fovea {

/// Changes nothing. Called within a cycle; an event may be told ahead of its own.
class DeviceObserver {
 public:
  virtual ~DeviceObserver() = default;

  /// \param number, second  As TransactionLog::note() takes them.
  virtual void note(Cycle cycle, TransactionKind kind, uint32_t number = 0, uint32_t second = 0) = 0;

  /// The layer is dropped: what was told for this cycle and later does not happen, but for the ends of bursts.
  virtual void note_drop(Cycle cycle) = 0;
};

}  // namespace fovea
