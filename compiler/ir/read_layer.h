// SPDX-License-Identifier: Apache-2.0
/// \file
/// One layer read off one composite: what its body computes, in the runtime's terms.
#ifndef FOVEA_COMPILER_IR_READ_LAYER_H_
#define FOVEA_COMPILER_IR_READ_LAYER_H_

#include "composite.h"
#include "graph.h"

namespace fovea {

/// Reads a composite's body. Fills all of a Layer but name, region, input and output. kFlatten and kMaxPool
/// keep their input's quantization, whatever it is, and leave it unset.
///
/// The body is a chain of operators from its one input to its output; function.name says which ("dla." or "cpu." in
/// front):
///   quantize      quantize
///   dequantize    dequantize
///   qconv2d       dequantize, conv2d(., dequantize(w)), bias_add(., dequantize(b))?, relu?, max_pool2d?, quantize;
///   ..._maxpool   the pool there, or behind: dequantize, max_pool2d, quantize with the scale that it had; or on uint8
///   qlinear       as qconv2d, with dense
///   maxpool       dequantize, max_pool2d, quantize with the same scale; or max_pool2d on uint8
///   requantize    dequantize, relu?, quantize
///   flatten       reshape, which may stand between dequantize and quantize of one scale
/// UserError, naming the ONNX node, where scales, zero points or weights are not what the machine computes with.
/// InternalError where the body is another chain.
Layer read_layer(const Function& function);

}  // namespace fovea

#endif  // FOVEA_COMPILER_IR_READ_LAYER_H_
