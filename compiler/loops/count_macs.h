// SPDX-License-Identifier: Apache-2.0
/// \file
/// How much a nest multiplies and accumulates.
#pragma once

#include <cstdint>

#include "nest.h"

namespace fovea {

/// Products that the nest adds up: of each store x = x + a * b, how often its loops run it. A condition counts as true.
std::uint64_t count_macs(const Nest& nest);

}  // namespace fovea
