// SPDX-License-Identifier: Apache-2.0
/// \file
/// Draws networks, and writes them with ONNX's protobuf API.
#include "planted_network.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include "onnx/model_builder.h"

namespace fovea {
namespace {

int64_t draw(std::mt19937& random, int64_t least, int64_t most) {
  return std::uniform_int_distribution<int64_t>(least, most)(random);
}

/// A power of two at which the sums of a layer fill 8 bits: of `count` products of values and weights of about 40
/// steps.
float scale_for(float x_scale, float w_scale, int64_t count) {
  const double spread = 1600 * std::sqrt(static_cast<double>(count)) * x_scale * w_scale;
  return static_cast<float>(std::exp2(std::ceil(std::log2(3 * spread / 128))));
}

void fill(PlantedConv& conv, std::mt19937& random) {
  for (int64_t i = 0; i < conv.M * conv.C * conv.kernel * conv.kernel; ++i) {
    conv.weights.push_back(draw(random, 8, 80) * (draw(random, 0, 1) == 0 ? 1 : -1));
  }
  for (int64_t m = 0; m < conv.M; ++m) {
    conv.biases.push_back(static_cast<float>(draw(random, -500, 500)) * conv.x_scale * conv.w_scale);
  }
}

/// Convolutions after which faults can be told from what follows: those without a residual.
std::vector<std::size_t> candidates(Fault fault, const PlantedNetwork& network) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < network.convs.size(); ++i) {
    const PlantedConv& conv = network.convs[i];
    if (conv.residual < 0 && (fault != Fault::kPad || conv.kernel == 3)) {
      places.push_back(i);
    }
  }
  return places;
}

/// A scale or a zero point of the layer's own, or of one end of it only.
void plant_scale(PlantedConv& conv, std::mt19937& random) {
  float* scales[] = {&conv.w_scale, &conv.x_scale, &conv.y_scale};
  *scales[draw(random, 0, 2)] *= draw(random, 0, 1) == 0 ? 2.0f : 0.5f;
}

void plant_zero_point(PlantedConv& conv, std::mt19937& random) {
  const int64_t shift = draw(random, 2, 12) * (draw(random, 0, 1) == 0 ? 1 : -1);
  (draw(random, 0, 1) == 0 ? conv.x_zero : conv.y_zero) += shift;
}

/// Writes operators under names of their own.
class Writer {
 public:
  explicit Writer(const PlantedNetwork& network) : model_(network.input_shape, network.input_scale) {
    std::vector<std::string> outputs = {"x_q"};
    for (std::size_t i = 0; i < network.convs.size(); ++i) {
      const PlantedConv& conv = network.convs[i];
      std::string y = convolution("conv" + std::to_string(i), conv, outputs.back());
      if (conv.residual >= 0) {
        const PlantedConv& other = network.convs[static_cast<std::size_t>(conv.residual)];
        y = sum("add" + std::to_string(i), conv, y, other, outputs.at(static_cast<std::size_t>(conv.residual) + 1));
      }
      outputs.push_back(y);
    }
    const PlantedConv& last = network.convs.back();
    const float scale = last.residual >= 0 ? last.sum_scale : last.y_scale;
    model_.output(dequantized("end", outputs.back(), scale, 128));
  }

  void save(const std::filesystem::path& path) {
    std::ofstream file(path, std::ios::binary);
    model_.model().SerializeToOstream(&file);
  }

 private:
  void quantization(const std::string& name, float scale, int64_t zero, onnx::TensorProto_DataType type) {
    model_.floats(name + "_scale", {}, {scale});
    model_.integers(name + "_zero", type, {}, {zero});
  }

  std::string dequantized(const std::string& name, const std::string& x, float scale, int64_t zero,
                          onnx::TensorProto_DataType type = onnx::TensorProto::UINT8) {
    quantization(name, scale, zero, type);
    model_.node("DequantizeLinear", name, {x, name + "_scale", name + "_zero"}, {name + "_y"});
    return name + "_y";
  }

  std::string quantized(const std::string& name, const std::string& x, float scale, int64_t zero) {
    quantization(name, scale, zero, onnx::TensorProto::UINT8);
    model_.node("QuantizeLinear", name, {x, name + "_scale", name + "_zero"}, {name + "_y"});
    return name + "_y";
  }

  std::string convolution(const std::string& name, const PlantedConv& conv, const std::string& x) {
    model_.integers(name + "_w", onnx::TensorProto::INT8, {conv.M, conv.C, conv.kernel, conv.kernel}, conv.weights);
    model_.floats(name + "_b", {conv.M}, conv.biases);
    const std::string from = dequantized(name + "_dq", x, conv.x_scale, conv.x_zero);
    const std::string weights = dequantized(name + "_wdq", name + "_w", conv.w_scale, 0, onnx::TensorProto::INT8);
    onnx::NodeProto& node = model_.node("Conv", name, {from, weights, name + "_b"}, {name + "_y"});
    set_ints(node, "pads", {conv.pads.begin(), conv.pads.end()});
    std::string y = name + "_y";
    if (conv.relu) {
      model_.node("Relu", name + "_relu", {y}, {name + "_relu_y"});
      y = name + "_relu_y";
    }
    if (conv.pool) {
      onnx::NodeProto& pool = model_.node("MaxPool", name + "_pool", {y}, {name + "_pool_y"});
      set_ints(pool, "kernel_shape", {2, 2});
      set_ints(pool, "strides", {2, 2});
      y = name + "_pool_y";
    }
    return quantized(name + "_q", y, conv.y_scale, conv.y_zero);
  }

