// SPDX-License-Identifier: Apache-2.0
/// \file
/// What each backend's library says of itself before anything of it is called; fovea_backend_library() adds it.
#include "hal/dla_hal.h"

__attribute__((visibility("default"))) const uint32_t fovea_backend_version = DLA_BACKEND_VERSION;
