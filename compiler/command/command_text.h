// SPDX-License-Identifier: Apache-2.0
/// \file
/// The parts of a layer command as words, and as C.
#pragma once

#include <string>

#include "spec/dla_command.h"

namespace fovea {

/// "C=64 H=16 W=16 M=192 R=3 S=3 U=1 PAD=1 pool"; strides that differ are "U=2 V=1", pads
/// "pad_top=0 pad_left=0 pad_bottom=1 pad_right=1".
std::string to_text(const dla_shape& shape);

/// "m=32 e=8 p=4 q=3 r=1 t=2 e_glb=32 resident buffers=8".
std::string to_text(const dla_mapping& mapping);

/// Reads what to_text() writes, in any order. U and PAD are for all strides and pads that are not given on their own;
/// where they are missing too, strides are 1 and pads 0. \throws std::invalid_argument with one line that names the
/// word and what would work.
dla_shape parse_shape(const std::string& text);

/// The initializer of a member: ".shape = {.C = 64, .H = 16, ...}". A line has nine fields at most; the next begins
/// under the first field, where the initializer itself stands six columns in.
std::string c_initializer(const dla_shape& shape);
std::string c_initializer(const dla_mapping& mapping);
std::string c_initializer(const dla_glb_plan& glb);
std::string c_initializer(const dla_quant& quant);

}  // namespace fovea
