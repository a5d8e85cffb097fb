// SPDX-License-Identifier: Apache-2.0
/// \file
/// The fusions, a function a row of the table; one file a family.
#ifndef FOVEA_COMPILER_PATTERNS_FAMILIES_H_
#define FOVEA_COMPILER_PATTERNS_FAMILIES_H_

#include "fusion.h"

namespace fovea {

/// What follows the multiplication in a row of the table.
struct Epilogue {
  bool relu = false, pool = false;
};

/// quantize(maxpool?(relu?(bias_add?(conv2d(dequantize(x), dequantize(w)), dequantize(b))))), the pool before or after
/// quantize. File: qconv2d.cpp.
Fusion qconv2d(Epilogue epilogue);

/// quantize(relu?(bias_add?(dense(dequantize(x), dequantize(w)), dequantize(b)))). File: qlinear.cpp.
Fusion qlinear(Epilogue epilogue);

/// A max-pool that follows no convolution, on integers. File: max_pool.cpp.
Fusion max_pool();

/// From one scale to another, flat, from and to float32. File: conversions.cpp.
Fusion requantize(Epilogue epilogue);
Fusion flatten();
Fusion quantize();
Fusion dequantize();

}  // namespace fovea

#endif  // FOVEA_COMPILER_PATTERNS_FAMILIES_H_
