// SPDX-License-Identifier: Apache-2.0
/// \file
/// Who watches a device: told of its passes and bursts, for logs and traces.
#ifndef FOVEA_SIM_SYSTEMC_DEVICE_OBSERVER_H_
#define FOVEA_SIM_SYSTEMC_DEVICE_OBSERVER_H_

#include <cstdint>

#include "clock.h"

namespace fovea {

/// Changes nothing. Called within a cycle; an end may be told ahead of its cycle.
class DeviceObserver {
 public:
  virtual ~DeviceObserver() = default;

  /// A pass starts. \param index  From 0 in each layer.
  virtual void note_pass(Cycle cycle, uint32_t index) = 0;

  /// A DMA request is accepted.
  virtual void note_request(Cycle cycle, bool is_write, uint32_t addr, uint32_t beats) = 0;

  /// The oldest burst of its direction ends: with its last beat, or its response.
  virtual void note_end(Cycle cycle, bool is_write) = 0;
};

}  // namespace fovea

#endif  // FOVEA_SIM_SYSTEMC_DEVICE_OBSERVER_H_
