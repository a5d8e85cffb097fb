// SPDX-License-Identifier: Apache-2.0
/// \file
/// The table of device layers that test_dla prints: cycles, utilization, causes and DRAM bytes.
#ifndef FOVEA_PROGRAMS_TEST_DLA_LAYER_TABLE_H_
#define FOVEA_PROGRAMS_TEST_DLA_LAYER_TABLE_H_

#include <ostream>
#include <vector>

#include "common/dla_info_csv.h"

namespace fovea {

/// A line a layer, summed over all its runs, and one for all layers. The shares of causes below 0.1 % are left out.
void print_layer_table(std::ostream& out, const std::vector<LayerInfo>& layers, const dla_machine& machine);

}  // namespace fovea

#endif  // FOVEA_PROGRAMS_TEST_DLA_LAYER_TABLE_H_
