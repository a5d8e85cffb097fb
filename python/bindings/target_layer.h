// SPDX-License-Identifier: Apache-2.0
/// \file
/// A layer as a target that is written in Python sees it.
#pragma once

#include "layers/layer.h"

namespace fovea {

struct TargetLayer {
  Layer layer;
  dla_rounding rounding;
};

}  // namespace fovea
