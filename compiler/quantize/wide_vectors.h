// SPDX-License-Identifier: Apache-2.0
/// \file
/// Loops over many float32 by the widest vectors that the processor has.
#pragma once

/// Before a function: compiled for AVX2 too where the loader chooses between both. Neither fuses a product and a sum,
/// so that all processors give the same bits. \pre The function is in no anonymous namespace.
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define FOVEA_WIDE_VECTORS __attribute__((target_clones("default", "avx2")))
#else
#define FOVEA_WIDE_VECTORS
#endif

namespace fovea {

/// Floats side by side: one register of an x86-64 processor with AVX, two of any other.
using Eight = float __attribute__((vector_size(32)));

}  // namespace fovea
