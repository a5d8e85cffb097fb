// SPDX-License-Identifier: Apache-2.0
/// \file
/// Layers read off composites: every form a body may have, every number that the machine can't compute with.
#include "composite.h"

#include <gtest/gtest.h>

#include "error.h"
#include "text.h"

namespace fovea {
namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from << " is not in\n" << text;
  return place == std::string::npos ? text : text.replace(place, from.size(), to);
}

/// A network quantize -> composite -> dequantize around a body from %q to `result`.
/// \param shape  Of the picture, and \param output  of the composite's value, such as "(1, 2, 4, 4)".
std::string network(const std::string& composite, const std::string& shape, const std::string& output,
                    const std::string& body, const std::string& result) {
  return "fn (%x: Tensor[" + shape + ", float32] from \"input\") {\n" +
         "%q = composite dla.quantize(%x) [target=cpu, reason=\"floats\"] : Tensor[" + shape +
         ", uint8] from \"quantize\" {\n" +
         "%q0 = qnn.quantize(%x, 0.03125f, 128u8, axis=1) from \"/quant/QuantizeLinear\"\n return %q0\n}\n" +
         "%y = composite " + composite + "(%q) [target=dla] : Tensor[" + output + ", uint8] from \"conv\" {\n" + body +
         "return " + result + "\n}\n" + "%z = composite dla.dequantize(%y) [target=cpu, reason=\"floats\"] : Tensor[" +
         output + ", float32] from \"dq\" {\n" +
         "%z0 = qnn.dequantize(%y, 0.125f, 10u8, axis=1) from \"/dequant/DequantizeLinear\"\n return %z0\n}\n" +
         "return %z\n}\n";
}

const std::string kConvBody =
    "%a = qnn.dequantize(%q, 0.03125f, 128u8, axis=1) from \"a/DequantizeLinear\"\n"
    "%wq = constant [1, -2, 3, -4] : Tensor[(2, 2, 1, 1), int8] from \"w\"\n"
    "%w = qnn.dequantize(%wq, 0.25f, 0i8, axis=1) from \"w/DequantizeLinear\"\n"
    "%c = nn.conv2d(%a, %w, strides=[2, 2], pads=[1, 1, 1, 1], dilations=[1, 1], groups=1) from \"/net/conv1/Conv\"\n"
    "%bq = constant [100, -200] : Tensor[(2,), int32] from \"b\"\n"
    "%b = qnn.dequantize(%bq, 0.0078125f, 0i32, axis=1) from \"b/DequantizeLinear\"\n"
    "%s = nn.bias_add(%c, %b, axis=1) from \"/net/conv1/Conv\"\n"
    "%r = nn.relu(%s) from \"relu\"\n"
    "%o = qnn.quantize(%r, 0.125f, 10u8, axis=1) from \"o/QuantizeLinear\"\n";

const std::string kPool =
    "nn.max_pool2d(%i, kernel=[2, 2], strides=[2, 2], pads=[0, 0, 0, 0], dilations=[1, 1], ceil_mode=0) from "
    "\"pool\"\n";

std::string conv_network() { return network("dla.qconv2d_relu", "(1, 2, 6, 6)", "(1, 2, 4, 4)", kConvBody, "%o"); }

Network collect(const std::string& text) { return collect_layers(parse_graph(text, "test"), "net"); }

