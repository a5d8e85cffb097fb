// SPDX-License-Identifier: Apache-2.0
/// \file
/// The command of a layer, mapped.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dla_work.h"
#include "layers/layer_kind.h"
#include "mapping/mapper.h"
#include "residency.h"

namespace fovea {

struct DeviceCall {
  std::string name;  ///< The layer's.
  dla_shape shape{};
  PlannedMapping plan;
  bool is_recorded = false;  ///< The mapping is a tuning record's.
  std::string filter;        ///< Name of the filter stream in the weight file.
  LayerResidency where;
  std::uint64_t commands = 1;  ///< Alike, a picture each.
};

/// The call that writes the command and runs it.
CallText device_call_text(const Layer& layer, const DlaWork& work, const DeviceCall& call, const Places& places);

/// Adds the call. Of layers that run depth first each is only defined, and behind the last one called with the others.
void add_calls(const CallText& call, const LayerResidency& where, std::vector<CallText>& calls);

}  // namespace fovea
