// SPDX-License-Identifier: Apache-2.0
/// \file
/// Layers read off composites: every form a body may have, every number that the runtime can't compute with.
#include "collect_layers.h"

#include <gtest/gtest.h>

#include <set>

#include "ir/text.h"
#include "layer_kind.h"
#include "tensor/error.h"

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
         "%q = composite cpu.quantize(%x) [target=cpu, reason=\"floats\"] : Tensor[" + shape +
         ", uint8] from \"quantize\" {\n" +
         "%q0 = qnn.quantize(%x, 0.03125f, 128u8, axis=1) from \"/quant/QuantizeLinear\"\n return %q0\n}\n" +
         "%y = composite " + composite + "(%q) [target=dla] : Tensor[" + output + ", uint8] from \"conv\" {\n" + body +
         "return " + result + "\n}\n" + "%z = composite cpu.dequantize(%y) [target=cpu, reason=\"floats\"] : Tensor[" +
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

const Accumulation& sum_of(const Layer& layer) { return *accumulation_of(layer); }

uint32_t shift_of(const Layer& layer) { return shift_of(sum_of(layer)).value(); }

Quantization uint8(float scale, int64_t zero_point) { return per_tensor(ElementType::kUint8, scale, zero_point); }

TEST(LayerKinds, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const LayerKind& kind : layer_kinds()) {
    for (const Fusion& fusion : kind.fusions) {
      EXPECT_TRUE(names.insert(fusion.composite).second) << fusion.composite;
      EXPECT_EQ(fusion.composite.substr(4, kind.name.size()), kind.name);
    }
  }
}

TEST(CollectLayers, ReadsAConvolution) {
  const Network network = collect(conv_network());
  ASSERT_EQ(network.layers.size(), 3U);
  const Layer& layer = network.layers[1];
  EXPECT_EQ(layer.kind->name, "qconv2d");
  EXPECT_EQ(layer.composite, "qconv2d_relu");
  EXPECT_EQ(layer.name, "conv1");
  EXPECT_EQ(layer.onnx_name, "/net/conv1/Conv");
  EXPECT_EQ(layer.target, "dla");
  const auto& conv = std::get<Qconv2d>(layer.body);
  EXPECT_EQ(conv.sum.x, uint8(0x1p-5F, 128));
  EXPECT_EQ(conv.sum.y, uint8(0x1p-3F, 10));
  EXPECT_EQ(shift_of(layer), 4);
  EXPECT_TRUE(conv.sum.relu);
  EXPECT_FALSE(conv.pool);
  EXPECT_EQ(conv.window, (Window{{1, 1}, {2, 2}, {1, 1}, {1, 1, 1, 1}}));
  EXPECT_EQ(*conv.sum.weight, Tensor::of<int8_t>({2, 2, 1, 1}, {1, -2, 3, -4}));
  EXPECT_EQ(*conv.sum.bias, Tensor::of<int32_t>({2}, {100, -200}));
}

TEST(CollectLayers, JoinsLayersByTheirTensors) {
  const Network network = collect(conv_network());
  EXPECT_EQ(network.name, "net");
  ASSERT_EQ(network.tensors.size(), 4U);
  ASSERT_EQ(network.inputs.size(), 1U);
  ASSERT_EQ(network.outputs.size(), 1U);
  EXPECT_EQ(network.tensors[network.inputs[0].tensor].name, "input");
  EXPECT_EQ(network.tensors[network.outputs[0].tensor].name, "dequantize");
  EXPECT_EQ(network.tensors[2].type, (TensorType{{1, 2, 4, 4}, ElementType::kUint8}));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(network.layers[i].inputs, std::vector<TensorId>{i});
    EXPECT_EQ(network.layers[i].output, i + 1);
  }
  EXPECT_EQ(std::get<Quantize>(network.layers[0].body).y, uint8(0x1p-5F, 128));
  EXPECT_EQ(network.layers[0].reason, "floats");
  EXPECT_EQ(std::get<Dequantize>(network.layers[2].body).x, uint8(0x1p-3F, 10));
}

