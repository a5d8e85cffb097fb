// SPDX-License-Identifier: Apache-2.0
/// \file
/// A layer's shape as text: "C=64 H=16 W=16 M=192 R=3 S=3 U=1 PAD=1 pool".
#ifndef FOVEA_COMPILER_MAPPING_SHAPE_TEXT_H_
#define FOVEA_COMPILER_MAPPING_SHAPE_TEXT_H_

#include <string>

#include "spec/dla_layer.h"

namespace fovea {

std::string to_text(const dla_shape& shape);

/// Reads what to_text() writes, in any order; U is 1 and PAD 0 where they are missing.
/// \throws std::invalid_argument with one line that names the word and what would work.
dla_shape parse_shape(const std::string& text);

}  // namespace fovea

#endif  // FOVEA_COMPILER_MAPPING_SHAPE_TEXT_H_
