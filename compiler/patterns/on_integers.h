// SPDX-License-Identifier: Apache-2.0
/// \file
/// Patterns that the families share: quantized operands, and operators between equal scales.
#ifndef FOVEA_COMPILER_PATTERNS_ON_INTEGERS_H_
#define FOVEA_COMPILER_PATTERNS_ON_INTEGERS_H_

#include "families.h"
#include "pattern.h"

namespace fovea {

/// dequantize(any): an activation. The dequantize may have other readers.
Pattern activation();

/// dequantize(constant): weights or biases.
Pattern parameter();

/// `name`(`input`, constants ...) on integers, captured as `capture`: as such, or between dequantize and quantize of
/// the same scale and zero point.
Pattern on_integers(const std::string& name, const Pattern& input, const std::string& capture);

/// "dla.qconv2d" with what the epilogue adds: "_relu", "_maxpool".
std::string composite_name(const std::string& stem, Epilogue epilogue);

}  // namespace fovea

#endif  // FOVEA_COMPILER_PATTERNS_ON_INTEGERS_H_