TEST(CollectLayers, OneValueUnderTwoNamesIsWrittenTwice) {
  const Network network = collect(replaced(conv_network(), "return %z\n}\n", "return %z \"one\", %z \"two\"\n}\n"));
  ASSERT_EQ(network.layers.size(), 4U);
  EXPECT_EQ(network.layers[3].inputs, network.layers[2].inputs);
  EXPECT_NE(network.layers[3].name, network.layers[2].name);
  ASSERT_EQ(network.outputs.size(), 2U);
  EXPECT_EQ(network.outputs[0].tensor, network.layers[2].output);
  EXPECT_EQ(network.outputs[1].tensor, network.layers[3].output);
  EXPECT_EQ(network.outputs[1].name, "two");
}

TEST(CollectLayers, NoBiasIsZeros) {
  std::string text = replaced(conv_network(), "%s = nn.bias_add(%c, %b, axis=1) from \"/net/conv1/Conv\"\n", "");
  text = replaced(text, "%bq = constant [100, -200] : Tensor[(2,), int32] from \"b\"\n", "");
  text = replaced(text, "%b = qnn.dequantize(%bq, 0.0078125f, 0i32, axis=1) from \"b/DequantizeLinear\"\n", "");
  text = replaced(text, "nn.relu(%s)", "nn.relu(%c)");
  EXPECT_EQ(*sum_of(collect(text).layers[1]).bias, Tensor::of<int32_t>({2}, {0, 0}));
}

TEST(CollectLayers, PoolBeforeQuantization) {
  const std::string body =
      replaced(kConvBody, "%o = qnn.quantize(%r,", "%p = " + replaced(kPool, "%i", "%r") + "%o = qnn.quantize(%p,");
  const Layer layer =
      collect(network("dla.qconv2d_relu_maxpool", "(1, 2, 6, 6)", "(1, 2, 2, 2)", body, "%o")).layers[1];
  EXPECT_TRUE(std::get<Qconv2d>(layer.body).pool);
  EXPECT_EQ(shift_of(layer), 4);
}

TEST(CollectLayers, PoolBehindQuantization) {
  const std::string behind = "%d = qnn.dequantize(%o, 0.125f, 10u8, axis=1)\n%p = " + replaced(kPool, "%i", "%d") +
                             "%e = qnn.quantize(%p, 0.125f, 10u8, axis=1)\n";
  const auto pooled = [](const std::string& tail, const std::string& result) {
    const Layer layer =
        collect(network("dla.qconv2d_relu_maxpool", "(1, 2, 6, 6)", "(1, 2, 2, 2)", kConvBody + tail, result))
            .layers[1];
    return std::get<Qconv2d>(layer.body).pool;
  };
  EXPECT_TRUE(pooled(behind, "%e"));
  EXPECT_TRUE(pooled("%p = " + replaced(kPool, "%i", "%o"), "%p"));
  EXPECT_THROW(pooled(replaced(behind, "%p, 0.125f", "%p, 0.25f"), "%e"), UserError);
}

/// What ceil_mode says is in the padding; so are only rows and columns that a window reaches.
TEST(CollectLayers, PoolIsOfWholeWindows) {
  const auto pool_of = [](const std::string& attributes, const std::string& shape) {
    const std::string tail = "%p = nn.max_pool2d(%o, " + attributes + ")\n";
    return std::get<Qconv2d>(collect(network("dla.qconv2d_relu_maxpool", "(1, 2, 6, 6)", shape, kConvBody + tail, "%p"))
                                 .layers[1]
                                 .body)
        .pool;
  };
  const auto window = [](int64_t size, std::array<int64_t, 4> pads) {
    return Window{{size, size}, {3, 3}, {1, 1}, pads};
  };
  EXPECT_EQ(pool_of("kernel=[3, 3], strides=[3, 3], pads=[1, 0, 1, 0], dilations=[1, 1], ceil_mode=1", "(1, 2, 2, 2)"),
            window(3, {1, 0, 1, 2}));
  EXPECT_EQ(pool_of("kernel=[3, 3], strides=[3, 3], pads=[1, 0, 1, 0], dilations=[1, 1], ceil_mode=0", "(1, 2, 2, 1)"),
            window(3, {1, 0, 1, 0}));
}

