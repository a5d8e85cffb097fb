// SPDX-License-Identifier: Apache-2.0
/// \file
/// Layers so short that rules hold them back which others hide in layers drawn at random.
#pragma once

#include "bench/device_bench.h"

namespace fovea {

/// Passes of a product each, in which nothing else takes as long as rule 6 of docs/timing.md.
LayerCase short_passes(const dla_machine& machine);

/// Tiles of one output, each done before its residual can be there, which waits for the buffer of the tile before last.
LayerCase short_tiles(const dla_machine& machine);

}  // namespace fovea
