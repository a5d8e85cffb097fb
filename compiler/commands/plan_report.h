// SPDX-License-Identifier: Apache-2.0
/// \file
/// A residency plan as text.
#pragma once

#include <iosfwd>

#include "targets/dla/network_on_chip.h"

namespace fovea {

/// A row for each step, and the sums; then a row for each tensor on chip, if there are any.
void print_plan(const NetworkOnChip& plan, std::ostream& out);

}  // namespace fovea