TEST(CollectLayers, ABodyThatIsNotWhatItsNameSays) {
  EXPECT_EQ(collect_error(replaced(conv_network(), "dla.qconv2d_relu", "dla.qconv2d")),
            "dla.qconv2d: its body is not what dla.qconv2d computes");
  EXPECT_EQ(collect_error(replaced(conv_network(), "dla.qconv2d_relu", "dla.qlinear_relu")),
            "dla.qlinear_relu: its body is not what dla.qlinear_relu computes");
  EXPECT_EQ(collect_error(replaced(conv_network(), "dla.qconv2d_relu", "dla.softmax")),
            "dla.softmax: there is no composite of that name");
}

TEST(CollectLayers, MaxPoolAndFlattenWorkOnIntegers) {
  const std::string pool = "%o = " + replaced(kPool, "%i", "%q");
  const Layer layer = collect(network("dla.maxpool", "(1, 2, 6, 6)", "(1, 2, 3, 3)", pool, "%o")).layers[1];
  EXPECT_EQ(std::get<MaxPool>(layer.body).window, (Window{{2, 2}, {2, 2}, {1, 1}, {0, 0, 0, 0}}));
  const std::string reshape = "%o = reshape(%q, newshape=[1, 72])\n";
  EXPECT_TRUE(collect(network("dla.flatten", "(1, 2, 6, 6)", "(1, 72)", reshape, "%o")).layers[1].is_view());
}

TEST(CollectLayers, RequantizesByATable) {
  const std::string body =
      "%a = qnn.dequantize(%q, 0.03125f, 128u8, axis=1)\n%o = qnn.quantize(%a, 0.125f, 10u8, axis=1)\n";
  const auto entry = [](const std::string& text, std::size_t byte, dla_rounding rounding) {
    const Layer layer = collect(network("cpu.requantize", "(1, 8)", "(1, 8)", text, "%o")).layers[1];
    return int{layer.kind->host_constants(layer, rounding).at(0).tensor->values<uint8_t>()[byte]};
  };
  EXPECT_EQ(entry(body, 130, kDlaNearestEven), 10) << "half a step, to even";
  EXPECT_EQ(entry(body, 134, kDlaNearestEven), 12) << "a step and a half";
  EXPECT_EQ(entry(body, 134, kDlaFloor), 11);
  EXPECT_EQ(entry(body, 126, kDlaFloor), 9) << "below";
  EXPECT_EQ(entry(replaced(body, "0.125f", "0.0078125f"), 130, kDlaNearestEven), 18) << "to finer steps";
}

TEST(CollectLayers, ReadsAFullyConnectedLayer) {
  const std::string body =
      "%a = qnn.dequantize(%q, 0.03125f, 128u8, axis=1)\n"
      "%wq = constant [1, -2, 3, -4] : Tensor[(2, 2), int8]\n"
      "%w = qnn.dequantize(%wq, 0.25f, 0i8, axis=1)\n"
      "%c = nn.dense(%a, %w) from \"fc6\"\n"
      "%o = qnn.quantize(%c, 0.125f, 10u8, axis=1)\n";
  const Layer layer = collect(network("dla.qlinear", "(1, 2)", "(1, 2)", body, "%o")).layers[1];
  EXPECT_EQ(layer.kind->name, "qlinear");
  EXPECT_EQ(layer.name, "fc6");
  EXPECT_EQ(std::get<Qlinear>(layer.body).sum.weight->type().shape, (Shape{2, 2}));
}

/// Two inputs, quantized; `value` is computed from %p and %q, and given as float32.
std::string two_inputs(const std::string& value, const std::string& type) {
  return "fn (%x: Tensor[(1, 2, 2), float32] from \"a\", %y: Tensor[(1, 2, 2), float32] from \"b\") {\n"
         "%p = composite cpu.quantize(%x) {\n%p0 = qnn.quantize(%x, 0.5f, 7u8, axis=1)\n return %p0\n}\n"
         "%q = composite cpu.quantize(%y) {\n%q0 = qnn.quantize(%y, 0.25f, 9u8, axis=1)\n return %q0\n}\n" +
         value + "%z = composite cpu.dequantize(%s) {\n%z0 = qnn.dequantize(%s, 1f, 3u8, axis=1) : " + type +
         "\n return %z0\n}\n%w = composite cpu.dequantize(%p) {\n%w0 = qnn.dequantize(%p, 0.5f, 7u8, axis=1)\n return "
         "%w0\n}\nreturn %z \"sum\", %w\n}\n";
}

