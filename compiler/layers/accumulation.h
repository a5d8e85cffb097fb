// SPDX-License-Identifier: Apache-2.0
/// \file
/// What convolutions and fully connected layers have in common: bias, relu and requantization behind a multiplication.
#ifndef FOVEA_COMPILER_LAYERS_ACCUMULATION_H_
#define FOVEA_COMPILER_LAYERS_ACCUMULATION_H_

#include "layer_kind.h"

namespace fovea {

/// relu?(bias_add?(`name`(dequantize(x), dequantize(w)), dequantize(b))), captured as name, "x", "w", "bias", "b",
/// "relu".
Pattern accumulate(const std::string& name, bool relu);

/// Reads a match of accumulate() and of the quantize behind it, captured as "y". \param call  The multiplication.
/// UserError where scales, zero points or weights are not what the runtime computes with, or an accumulator could
/// overflow int32.
Accumulation read_accumulation(const Match& match, const Node& call);

/// ".quant = {.shift = 7, ...}" of a runtime call.
std::string quant_field(const Accumulation& sum, dla_rounding rounding);

/// "filter" and "bias".
std::vector<HostConstant> constants_of(const Accumulation& sum);

/// Checks a right shift. UserError naming the call where it is not `least` to 31.
void check_shift(const Node& call, int shift, int least);

}  // namespace fovea

#endif  // FOVEA_COMPILER_LAYERS_ACCUMULATION_H_
