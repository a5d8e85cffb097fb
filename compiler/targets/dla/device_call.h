// SPDX-License-Identifier: Apache-2.0
/// \file
/// One command of a layer, mapped: its only one, or one group of a grouped convolution.
#ifndef FOVEA_COMPILER_TARGETS_DLA_DEVICE_CALL_H_
#define FOVEA_COMPILER_TARGETS_DLA_DEVICE_CALL_H_

#include <cstdint>
#include <string>

#include "layers/layer_kind.h"
#include "mapping/mapper.h"

namespace fovea {

struct DeviceCall {
  std::string name;  ///< The layer's, or "conv2_group1" where it has several groups: a row of the CSV, a tensor.
  dla_shape shape{};
  PlannedMapping plan;
  bool is_recorded = false;                      ///< The mapping is a tuning record's.
  std::string filter;                            ///< Name of the filter stream in the weight file.
  std::uint64_t ifmap_skip = 0, ofmap_skip = 0;  ///< Bytes of the groups before it.
};

/// The call that writes the command and runs it.
CallText device_call_text(const Layer& layer, const Accumulation& sum, const DeviceCall& call, const Places& places);

}  // namespace fovea

#endif  // FOVEA_COMPILER_TARGETS_DLA_DEVICE_CALL_H_
