// SPDX-License-Identifier: Apache-2.0
/// \file
/// Layers that the host computes in loops of their own, written from what they are defined as; and the formulas that
/// definitions of 8-bit layers have in common.
#pragma once

#include <string>
#include <vector>

#include "layer_kind.h"
#include "ops/definition.h"

namespace fovea {

/// A definition of one activation as loops, for LayerKind::host_loops. \param constants  Its other inputs.
LoopNest loops_of(const Layer& layer, const Definition& definition, const std::vector<HostConstant>& constants = {});

/// The call of a layer's loops, and the constants that it reads.
CallText loops_call(const Layer& layer, const LoopNest& loops, const Places& places);
std::vector<HostConstant> loop_constants(const LoopNest& loops);

/// What the layer reads on the host beside its inputs, whether kernel or loops compute it.
std::vector<HostConstant> host_constants_of(const Layer& layer, dla_rounding rounding);

/// x, a real number, as an integer between `least` and `most`: `least` for what is not a number.
Expression rounded(const Expression& x, dla_rounding rounding, int64_t least, int64_t most);

/// f32(sx * (x - zx)) of an element x.
Expression dequantized(const Expression& x, const Quantization& by);

}  // namespace fovea
