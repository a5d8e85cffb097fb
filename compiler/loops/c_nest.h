// SPDX-License-Identifier: Apache-2.0
/// \file
/// Nests as C11.
#ifndef FOVEA_COMPILER_LOOPS_C_NEST_H_
#define FOVEA_COMPILER_LOOPS_C_NEST_H_

#include <string>

#include "nest.h"

namespace fovea {

/// `static void <name>(const float *restrict x, ..., float *restrict y) { ... }`: a pointer for each buffer that is no
/// register, in order. Needs spec/dla_real.h and no C library; integers are not divided by 0.
/// \param name  Of the function, a C identifier.   \pre verify_nest() holds; no buffer is the
/// accelerator's.
std::string c_function(const Nest& nest, const std::string& name);

}  // namespace fovea

#endif  // FOVEA_COMPILER_LOOPS_C_NEST_H_