  std::string sum(const std::string& name, const PlantedConv& conv, const std::string& a, const PlantedConv& other,
                  const std::string& b) {
    const float b_scale = other.residual >= 0 ? other.sum_scale : other.y_scale;
    const std::string x = dequantized(name + "_a", a, conv.y_scale, conv.y_zero);
    const std::string y = dequantized(name + "_b", b, b_scale, 128);
    model_.node("Add", name, {x, y}, {name + "_y"});
    return quantized(name + "_q", name + "_y", conv.sum_scale, 128);
  }

  ModelBuilder model_;
};

}  // namespace

PlantedNetwork draw_planted(std::mt19937& random) {
  PlantedNetwork network;
  int64_t channels = draw(random, 2, 4), rows = draw(random, 12, 18);
  network.input_scale = std::exp2f(static_cast<float>(draw(random, -6, -3)));
  network.input_shape = {1, channels, rows, rows};
  float scale = network.input_scale;
  const auto count = static_cast<int>(draw(random, 4, 6));
  for (int i = 0; i < count; ++i) {
    PlantedConv conv;
    const bool keeps_shape = i > 1 && draw(random, 0, 2) == 0;
    conv.C = channels;
    conv.M = keeps_shape ? channels : draw(random, 3, 8);
    conv.kernel = i == 0 || draw(random, 0, 3) != 0 ? 3 : 1;
    const int64_t pad = conv.kernel / 2;
    conv.pads = {pad, pad, pad, pad};
    conv.x_scale = scale;
    conv.w_scale = std::exp2f(static_cast<float>(draw(random, -9, -6)));
    conv.y_scale = scale_for(scale, conv.w_scale, conv.C * conv.kernel * conv.kernel);
    conv.relu = draw(random, 0, 1) == 0;
    conv.pool = !keeps_shape && rows >= 6 && draw(random, 0, 2) == 0;
    conv.residual = keeps_shape ? i - 1 : -1;
    conv.sum_scale = conv.y_scale * 2;
    fill(conv, random);
    rows = conv.pool ? rows / 2 : rows;
    channels = conv.M;
    scale = keeps_shape ? conv.sum_scale : conv.y_scale;
    network.convs.push_back(conv);
  }
  return network;
}

std::size_t plant(Fault fault, PlantedNetwork& network, std::mt19937& random) {
  const std::vector<std::size_t> places = candidates(fault, network);
  const std::size_t place =
      places.at(static_cast<std::size_t>(draw(random, 0, static_cast<int64_t>(places.size()) - 1)));
  PlantedConv& conv = network.convs[place];
  switch (fault) {
    case Fault::kWeight: {
      int64_t& weight =
          conv.weights[static_cast<std::size_t>(draw(random, 0, static_cast<int64_t>(conv.weights.size()) - 1))];
      weight = -weight;
      break;
    }
    case Fault::kScale:
      plant_scale(conv, random);
      break;
    case Fault::kZeroPoint:
      plant_zero_point(conv, random);
      break;
    case Fault::kPad: {
      const std::size_t axis = draw(random, 0, 1) == 0 ? 0 : 1;
      conv.pads[axis] = 0;
      conv.pads[axis + 2] = 2;
      break;
    }
    case Fault::kRounding:
      break;
  }
  return place;
}

bool plant_rounding(const std::filesystem::path& code, const std::string& layer) {
  std::ifstream file(code);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::string from = "kDlaNearestEven";
  const std::size_t call = text.find(".name = \"" + layer + "\""), end = text.find("}));", call);
  const std::size_t place = text.find(from, call);
  if (call == std::string::npos || place == std::string::npos || place > end) {
    return false;
  }
  text.replace(place, from.size(), "kDlaFloor");
  std::ofstream(code) << text;
  return true;
}

std::vector<float> draw_input(const PlantedNetwork& network, std::mt19937& random) {
  const std::vector<int64_t>& shape = network.input_shape;
  std::normal_distribution<float> steps(0, 40);
  std::vector<float> input(static_cast<std::size_t>(shape[1] * shape[2] * shape[3]));
  std::ranges::generate(input, [&] { return steps(random) * network.input_scale; });
  return input;
}

void write_planted(const PlantedNetwork& network, const std::filesystem::path& path) { Writer(network).save(path); }

}  // namespace fovea
