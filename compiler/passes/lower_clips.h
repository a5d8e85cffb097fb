// SPDX-License-Identifier: Apache-2.0
/// \file
/// Turns clips that quantization makes anyway into relu.
#ifndef FOVEA_COMPILER_PASSES_LOWER_CLIPS_H_
#define FOVEA_COMPILER_PASSES_LOWER_CLIPS_H_

#include "ir/graph.h"

namespace fovea {

/// Replaces clip(x, 0, most), such as relu6, by relu(x) where all that reads it is qnn.quantize to uint8 that saturates
/// at `most` or below: q(most) = 255. Other clips stay.
Graph lower_clips(const Graph& graph);

}  // namespace fovea

#endif  // FOVEA_COMPILER_PASSES_LOWER_CLIPS_H_