std::string collect_error(const std::string& text) {
  try {
    collect(text);
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(CompositeTest, ReadsAConvolution) {
  const Network network = collect(conv_network());
  ASSERT_EQ(network.layers.size(), 3U);
  const Layer& layer = network.layers[1];
  EXPECT_EQ(layer.kind, LayerKind::kQconv2d);
  EXPECT_EQ(layer.composite, "qconv2d_relu");
  EXPECT_EQ(layer.name, "conv1");
  EXPECT_EQ(layer.onnx_name, "/net/conv1/Conv");
  EXPECT_EQ(layer.target, Target::kDla);
  EXPECT_EQ(layer.input_quant, (Quantization{-5, 128}));
  EXPECT_EQ(layer.output_quant, (Quantization{-3, 10}));
  EXPECT_EQ(layer.shift, 4);
  EXPECT_TRUE(layer.relu);
  EXPECT_FALSE(layer.pool);
  EXPECT_EQ(layer.window, (Window{{1, 1}, {2, 2}, {1, 1}, {1, 1, 1, 1}}));
  EXPECT_EQ(*layer.weight, Tensor::of<int8_t>({2, 2, 1, 1}, {1, -2, 3, -4}));
  EXPECT_EQ(*layer.bias, Tensor::of<int32_t>({2}, {100, -200}));
}

TEST(CompositeTest, ChainsLayersByTheirTensors) {
  const Network network = collect(conv_network());
  EXPECT_EQ(network.name, "net");
  ASSERT_EQ(network.tensors.size(), 4U);
  EXPECT_EQ(network.tensors[network.input].name, "input");
  EXPECT_EQ(network.tensors[network.output].name, "dequantize");
  EXPECT_EQ(network.tensors[2].type, (TensorType{{1, 2, 4, 4}, ElementType::kUint8}));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(network.layers[i].input, i);
    EXPECT_EQ(network.layers[i].output, i + 1);
  }
  EXPECT_EQ(network.layers[0].output_quant, (Quantization{-5, 128}));
  EXPECT_EQ(network.layers[0].reason, "floats");
  EXPECT_EQ(network.layers[2].input_quant, (Quantization{-3, 10}));
}

TEST(CompositeTest, DeviceShapeIsOneGroup) {
  Network network = collect(conv_network());
  Layer& layer = network.layers[1];
  layer.groups = 2;
  const dla_shape shape = device_shape(network, layer);
  EXPECT_EQ(shape.C, 2U);
  EXPECT_EQ(shape.H, 6U);
  EXPECT_EQ(shape.W, 6U);
  EXPECT_EQ(shape.M, 1U);
  EXPECT_EQ(shape.R, 1U);
  EXPECT_EQ(shape.S, 1U);
  EXPECT_EQ(shape.U, 2U);
  EXPECT_EQ(shape.PAD, 1U);
  EXPECT_FALSE(shape.pool);
}

TEST(CompositeTest, NoBiasIsZeros) {
  std::string text = replaced(conv_network(), "%s = nn.bias_add(%c, %b, axis=1) from \"/net/conv1/Conv\"\n", "");
  text = replaced(text, "nn.relu(%s)", "nn.relu(%c)");
  EXPECT_EQ(*collect(text).layers[1].bias, Tensor::of<int32_t>({2}, {0, 0}));
}

TEST(CompositeTest, PoolBeforeQuantization) {
  const std::string body =
      replaced(kConvBody, "%o = qnn.quantize(%r,", "%p = " + replaced(kPool, "%i", "%r") + "%o = qnn.quantize(%p,");
  const Layer layer =
      collect(network("dla.qconv2d_relu_maxpool", "(1, 2, 6, 6)", "(1, 2, 2, 2)", body, "%o")).layers[1];
  EXPECT_TRUE(layer.pool);
  EXPECT_EQ(layer.shift, 4);
}

TEST(CompositeTest, PoolBehindQuantization) {
  const std::string behind = "%d = qnn.dequantize(%o, 0.125f, 10u8, axis=1)\n%p = " + replaced(kPool, "%i", "%d") +
                             "%e = qnn.quantize(%p, 0.125f, 10u8, axis=1)\n";
  const auto pooled = [](const std::string& tail, const std::string& result) {
    return collect(network("dla.qconv2d_relu_maxpool", "(1, 2, 6, 6)", "(1, 2, 2, 2)", kConvBody + tail, result))
        .layers[1];
  };
  EXPECT_TRUE(pooled(behind, "%e").pool);
  EXPECT_TRUE(pooled("%p = " + replaced(kPool, "%i", "%o"), "%p").pool);
  EXPECT_THROW(pooled(replaced(behind, "%p, 0.125f", "%p, 0.25f"), "%e"), InternalError);
}

TEST(CompositeTest, ABodyThatIsNotWhatItsNameSays) {
  EXPECT_THROW(collect(replaced(conv_network(), "dla.qconv2d_relu", "dla.qconv2d")), InternalError);
  EXPECT_THROW(collect(replaced(conv_network(), "dla.qconv2d_relu", "dla.qlinear_relu")), InternalError);
  EXPECT_THROW(collect(replaced(conv_network(), "dla.qconv2d_relu", "dla.softmax")), InternalError);
}

TEST(CompositeTest, MaxPoolAndFlattenKeepTheirInputsQuantization) {
  const std::string pool = "%o = " + replaced(kPool, "%i", "%q");
  const Layer layer = collect(network("cpu.maxpool", "(1, 2, 6, 6)", "(1, 2, 3, 3)", pool, "%o")).layers[1];
  EXPECT_EQ(layer.kind, LayerKind::kMaxPool);
  EXPECT_EQ(layer.window, (Window{{2, 2}, {2, 2}, {1, 1}, {0, 0, 0, 0}}));
  EXPECT_EQ(layer.output_quant, (Quantization{-5, 128}));
  const std::string reshape = "%o = reshape(%q, newshape=[1, 72])\n";
  EXPECT_EQ(collect(network("dla.flatten", "(1, 2, 6, 6)", "(1, 72)", reshape, "%o")).layers[1].input_quant,
            (Quantization{-5, 128}));
}

TEST(CompositeTest, RequantizeShiftsBothWays) {
  const std::string body =
      "%a = qnn.dequantize(%q, 0.03125f, 128u8, axis=1)\n%o = qnn.quantize(%a, 0.125f, 10u8, axis=1)\n";
  const auto shift = [](const std::string& text) {
    return collect(network("cpu.requantize", "(1, 8)", "(1, 8)", text, "%o")).layers[1].shift;
  };
  EXPECT_EQ(shift(body), 2);
  EXPECT_EQ(shift(replaced(body, "0.125f", "0.0078125f")), -2);
}

TEST(CompositeTest, ReadsAFullyConnectedLayer) {
  const std::string body =
      "%a = qnn.dequantize(%q, 0.03125f, 128u8, axis=1)\n"
      "%wq = constant [1, -2, 3, -4] : Tensor[(2, 2), int8]\n"
      "%w = qnn.dequantize(%wq, 0.25f, 0i8, axis=1)\n"
      "%c = nn.dense(%a, %w) from \"fc6\"\n"
      "%o = qnn.quantize(%c, 0.125f, 10u8, axis=1)\n";
  const Layer layer = collect(network("dla.qlinear", "(1, 2)", "(1, 2)", body, "%o")).layers[1];
  EXPECT_EQ(layer.kind, LayerKind::kQlinear);
  EXPECT_EQ(layer.name, "fc6");
  EXPECT_EQ(layer.weight->type().shape, (Shape{2, 2}));
}

TEST(CompositeErrorTest, ScaleThatIsNoPowerOfTwo) {
  EXPECT_EQ(
      collect_error(replaced(conv_network(), "%r, 0.125f", "%r, 0.1f")),
      "o/QuantizeLinear: the scale 0.1 is not a power of two; quantize with power-of-two scales (the nearest is 2^-3 "
      "= 0.125)");
  EXPECT_EQ(
      collect_error(replaced(conv_network(), "%wq, 0.25f", "%wq, 0.3f")),
      "w/DequantizeLinear: the scale 0.3 is not a power of two; quantize with power-of-two scales (the nearest is 2^-2 "
      "= 0.25)");
}

TEST(CompositeErrorTest, ScaleThatIsNotPositive) {
  EXPECT_EQ(collect_error(replaced(conv_network(), "%r, 0.125f", "%r, -0.125f")),
            "o/QuantizeLinear: the scale -0.125 is no positive number");
}

TEST(CompositeErrorTest, ZeroPointOfWeights) {
  EXPECT_EQ(
      collect_error(replaced(conv_network(), "%wq, 0.25f, 0i8", "%wq, 0.25f, 3i8")),
      "w/DequantizeLinear: the zero point 3 of weights is not supported; quantize weights symmetrically, with zero "
      "point 0");
}

TEST(CompositeErrorTest, ZeroPointOfBiases) {
  EXPECT_EQ(collect_error(replaced(conv_network(), "0.0078125f, 0i32", "0.0078125f, 1i32")),
            "b/DequantizeLinear: the zero point 1 of biases is not supported; quantize biases symmetrically, with zero "
            "point 0");
}

TEST(CompositeErrorTest, Int8Activations) {
  std::string text = replaced(conv_network(), "%r, 0.125f, 10u8", "%r, 0.125f, 10i8");
  text = replaced(text, "4, 4), uint8]", "4, 4), int8]");
  text = replaced(text, "%y, 0.125f, 10u8", "%y, 0.125f, 10i8");
  EXPECT_EQ(collect_error(text), "o/QuantizeLinear: activations must be uint8, not int8");
}

TEST(CompositeErrorTest, ScalePerChannel) {
  std::string text = replaced(conv_network(), "%w = qnn.dequantize(%wq, 0.25f, 0i8, axis=1)",
                              "%ws = constant [0.25, 0.5] : Tensor[(2,), float32]\n"
                              "%wz = constant [0, 0] : Tensor[(2,), int8]\n"
                              "%w = qnn.dequantize(%wq, %ws, %wz, axis=0)");
  EXPECT_EQ(collect_error(text),
            "w/DequantizeLinear: has 2 scales, one a channel; quantize per tensor, with one power-of-two scale");
  EXPECT_EQ(collect_error(replaced(text, "[0.25, 0.5]", "[0.25, 0.25]")), "no error");
}

TEST(CompositeErrorTest, BiasScale) {
  EXPECT_EQ(collect_error(replaced(conv_network(), "0.0078125f", "0.015625f")),
            "b/DequantizeLinear: the bias's scale is 2^-6; it must be input scale times weight scale, 2^-7");
}

TEST(CompositeErrorTest, ShiftOutOfRange) {
  EXPECT_EQ(
      collect_error(replaced(conv_network(), "%r, 0.125f", "%r, 0.00390625f")),
      "/net/conv1/Conv: its scales ask for a right shift of -1 bits; 0 to 31 work (log2 of output scale / (input scale "
      "* weight scale))");
}

TEST(CompositeErrorTest, OverflowIsRefusedOneTooFar) {
  // Filter 1 has |3| + |-4| = 7 in weights: 7 * 255 = 1785.
  EXPECT_EQ(collect_error(replaced(conv_network(), "-200", "-2147481862")), "no error");
  EXPECT_EQ(
      collect_error(replaced(conv_network(), "-200", "-2147481863")),
      "/net/conv1/Conv: filter 1 could reach 2147483648 and overflow int32; smaller weights or biases, below 2^31 in "
      "sum|w| * 255 + |b|, work");
}

TEST(CompositeErrorTest, OperatorThatNothingComputes) {
  EXPECT_EQ(collect_error("fn (%x: Tensor[(1, 4), float32] from \"input\") {\n"
                          "%y = add(%x, %x) from \"/block/Add\"\n return %y\n}\n"),
            "/block/Add: add is in no pattern that the accelerator or the CPU computes; quantized convolutions, fully "
            "connected layers, pools and rescalings between DequantizeLinear and QuantizeLinear work");
}

TEST(CompositeErrorTest, IntegerInput) {
  EXPECT_EQ(
      collect_error("fn (%x: Tensor[(1, 4), uint8] from \"input\") {\n return %x\n}\n"),
      "input: the network's input and output must be float32, not uint8; keep the first QuantizeLinear and the last "
      "DequantizeLinear in the model");
}

TEST(CompositeErrorTest, TwoInputs) {
  EXPECT_EQ(collect_error(
                "fn (%x: Tensor[(1,), float32] from \"a\", %y: Tensor[(1,), float32] from \"b\") {\n return %x\n}\n"),
            "net: has 2 inputs and 1 outputs; a network with one of each works");
}

}  // namespace
}  // namespace fovea
