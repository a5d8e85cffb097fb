// SPDX-License-Identifier: Apache-2.0
/// \file
/// Writes the numbers of a quantized network into its graph.
#pragma once

#include "quantized_network.h"

namespace fovea {

/// The network in QDQ form: float operators, each between qnn.dequantize of what it reads and qnn.quantize of what it
/// gives; weights int8 and biases int32 behind qnn.dequantize. A value is quantized once, however many read it. A ReLU
/// or clip that its quantize makes needless is left out. Inputs and outputs are float32 and keep their names.
Graph insert_quantization(const QuantizedNetwork& network);

}  // namespace fovea