TEST(CollectLayers, ASumReadsItsOperandsInTheirOrder) {
  const auto sum = [](const std::string& a, const std::string& b) {
    const std::string first =
        a == "q" ? "qnn.dequantize(%q, 0.25f, 9u8, axis=1)" : "qnn.dequantize(%p, 0.5f, 7u8, axis=1)";
    const std::string second =
        b == "q" ? "qnn.dequantize(%q, 0.25f, 9u8, axis=1)" : "qnn.dequantize(%p, 0.5f, 7u8, axis=1)";
    const std::string arguments = a == b ? "%" + a : "%p, %q";
    return collect(two_inputs("%s = composite dla.qadd(" + arguments + ") {\n%a = " + first + "\n%b = " + second +
                                  "\n%c = add(%a, %b)\n%s0 = qnn.quantize(%c, 1f, 3u8, axis=1)\n return %s0\n}\n",
                              "Tensor[(1, 2, 2), float32]"));
  };
  const Network network = sum("q", "p");
  ASSERT_EQ(network.layers.size(), 5U);
  EXPECT_EQ(network.layers[2].inputs, (std::vector<TensorId>{3, 2}));
  const auto& add = std::get<Qbinary>(network.layers[2].body);
  EXPECT_EQ(add.op, kDlaAdd);
  EXPECT_EQ(add.a.quantization, uint8(0.25F, 9));
  EXPECT_EQ(add.b.quantization, uint8(0.5F, 7));
  EXPECT_EQ(add.y, uint8(1, 3));
  EXPECT_EQ(sum("p", "q").layers[2].inputs, (std::vector<TensorId>{2, 3}));
  EXPECT_EQ(sum("q", "q").layers[2].inputs, (std::vector<TensorId>{3, 3}));
  ASSERT_EQ(network.outputs.size(), 2U);
  EXPECT_EQ(network.outputs[0].name, "sum");
  EXPECT_EQ(network.outputs[1].name, "dequantize_2") << "the layer's, where the network gives no name";
  EXPECT_EQ(network.outputs[1].tensor, network.layers[4].output);
}

TEST(CollectLayers, AJoinHasAnyNumberOfOperands) {
  const Network network =
      collect(two_inputs("%s = composite dla.qconcat(%p, %q) {\n%a = qnn.dequantize(%p, 0.5f, 7u8, axis=1)\n"
                         "%b = qnn.dequantize(%q, 0.25f, 9u8, axis=1)\n%c = concatenate(%a, %b, %a, axis=-2)\n"
                         "%s0 = qnn.quantize(%c, 1f, 3u8, axis=1)\n return %s0\n}\n",
                         "Tensor[(1, 6, 2), float32]"));
  const auto& join = std::get<Qconcat>(network.layers[2].body);
  EXPECT_EQ(join.axis, 1U);
  EXPECT_EQ(join.xs, (std::vector<Quantization>{uint8(0.5F, 7), uint8(0.25F, 9), uint8(0.5F, 7)}));
  EXPECT_EQ(network.layers[2].inputs, (std::vector<TensorId>{2, 3, 2}));
}

/// conv_network() with the weights dequantized along `axis`.
std::string with_scale_per_channel(const std::string& scales, const std::string& axis) {
  return replaced(conv_network(), "%w = qnn.dequantize(%wq, 0.25f, 0i8, axis=1)",
                  "%ws = constant [" + scales + "] : Tensor[(2,), float32]\n" +
                      "%wz = constant [0, 0] : Tensor[(2,), int8]\n%w = qnn.dequantize(%wq, %ws, %wz, axis=" + axis +
                      ")");
}

std::vector<float> scales_of(const Layer& layer) {
  std::vector<float> scales;
  for (const dla_requantization& filter : requantizations_of(sum_of(layer), kDlaNearestEven)) {
    scales.push_back(filter.scale);
  }
  return scales;
}

const Tensor& bias_of(const std::string& text) {
  static std::shared_ptr<const Tensor> bias;
  bias = sum_of(collect(text).layers[1]).bias;
  return *bias;
}

