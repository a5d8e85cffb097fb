// SPDX-License-Identifier: Apache-2.0
/// \file
/// Networks that are written in whole float32 numbers, as quantized ones.
#pragma once

#include "ir/graph.h"
#include "spec/dla_arith.h"

namespace fovea {

/// clip(floor((conv(x, w) * m + a) / d)), as exporters of integer networks write a layer, is a quantized convolution: x
/// are whole numbers of 8 bits, as they come from such a clip or are dequantized at a scale of 1; w are constants and
/// whole numbers of int8; behind them are steps that keep the order of numbers, with constants, one in all or one a
/// filter, of which one rounds. Values and weights become integers of scale 1, and the steps one scale and bias a
/// filter; a floor before quantize says that it rounds down. Only where the machine then gives the same number for
/// every sum that there can be: m, a and d may be such that no int32 bias does, and then the layer stays as it is. Sums
/// must be within 2^24, so that float32 has them in any order. Run first. \param rounding  Of the network.
Graph quantize_integers(const Graph& graph, dla_rounding rounding);

}  // namespace fovea
