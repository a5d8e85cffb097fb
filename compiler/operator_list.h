// SPDX-License-Identifier: Apache-2.0
/// \file
/// docs/operators.md: the ONNX operators that foveac takes, from its tables.
#ifndef FOVEA_COMPILER_OPERATOR_LIST_H_
#define FOVEA_COMPILER_OPERATOR_LIST_H_

#include <iosfwd>

namespace fovea {

/// Prints the page: operators (onnx/converters.def) with the kinds of layers that they become part of, and these kinds
/// (layers/layer_kinds.def).
void print_operators(std::ostream& out);

}  // namespace fovea

#endif  // FOVEA_COMPILER_OPERATOR_LIST_H_
