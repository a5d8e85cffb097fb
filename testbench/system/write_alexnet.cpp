// SPDX-License-Identifier: Apache-2.0
/// \file
/// Writes AlexNet's convolutions as an ONNX network in QDQ form: write_alexnet OUTPUT.onnx.
#include <iostream>

#include "alexnet.h"
#include "quantized_model.h"

int main(int argc, char** argv) try {
  using namespace fovea;
  if (argc != 2) {
    std::cerr << "usage: write_alexnet OUTPUT.onnx\n";
    return 2;
  }
  QuantizedModel model({1, 3, 227, 227});
  std::string value = model.dequantize("x_q");
  for (const AlexNetLayer& layer : kAlexNet) {
    const AlexNetWeights weights = draw_weights(layer);
    value = model.convolve(layer.name, layer.shape, layer.groups, layer.shift, weights.filter, weights.bias, value);
    value = layer.pools_after ? model.pool(std::string(layer.name) + "_pool", value) : value;
  }
  model.output(value);
  model.write(argv[1]);
  return 0;
} catch (const std::exception& error) {
  std::cerr << "write_alexnet: " << error.what() << "\n";
  return 1;
}
