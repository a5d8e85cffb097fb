// SPDX-License-Identifier: Apache-2.0
/// \file
/// Code generation as the AI-on-Chip lab's: for its runtime, driver/runtime/runtime.h.
#pragma once

#include <filesystem>

#include "emit.h"

namespace fovea {

/// Writes model.c, weight.c, weight.h and weight.bin into the folder, together: the network with floor rounding, as one
/// `int model_on_DLA(float*, float*)` and `void load_weight(char*)`. \throws UserError as write_lab_model(), or where
/// the folder can't be written.
EmitReport emit_lab(const Network& network, const dla_machine& machine, const std::filesystem::path& folder);

}  // namespace fovea
