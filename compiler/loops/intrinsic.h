// SPDX-License-Identifier: Apache-2.0
/// \file
/// C functions that do a part of a nest. Each is a file, whose first comment is a nest that says what it computes:
///
///     /* nest add4(x: input f32[4], y: output f32[4]) { for i in 4 { y[i] = (x[i] + 1.0f) } } */
///     static void add4(const float *x, int32_t x_0, float *y, int32_t y_0) {
///       for (int i = 0; i < 4; ++i) y[i * y_0] = x[i * x_0] + 1.0f;
///     }
///
/// For each input, output and array of the nest, in order, it takes a pointer, and for each axis how many elements the
/// next one is away. Arrays are read and written; registers that are no arrays are its own.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "nest.h"

namespace fovea {

struct Intrinsic {
  Nest nest;           ///< Of the function's name.
  std::string source;  ///< C.
};

/// \throws UserError that names the file where there is none, or no nest in it, or where two have one name.
std::vector<std::shared_ptr<const Intrinsic>> read_intrinsics(const std::vector<std::filesystem::path>& files);

/// What stands for a buffer of an intrinsic.
struct IntrinsicArgument {
  int buffer = 0;                ///< Of the nest.
  std::vector<Expression> base;  ///< Indices of its first element.
  std::vector<int64_t> strides;
};

/// What the function is called with, buffer by buffer, to do what a statement of the nest does. \throws UserError, in
/// one clause, where the statement is not the intrinsic's but for names, kinds of loops and strides.
std::vector<IntrinsicArgument> arguments_of(const Intrinsic& intrinsic, const Nest& nest, const Statement& statement);

}  // namespace fovea
