// SPDX-License-Identifier: Apache-2.0
/// \file
/// Writes a chain of ResNet-18's convolutions at 224x224, without its additions, as an ONNX network in QDQ form:
/// write_resnet18 OUTPUT.onnx. What it computes means nothing; it is for measuring the compiler.
#include <iostream>
#include <random>

#include "quantized_model.h"

namespace {

using namespace fovea;

std::string add_layer(QuantizedModel& model, const std::string& name, const dla_shape& s, std::mt19937& source,
                      const std::string& from) {
  std::vector<int8_t> filter(size_t{s.M} * s.C * s.R * s.S);
  for (int8_t& w : filter) {
    w = static_cast<int8_t>(static_cast<int>(source() % 129) - 64);
  }
  return model.convolve(name, s, 1, 11, filter, std::vector<int32_t>(s.M, 1000), from);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::cerr << "usage: write_resnet18 OUTPUT.onnx\n";
    return 2;
  }
  QuantizedModel model({1, 3, 224, 224});
  std::mt19937 source(18);
  std::string value = add_layer(model, "conv1", {3, 224, 224, 64, 7, 7, 2, 2, 3, 3, 3, 3, false, false, false}, source,
                                model.dequantize("x_q"));
  value = model.pool("conv1_pool", value, 1);
  uint32_t channels = 64, size = 56;
  for (const uint32_t filters : {64u, 128u, 256u, 512u}) {
    for (int i = 1; i <= 4; ++i) {
      const uint32_t stride = filters != channels ? 2 : 1;
      const std::string name = "conv" + std::to_string(filters) + "_" + std::to_string(i);
      value =
          add_layer(model, name, {channels, size, size, filters, 3, 3, stride, stride, 1, 1, 1, 1, false, false, false},
                    source, value);
      channels = filters;
      size /= stride;
    }
  }
  model.output(value);
  model.write(argv[1]);
  return 0;
} catch (const std::exception& error) {
  std::cerr << "write_resnet18: " << error.what() << "\n";
  return 1;
}
