// SPDX-License-Identifier: Apache-2.0
/// \file
/// The signals of dla_top that a wave viewer opens on.
#ifndef FOVEA_SIM_RTL_WAVE_GROUPS_H_
#define FOVEA_SIM_RTL_WAVE_GROUPS_H_

#include <vector>

#include "dla_machine.h"
#include "gtkw_file.h"

namespace fovea {

/// AXI channels, sequencer, array control, interrupt. Every name is in a dump (test: testbench/rtl/waves_test.cpp).
std::vector<WaveGroup> wave_groups(const dla_machine& machine);

}  // namespace fovea

#endif  // FOVEA_SIM_RTL_WAVE_GROUPS_H_