TEST(CollectLayers, AnyScaleIsOneOfALayer) {
  const std::string text = replaced(replaced(conv_network(), "%wq, 0.25f", "%wq, 0.3f"), "0.0078125f", "0.009375f");
  const Network network = collect(replaced(text, "%r, 0.125f", "%r, 0.1f"));
  EXPECT_EQ(shift_of(sum_of(network.layers[1])), std::nullopt);
  EXPECT_EQ(scales_of(network.layers[1]), std::vector<float>{0.03125F * 0.3F / 0.1F});
  EXPECT_FALSE(network.layers[1].kind->is_at_shifts(network.layers[1]));
  EXPECT_TRUE(network.layers[0].kind->is_at_shifts(network.layers[0]));
}

TEST(CollectLayers, PowersOfTwoThatAskForAShiftToTheLeftAreAScale) {
  const Network network = collect(replaced(conv_network(), "%r, 0.125f", "%r, 0.00390625f"));
  EXPECT_EQ(shift_of(sum_of(network.layers[1])), std::nullopt);
  EXPECT_EQ(scales_of(network.layers[1]), std::vector<float>{2});
}

TEST(CollectLayers, FiltersHaveScalesOfTheirOwn) {
  std::string text = with_scale_per_channel("0.25, 0.5", "0");
  text = replaced(text, "%b = qnn.dequantize(%bq, 0.0078125f, 0i32, axis=1)",
                  "%bs = constant [0.0078125, 0.015625] : Tensor[(2,), float32]\n"
                  "%bz = constant [0, 0] : Tensor[(2,), int32]\n%b = qnn.dequantize(%bq, %bs, %bz, axis=0)");
  const Network network = collect(text);
  EXPECT_EQ(shift_of(sum_of(network.layers[1])), std::nullopt);
  EXPECT_EQ(scales_of(network.layers[1]), (std::vector<float>{0.0625F, 0.125F}));
  EXPECT_EQ(*sum_of(network.layers[1]).bias, Tensor::of<int32_t>({2}, {100, -200}));
  EXPECT_EQ(shift_of(collect(with_scale_per_channel("0.25, 0.25", "0")).layers[1]), 4U) << "equal ones are one";
}

TEST(CollectLayers, BiasesAreConvertedWhereThatIsExact) {
  EXPECT_EQ(bias_of(replaced(conv_network(), "0.0078125f", "0.015625f")), Tensor::of<int32_t>({2}, {200, -400}));
  EXPECT_EQ(bias_of(replaced(conv_network(), "0.0078125f", "0.001953125f")), Tensor::of<int32_t>({2}, {25, -50}));
  EXPECT_EQ(bias_of(replaced(conv_network(), "0.0078125f", "0.0234375f")), Tensor::of<int32_t>({2}, {300, -600}));
  EXPECT_EQ(bias_of(with_scale_per_channel("0.25, 0.5", "0")), Tensor::of<int32_t>({2}, {100, -100}));
  EXPECT_EQ(bias_of(replaced(replaced(conv_network(), "[100, -200]", "[0, 0]"), "0.0078125f", "0.1f")),
            Tensor::of<int32_t>({2}, {0, 0}));
}

TEST(CollectLayers, FloatBiasesAreRoundedToTheScaleOfTheProducts) {
  const std::string floats =
      replaced(conv_network(), "%b = qnn.dequantize(%bq, 0.0078125f, 0i32, axis=1) from \"b/DequantizeLinear\"",
               "%b = constant [0.01171875, -1.566] : Tensor[(2,), float32] from \"bias\"");
  EXPECT_EQ(bias_of(floats), Tensor::of<int32_t>({2}, {2, -200})) << "1.5 and -200.4 steps";
  EXPECT_EQ(bias_of(replaced(floats, "-1.566", "-1.55859375")), Tensor::of<int32_t>({2}, {2, -200})) << "-199.5";
  for (const std::string beyond : {"1e9", "-1e9", "16777216", "-16777216", "nan"}) {
    EXPECT_EQ(bias_of(replaced(floats, "-1.566", beyond)), Tensor::of<int32_t>({2}, {2, INT32_MIN})) << beyond;
  }
  EXPECT_EQ(bias_of(replaced(floats, "-1.566", "16777215")), Tensor::of<int32_t>({2}, {2, 2147483520}));
}

