// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a mapped layer costs: predicted cycles and DRAM bytes, from closed formulas in the paper's letters.
#ifndef FOVEA_COMPILER_MAPPING_COST_MODEL_H_
#define FOVEA_COMPILER_MAPPING_COST_MODEL_H_

#include <cstdint>

#include "dla_layer.h"

namespace fovea {

/// Price of a layer.
struct LayerCost {
  std::uint64_t cycles = 0;           ///< From START to DONE, without memory latency.
  std::uint64_t dram_read_bytes = 0;  ///< Whole bus words.
  std::uint64_t dram_write_bytes = 0;
};

/// What of a mapping a pass uses: remainders use less.
struct PassExtent {
  std::uint32_t e;     ///< Output rows.
  std::uint32_t rows;  ///< Filter rows.
  std::uint32_t t, p, r, q;
};

/// Array cycles for one output column of a pass: the PEs' multiplications, or the psums on their network.
std::uint64_t column_cycles(const dla_machine& machine, const dla_shape& shape, const PassExtent& pass);

/// Ifmap words that a pass needs before its first column, or before each column after it.
std::uint64_t first_window_words(const dla_shape& shape, const PassExtent& pass);
std::uint64_t next_window_words(const dla_shape& shape, const PassExtent& pass);

/// Words of the pass's filters and, with `has_bias`, of its biases on the filter network.
std::uint64_t filter_words(const dla_machine& machine, const dla_shape& shape, const PassExtent& pass,
                           std::uint32_t filters, bool has_bias);

/// Price of a layer. \pre dla_check_mapping() found no error.
/// A tile of m filters takes its passes' cycles, or its DRAM words where they take longer. The mapping's GLB plan does
/// not matter, so a mapping can be priced before it is planned.
LayerCost price_mapping(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping);

}  // namespace fovea

#endif  // FOVEA_COMPILER_MAPPING_COST_MODEL_H_
