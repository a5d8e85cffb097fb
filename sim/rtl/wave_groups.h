// SPDX-License-Identifier: Apache-2.0
/// \file
/// The signals of dla_top that a wave viewer opens on, by what is asked of them.
#pragma once

#include <vector>

#include "common/gtkw_file.h"
#include "spec/dla_machine.h"

namespace fovea {

/// Save files of a dump. Every name is in it (test: testbench/rtl/waves_test.cpp).
///
///     passes  which pass waits for what: control, sequencer, array control, events of all units
///     bus     register accesses and DRAM bursts, channel by channel
///     pe      one PE, row 0 and column 0, from its operands to its psum
std::vector<WaveView> wave_views(const dla_machine& machine);

}  // namespace fovea
