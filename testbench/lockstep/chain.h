// SPDX-License-Identifier: Apache-2.0
/// \file
/// Random chains of layers, each of which reads what others before it have written, and the commands that run them with
/// the tensors between them on chip: layer by layer, or depth first in strips of rows.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bench/random_layer.h"

namespace fovea {

struct ChainTensor {
  uint32_t channels, rows, cols;
};

/// The first tensor is given; layer i makes tensor i + 1 from tensor i.
struct Chain {
  struct Layer {
    LayerCase test;                    ///< Of all rows, with its data.
    std::optional<uint32_t> residual;  ///< Of which tensor.
  };
  std::vector<Layer> layers;
  std::vector<ChainTensor> tensors;
};

/// Two to four layers: convolutions, some of them strided, depthwise ones, pools and sums.
Chain draw_chain(RandomLayers& random);

/// Where a tensor lies: row r is row (turn + r) mod plane_rows of its planes.
struct ChainPlace {
  bool on_chip = false;
  uint32_t addr = 0;  ///< In DRAM, from where the chain's planes there are put: ChainPlan::kGiven or kMade.
  uint32_t plane_rows = 0, turn = 0;
};

/// The commands of a chain.
struct ChainPlan {
  /// Of the first tensor's planes and the last one's, where they are not placed yet.
  static constexpr uint32_t kGiven = 1u << 28, kMade = 1u << 29;

  std::vector<ChainPlace> places;  ///< Of the tensors; the first and the last are in DRAM.
  dla_region kept{};               ///< The banks of those on chip.
  uint32_t staying = 0;            ///< Commands that find their filters on chip.
  std::vector<LayerCase> commands;
};

/// Plans a chain so that of the last tensor `strip_rows` rows are made at a time. Each tensor on chip has as many rows
/// as are still needed, of whole words. Some layers' filters stay from their first strip on. Mappings and places are
/// drawn. \return nothing where they were not found.
std::optional<ChainPlan> plan_chain(const dla_machine& machine, RandomLayers& random, const Chain& chain,
                                    uint32_t strip_rows);

}  // namespace fovea
