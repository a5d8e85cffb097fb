// SPDX-License-Identifier: Apache-2.0
/// \file
/// Evens out the channels between layers, so that one scale fits all filters better.
#pragma once

#include "channel_maxima.h"

namespace fovea {

/// Cross-layer equalization. Where a convolution or fully connected layer alone reads what another one makes, through
/// nothing but a ReLU, a leaky one, pools and reshapes that keep channels whole, channel i of the first is divided by
/// s_i = sqrt(r1_i / r2_i), bias included, and multiplied again in the second; r1_i and r2_i are the largest magnitudes
/// of the channel's weights in either. Repeated until nothing changes. The network computes what it did, but for
/// rounding. Weights that several layers share stay. Run after fold_batch_norm.
/// \param maxima  Of Clips that may lie between too: a channel that one cuts is left as it is, and another's s_i is
/// such that it is not cut now either. So the network computes what it did on what they were found on.
Graph equalize_layers(const Graph& graph, const ChannelMaxima& maxima);

}  // namespace fovea
