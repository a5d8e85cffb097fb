// SPDX-License-Identifier: Apache-2.0
/// \file
/// The text form of nests.
///
///     nest softmax(x: input f32[1, 10], y: output f32[1, 10], t0: register f32) {
///       for i0 in 1 {
///         t0 = f32(-inf)
///         for k0 in 10 {
///           t0 = max(t0, x[i0, k0])
///         }
///         ...
///
/// Numbers are `1.5f` of float32, `1.5` of float64, `i64(3)` of int64; 3 is an index. What has two sides is in
/// parentheses, and (x[i] else y) is x[i], or y where i is outside of x.
#pragma once

#include <string>
#include <string_view>

#include "nest.h"

namespace fovea {

std::string to_text(const Nest& nest);

/// Inverse of to_text(), which need not verify. \param file  Name of the text, for messages.
/// \throws UserError "<file>:<line>: <problem>".
Nest parse_nest(std::string_view text, const std::string& file);

}  // namespace fovea