TEST(CollectLayers, BiasesOfFewerBitsAreConvertedToo) {
  const std::string bytes =
      replaced(replaced(conv_network(), "[100, -200] : Tensor[(2,), int32]", "[100, 27] : Tensor[(2,), int8]"),
               "0.0078125f, 0i32", "0.015625f, -100i8");
  EXPECT_EQ(bias_of(bytes), Tensor::of<int32_t>({2}, {400, 254}));
}

TEST(CollectLayers, BiasesAreAnyInt32) {
  EXPECT_EQ(bias_of(replaced(conv_network(), "-200", "-2147483648")), Tensor::of<int32_t>({2}, {100, INT32_MIN}));
  EXPECT_EQ(bias_of(replaced(conv_network(), "-200", "2147483647")), Tensor::of<int32_t>({2}, {100, INT32_MAX}));
}

TEST(CollectLayersError, ScaleThatIsNotPositive) {
  EXPECT_EQ(collect_error(replaced(conv_network(), "%r, 0.125f", "%r, -0.125f")),
            "o/QuantizeLinear: the scale -0.125 is no positive finite number");
  EXPECT_EQ(collect_error(replaced(conv_network(), "%wq, 0.25f", "%wq, 0f")),
            "w/DequantizeLinear: the scale 0 is no positive finite number");
  EXPECT_EQ(collect_error(replaced(conv_network(), "%q, 0.03125f", "%q, inff")),
            "a/DequantizeLinear: the scale inf is no positive finite number");
  EXPECT_EQ(collect_error(replaced(conv_network(), "%r, 0.125f", "%r, nanf")),
            "o/QuantizeLinear: the scale nan is no positive finite number");
  EXPECT_EQ(collect_error(with_scale_per_channel("0.25, -1", "0")),
            "w/DequantizeLinear: the scale -1 is no positive finite number");
}

TEST(CollectLayersError, ScalesTooFarApart) {
  const std::string text = replaced(conv_network(), "0.0078125f", "1e30f");
  EXPECT_EQ(
      collect_error(replaced(replaced(text, "%wq, 0.25f", "%wq, 3.2e31f"), "%r, 0.125f", "%r, 1e-10f")),
      "/net/conv1/Conv: its scales are too far apart: 0.03125 * 3.2e+31 / 1e-10 (input * weight / output) must be "
      "below 3.4e38, and input * weight too");
}

/// %p and %q, at the scales 0.5 and 0.25, quantized to `scale`.
std::string combined(const std::string& op, const std::string& composite, const std::string& scale) {
  return two_inputs("%s = composite " + composite + "(%p, %q) {\n%a = qnn.dequantize(%p, 0.5f, 7u8, axis=1)\n" +
                        "%b = qnn.dequantize(%q, 0.25f, 9u8, axis=1)\n%c = " + op + "(%a, %b) from \"joined\"\n" +
                        "%s0 = qnn.quantize(%c, " + scale + "f, 3u8, axis=1)\n return %s0\n}\n",
                    "Tensor[(1, 2, 2), float32]");
}

TEST(CollectLayersError, ScalesTooFarApartOfTwoOperands) {
  EXPECT_EQ(collect_error(combined("add", "dla.qadd", "1e-36")),
            "joined: an input's scale is more than 2^117 times its output's; scales nearer to each other work");
  EXPECT_EQ(
      collect_error(combined("multiply", "cpu.qmul", "1e-40")),
      "joined: its inputs' scales, multiplied and divided by its output's, are beyond float32; smaller ones work");
}

TEST(CollectLayersError, ZeroPointOfBiases) {
  EXPECT_EQ(collect_error(replaced(conv_network(), "0.0078125f, 0i32", "0.0078125f, 1i32")),
            "b/DequantizeLinear: the zero point 1 of int32 biases is not supported; quantize them symmetrically, with "
            "zero point 0");
}

TEST(CollectLayersError, Int8Activations) {
  std::string text = replaced(conv_network(), "%r, 0.125f, 10u8", "%r, 0.125f, 10i8");
  text = replaced(text, "4, 4), uint8]", "4, 4), int8]");
  text = replaced(text, "%y, 0.125f, 10u8", "%y, 0.125f, 10i8");
  EXPECT_EQ(collect_error(text), "o/QuantizeLinear: activations must be uint8, not int8");
}

