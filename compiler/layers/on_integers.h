// SPDX-License-Identifier: Apache-2.0
/// \file
/// Patterns that kinds of layers share: quantized operands, and operators between equal scales.
#pragma once

#include "layer_kind.h"
#include "patterns/pattern.h"

namespace fovea {

/// dequantize(any): an activation, captured as `capture`. The dequantize may have other readers.
Pattern activation(const std::string& capture);

/// dequantize(constant): weights or biases, captured as `capture`.
Pattern parameter(const std::string& capture);

/// `name`(`input`, constants ...) on integers, captured as `capture`: as such, or between dequantize and quantize of
/// the same scale and zero point, captured as "<capture> before" and "<capture> after".
Pattern on_integers(const std::string& name, const Pattern& input, const std::string& capture);

/// A function of one activation, captured as "x", element by element: a chain of elementwise operators, captured as
/// "f", whose other operands are constants. As a table it is one for all, or one for each index of an axis.
Pattern function_of_activation();

/// quantize(f(... dequantize(y))) of no more than elementwise operators and constants, captured as "f of y"; the values
/// of `y` as "y of f". One table must do for all: tabulate(). Nothing else may read a value between: what computes `y`
/// would be computed once more.
Pattern function_behind(const Pattern& y);

/// What each of a tensor's 256 values becomes in another that is computed from it alone, by elementwise operators
/// between dequantize and quantize: [1, 256] uint8. Null where a table is not that, or not one for all elements.
std::shared_ptr<const Tensor> tabulate(const Graph& graph, NodeId from, NodeId to);

/// The value that an operator captured by on_integers() reads.
NodeId integers_of(const Match& match, const std::string& capture);

}  // namespace fovea
