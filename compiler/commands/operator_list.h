// SPDX-License-Identifier: Apache-2.0
/// \file
/// docs/operators.md: the ONNX operators that foveac takes, from its tables.
#pragma once

#include <iosfwd>

namespace fovea {

/// Prints the page: operators (onnx/converters.def) with the kinds of layers that they become part of, and these kinds
/// (layers/layer_kinds.def).
void print_operators(std::ostream& out);

}  // namespace fovea
