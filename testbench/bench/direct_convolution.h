// SPDX-License-Identifier: Apache-2.0
/// \file
/// A convolution layer as a direct loop nest: the answer that the device must give, bit for bit.
#pragma once

#include <cstdint>
#include <vector>

#include "device_bench.h"

namespace fovea {

/// The ofmap, [M, E, F] uint8 after pooling. Shares no arithmetic with sim/spec or the driver: it rounds in double.
std::vector<uint8_t> convolve_directly(const LayerCase& test);

}  // namespace fovea
