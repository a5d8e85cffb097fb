// SPDX-License-Identifier: Apache-2.0
/// \file
/// What --json prints of a run on the device: the answer, and the layers with all their figures.
#pragma once

#include <string>

#include "device_run.h"
#include "program/host_times.h"

namespace fovea {

/// The JSON object `answer` with a member "device": backend, machine, dram, "conditions", how many "runs" it was of how
/// many "pictures", cycles of all layers, and "layers", an object a layer that has run, with the columns of
/// dla_info.csv. Numbers are numbers; an empty cell is null.
std::string add_device(const std::string& answer, const DeviceRun& run);

/// The JSON object `answer` with members "cpu" and "all": the machine's declared CPU, its cycles, and "layers", of each
/// layer that it ran the name, operation, MACs, bytes moved and cycles; cycles and milliseconds of all layers, the
/// accelerator's and the CPU's, and the CPU's share. Cycles are of the accelerator's clock. In "all" are also the
/// numbers of RunFigures that there are.
std::string add_cpu(const std::string& answer, const DeviceRun& run);

/// The JSON object `answer` with a member "host": "layers", of each layer on the CPU its name and "seconds" on this
/// machine, and "runs", of how many they are the median.
std::string add_host(const std::string& answer, const HostTimes& times);

}  // namespace fovea
