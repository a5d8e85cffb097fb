// SPDX-License-Identifier: Apache-2.0
/// \file
/// The signals of the model that a wave viewer opens on, by what is asked of them.
#pragma once

#include <vector>

#include "common/gtkw_file.h"

namespace fovea {

/// `passes`: loops, phases and queue levels; `bus`: bursts. Every name is in a dump (test:
/// testbench/lockstep/wave_windows_test.cpp).
std::vector<WaveView> model_wave_views();

}  // namespace fovea