TEST(CollectLayersError, ScalePerChannel) {
  EXPECT_EQ(collect_error(replaced(conv_network(), "%o = qnn.quantize(%r, 0.125f, 10u8, axis=1)",
                                   "%os = constant [0.25, 0.5] : Tensor[(2,), float32]\n"
                                   "%oz = constant [0, 0] : Tensor[(2,), uint8]\n"
                                   "%o = qnn.quantize(%r, %os, %oz, axis=1)")),
            "o/QuantizeLinear: has 2 scales, one a channel; activations quantized per tensor, with one scale, work");
}

TEST(CollectLayersError, BiasScale) {
  EXPECT_EQ(collect_error(replaced(conv_network(), "0.0078125f", "0.001f")),
            "b/DequantizeLinear: the bias of filter 0, 100 at the scale 0.001, is no int32 at the scale 0.0078125; "
            "biases at input scale times weight scale work, or --exact-to ort");
  EXPECT_EQ(collect_error(replaced(conv_network(), "0.0078125f", "1e30f")),
            "b/DequantizeLinear: the bias of filter 0, 100 at the scale 1e+30, is no int32 at the scale 0.0078125; "
            "biases at input scale times weight scale work, or --exact-to ort");
  const std::string twice = replaced(conv_network(), "-200", "1073741824");
  EXPECT_EQ(collect_error(replaced(twice, "0.0078125f", "0.015625f")),
            "b/DequantizeLinear: the bias of filter 1, 1073741824 at the scale 0.015625, is no int32 at the scale "
            "0.0078125; biases at input scale times weight scale work, or --exact-to ort");
}

TEST(CollectLayersError, OperatorThatNothingComputes) {
  EXPECT_EQ(collect_error("fn (%x: Tensor[(1, 4), float32] from \"input\") {\n"
                          "%y = add(%x, %x) from \"/block/Add\"\n return %y\n}\n"),
            "/block/Add: no layer computes it on float32 (1, 4); between DequantizeLinear and QuantizeLinear, or on "
            "float32, it works");
}

TEST(CollectLayersError, IntegerInput) {
  EXPECT_EQ(collect_error("fn (%x: Tensor[(1, 4), uint8] from \"input\") {\n return %x\n}\n"),
            "input: a network's inputs and outputs are float32, not uint8; a cast there, or what quantizes, works");
}

TEST(CollectLayersError, ShapesThatTheRuntimeHasNot) {
  const auto flattened_to = [](const std::string& shape, const std::string& newshape) {
    return collect_error(network("dla.flatten", "(1, 2, 6, 6)", shape,
                                 "%o = reshape(%q, newshape=" + newshape + ") from \"/net/Reshape\"\n", "%o"));
  };
  const std::string advice = "; up to 8 dimensions, and behind a batch of 1 too, work";
  EXPECT_EQ(flattened_to("(72,)", "[72]"), "no error");
  EXPECT_EQ(flattened_to("(2, 3, 2, 6)", "[2, 3, 2, 6]"), "no error");
  EXPECT_EQ(flattened_to("(1, 2, 3, 2, 3, 2, 1, 1, 1)", "[1, 2, 3, 2, 3, 2, 1, 1, 1]"), "no error");
  EXPECT_EQ(flattened_to("(2, 3, 2, 3, 2, 1, 1, 1, 1)", "[2, 3, 2, 3, 2, 1, 1, 1, 1]"),
            "/net/Reshape: has the shape (2, 3, 2, 3, 2, 1, 1, 1, 1)" + advice);
  EXPECT_EQ(flattened_to("(1, 2, 3, 2, 3, 2, 1, 1, 1, 1)", "[1, 2, 3, 2, 3, 2, 1, 1, 1, 1]"),
            "/net/Reshape: has the shape (1, 2, 3, 2, 3, 2, 1, 1, 1, 1)" + advice);
  EXPECT_EQ(flattened_to("(1, 2, 3, 2, 6)", "[1, 2, 3, 2, 6]"), "no error");
}

TEST(CollectLayersError, InputUnderTwoNames) {
  EXPECT_EQ(collect_error("fn (%x: Tensor[(1, 4), float32] from \"a\") {\n return %x \"one\", %x \"two\"\n}\n"),
            "net: the outputs one and two are one input of the network; a network that gives it once works");
}

}  // namespace
}  // namespace fovea
