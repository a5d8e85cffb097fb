// SPDX-License-Identifier: Apache-2.0
/// \file
/// Nests as C11.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nest.h"

namespace fovea {

/// `static void <name>(const float *restrict x, ..., float *restrict y) { ... }`: a pointer for each buffer that is no
/// register, in order. Needs spec/dla_real.h, spec/dla_requant.h and no C library; integers are not divided by 0.
/// \param name  Of the function, a C identifier.   \pre verify_nest() holds; no buffer is the
/// accelerator's.   \throws UserError where a unit is not what its intrinsic says.
std::string c_function(const Nest& nest, const std::string& name);

/// The C of the intrinsics that a nest calls: before its function, and once in a file however often it is there.
std::string c_intrinsics(const Nest& nest);

/// What is before the function of a nest that has loops of vectors (dla_widest_vectors.h): "DLA_EXACT_PRODUCTS " where
/// products and sums may be fused and it has sums in registers, else "DLA_WIDEST_VECTORS "; "" where it has no vectors,
/// or would compute something else with fused products and sums.
std::string_view vectors_of(const Nest& nest);

/// `static inline void <name>(int32_t i1, int32_t first, int32_t count, const float *restrict x0, ..., float *restrict
/// y)`: of a nest with the loops i0, of one turn, i1 and i2, a turn of i1, and of i2 `count` turns from `first` on. The
/// output holds the elements of these turns alone. \param is_piece  Of each input, whether it does so too.
std::string c_piece_function(const Nest& nest, const std::string& name, const std::vector<bool>& is_piece);

}  // namespace fovea
