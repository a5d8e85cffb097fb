// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs a network's CPU layers again, to measure them: the device answers at once and computes nothing.
#pragma once

#include <filesystem>

#include "program/host_times.h"
#include "program/network.h"

namespace fovea {

/// Runs the network again on zeros, with its device layers left out, until `times` knows 5 runs or these took a second.
/// Device layers leave in memory what was there, so CPU layers compute on the tensors of the run before. Called when
/// nothing else is to be asked of the device: its memory holds no run's tensors after it.
void repeat_host_layers(LoadedNetwork& network, HostTimes& times);

/// What each layer of a network that was compiled for the CPU takes here, on zeros, likewise.
/// \throws UserError for a folder that is no network.
HostTimes time_on_host(const std::filesystem::path& folder);

}  // namespace fovea
