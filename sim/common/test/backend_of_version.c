// SPDX-License-Identifier: Apache-2.0
/// \file
/// A backend's library that was built for other programs: it says its version, or nothing. Opening it would end the
/// test.
#include <stdint.h>
#include <stdlib.h>

#ifdef BACKEND_VERSION
const uint32_t fovea_backend_version = BACKEND_VERSION;
#endif

void* fovea_systemc_open(const void* options) {
  (void)options;
  abort();
}
