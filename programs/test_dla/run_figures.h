// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a run comes to: rates, and what the machine file makes of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/dla_info_csv.h"
#include "program/network_summary.h"

namespace fovea {

/// An operation is half a MAC. Without a value: what the machine file says nothing for.
struct RunFigures {
  double frames_per_second = 0;         ///< One after another, all layers.
  double gops = 0;                      ///< Operations in a ns, of all layers.
  std::optional<double> energy_pj;      ///< Of the accelerator's layers and their DRAM, of all frames.
  std::optional<double> gops_per_watt;  ///< Operations in a nJ, of the accelerator's layers.
  std::optional<double> tops_per_mm2;   ///< Operations in a ps on a square millimetre, of all layers.
  std::optional<double> area_mm2;
};

/// \param frames  How many the layers are of.
RunFigures figures_of(const std::vector<LayerInfo>& layers, const MachineFile& machine, const NetworkSummary& summary,
                      std::size_t frames);

/// A line a figure for a person, with where energy and density are from.
std::string figures_text(const RunFigures& figures, const MachineFile& machine);

}  // namespace fovea
