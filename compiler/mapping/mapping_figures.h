// SPDX-License-Identifier: Apache-2.0
/// \file
/// What is said of the mappings of a layer, as numbers: what each takes, what bounds the best, and how the others lost.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mapper.h"
#include "spec/machine_json.h"

namespace fovea {

/// What a mapping takes.
struct MappingFigures {
  std::uint32_t rows = 0;  ///< Filter rows a pass.
  std::uint64_t cycles = 0;
  double pe_share = 0;           ///< MACs / (cycles * PEs), 0 to 1.
  std::uint64_t dram_bytes = 0;  ///< Read and written.
  std::uint64_t glb_bytes = 0;   ///< Of all its regions.
  std::uint64_t glb_accesses = 0;
  double energy = 0;  ///< By the machine file's costs: in MACs.
};

MappingFigures figures_of(const MachineFile& machine, const dla_shape& shape, const PlannedMapping& plan);

/// What bounds a mapping, in MACs.
struct Roofline {
  double macs_a_dram_byte = 0;
  double attainable = 0;  ///< A cycle, by the lowest roof.
  std::string binds;      ///< "the PEs bind", "DRAM reads bind", ...
  double predicted = 0;   ///< A cycle.
};

Roofline roofline_of(const dla_machine& machine, const dla_shape& shape, const PlannedMapping& plan);

/// Mappings, or ways to choose a part of one, that had the same fate.
struct MappingFate {
  std::uint64_t count = 0;  ///< Never 0.
  std::string what;         ///< "illegal: ...", "worse by a bound, most of their cycles: products", "priced, ...".
};

/// One step of the search.
struct SearchStep {
  std::string what;  ///< "ways to fill the array (e, p, q, r, t, fold_rows)", ...
  std::vector<MappingFate> fates;
};

/// What became of all mappings, in the order of the search: a mapping is counted where it was decided.
std::vector<SearchStep> fates_of(const dla_machine& machine, const dla_shape& shape, const SearchCensus& census);

}  // namespace fovea
