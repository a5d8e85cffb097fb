// SPDX-License-Identifier: Apache-2.0
/// \file
/// Moves clips of integers before quantization, and drops what quantization clips anyway.
#pragma once

#include "ir/graph.h"
#include "spec/dla_requant.h"

namespace fovea {

/// A clip or relu of integers, as QLinear operators are followed by, becomes one of the floats that were quantized: of
/// what quantize reads where nothing else reads its integers, else between a dequantize and a quantize of their own.
/// Then a clip or relu vanishes where all that reads it is qnn.quantize to uint8 (through max-pools, reshapes and
/// transposes) that saturates at its ends, q(min) = 0 and q(max) = 255 as `rounding` says; a clip from 0 whose upper
/// end alone is needless, such as relu6, becomes relu. Other clips, behind anything but a relu that is computed with a
/// sum and a function that becomes a table, clip what was quantized without them, behind all that only moves it. Run
/// after settle_signs and before remove_redundant_qdq, which it needs in between as well.
Graph lower_clips(const Graph& graph, dla_rounding rounding);

}  // namespace fovea
