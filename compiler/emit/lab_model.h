// SPDX-License-Identifier: Apache-2.0
/// \file
/// model.c in the lab's form: positional calls of driver/runtime/runtime.h, a malloc a tensor.
#pragma once

#include <cstdint>
#include <string>

#include "lab_weights.h"
#include "layers/layer.h"
#include "spec/dla_layer.h"

namespace fovea {

struct LabModel {
  std::string c_text;  ///< C11, and C++ as the lab's makefile compiles it.
  LabWeights weights;
  uint64_t peak_bytes = 0, all_bytes = 0;  ///< Of the buffers: at once at most, and together.
};

/// Writes a network down. \throws UserError naming the layer where the lab's runtime has no call for it, or can't run
/// it on `machine` with any mapping that its calls have arguments for.
LabModel write_lab_model(const Network& network, const dla_machine& machine);

}  // namespace fovea
