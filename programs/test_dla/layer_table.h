// SPDX-License-Identifier: Apache-2.0
/// \file
/// The table of layers that test_dla prints: cycles, utilization, causes and DRAM bytes.
#pragma once

#include <ostream>
#include <vector>

#include "common/dla_info_csv.h"
#include "program/host_times.h"
#include "run_figures.h"

namespace fovea {

/// A line a layer, summed over all its runs, and one for all layers. The shares of causes below 0.1 % are left out.
/// Where the CPU runs layers, a line each for all of the accelerator's and all of the CPU's, and which CPU it is. Below
/// them what the run comes to; of batches, first what each picture takes. \param batch  Pictures at once, of so many.
void print_layer_table(std::ostream& out, const std::vector<LayerInfo>& layers, const MachineFile& machine,
                       const RunFigures& figures, std::size_t batch, std::size_t pictures);

/// What layers took on this computer's CPU, a line each in their order, and all of them.
void print_host_table(std::ostream& out, const HostTimes& times);

}  // namespace fovea
