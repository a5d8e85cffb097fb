// SPDX-License-Identifier: Apache-2.0
/// \file
/// Puts the pictures of a batch under each other where that saves moves or commands.
#pragma once

#include "layer.h"

namespace fovea {

/// Lets a tensor of N pictures [N, C, H, W] lie as [C, N, H, W] where only commands of the accelerator write and read
/// it: in each channel's plane, the pictures are under each other. So lie
/// - what an index map brings into that order or out of it, which is no call then;
/// - what commands write and read that may then compute all pictures at once: convolutions without padding whose
///   windows share no row, as those by 1x1 filters. Filters are read once by such a command.
/// Says so in the layers. \pre each has its target.
void stack_pictures(Network& network);

}  // namespace fovea
