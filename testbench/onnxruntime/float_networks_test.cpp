// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does what a quantized network keeps in float32 answer as ONNX Runtime's? Drawn networks of one float operator
/// between or behind quantized ones, of dynamically quantized products, and of 8-bit ends.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <random>

#include "apart.h"
#include "bench/number_from_environment.h"
#include "compiled_runs.h"
#include "onnx/model_builder.h"
#include "onnxruntime_oracle.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

const uint64_t kSeed = number_from_environment("SEED", 2024);
const uint64_t kCases = number_from_environment("CASES", 200) / 50 + 1;  // Of each kind.

/// Of the largest value of an answer; float32 sums in another order differ by less.
constexpr float kMostApart = 1e-5F;

/// A network of an input [1, C, H, W] that is quantized and dequantized, as "x_f", and some float operators.
class FloatNetwork {
 public:
  explicit FloatNetwork(uint64_t seed)
      : random_(seed), C_(draw(1, 4) * 2), H_(draw(3, 8)), W_(draw(3, 8)), model_({1, C_, H_, W_}, 0.03F) {
    model_.node("DequantizeLinear", "dequantize", {"x_q", "scale", "zero"}, {"x_f"});
  }

  int64_t draw(int64_t least, int64_t most) { return std::uniform_int_distribution<int64_t>(least, most)(random_); }
  float real(float most) { return std::uniform_real_distribution<float>(-most, most)(random_); }
  std::vector<float> reals(int64_t count, float most) {
    std::vector<float> all(static_cast<std::size_t>(count));
    std::generate(all.begin(), all.end(), [&] { return real(most); });
    return all;
  }

  int64_t C() const { return C_; }
  std::vector<int64_t> shape() const { return {1, C_, H_, W_}; }
  NamedTensor input() { return {"x", shape(), reals(C_ * H_ * W_, 4)}; }

  ModelBuilder& model() { return model_; }
  onnx::NodeProto& node(const std::string& op, const std::vector<std::string>& inputs, const std::string& result) {
    return model_.node(op, result, inputs, {result});
  }

  /// Convolution by int8 weights, one scale a filter, and float32 biases.
  std::string conv(const std::string& x, const std::string& result, int64_t filters, int64_t channels) {
    const int64_t kernel = draw(1, 3);
    quantized_weights(result + "_w", {filters, channels, kernel, kernel}, 0);
    model_.floats(result + "_b", {filters}, reals(filters, 1));
    onnx::NodeProto& conv = node("Conv", {x, result + "_w", result + "_b"}, result);
    set_ints(conv, "pads", {draw(0, 1), 1, 1, draw(0, 1)});
    set_ints(conv, "strides", {draw(1, 2), 1});
    return result;
  }

  /// An initializer of int8 numbers.
  std::string int8s(const std::string& name, const std::vector<int64_t>& shape, int64_t most) {
    int64_t count = 1;
    for (const int64_t size : shape) {
      count *= size;
    }
    std::vector<int64_t> values(static_cast<std::size_t>(count));
    std::generate(values.begin(), values.end(), [&] { return draw(-most, most); });
    return model_.integers(name, onnx::TensorProto::INT8, shape, values).name();
  }

  void quantize(const std::string& x, const std::string& result) {
    node("QuantizeLinear", {x, "scale", "zero"}, result);
  }
  void dequantize(const std::string& x, const std::string& result) {
    node("DequantizeLinear", {x, "scale", "zero"}, result);
  }

  void save(const fs::path& path) {
    std::ofstream file(path, std::ios::binary);
    model_.model().SerializeToOstream(&file);
  }

 private:
  void quantized_weights(const std::string& name, const std::vector<int64_t>& shape, int64_t axis) {
    int8s(name + "_q", shape, 127);
    std::vector<float> scales = reals(shape[static_cast<std::size_t>(axis)], 0.01F);
    std::transform(scales.begin(), scales.end(), scales.begin(), [](float s) { return std::abs(s) + 1e-3F; });
    const auto count = static_cast<int64_t>(scales.size());
    model_.floats(name + "_scale", {count}, scales);
    model_.integers(name + "_zero", onnx::TensorProto::INT8, {count}, std::vector<int64_t>(scales.size(), 0));
    set_int(node("DequantizeLinear", {name + "_q", name + "_scale", name + "_zero"}, name), "axis", axis);
  }

  std::mt19937_64 random_;
  int64_t C_, H_, W_;
  ModelBuilder model_;
};

/// Adds operators that read "x_f" and make "y". \param is_asked  The form for ONNX Runtime, where it differs.
struct FloatCase {
  const char* name;
  void (*add)(FloatNetwork& net, bool is_asked);
};

/// A float operator on "x_f" or, a second one, on two.
void add_plain(FloatNetwork& net, const std::string& op) { net.node(op, {"x_f"}, "y"); }

/// ... of positive numbers.
void add_of_positive(FloatNetwork& net, const std::string& op) {
  net.node("Sigmoid", {"x"}, "positive");
  net.node(op, {"positive"}, "y");
}

/// ... that ONNX has from that opset on.
void add_newer(FloatNetwork& net, const std::string& op, int64_t opset) {
  net.model().model().mutable_opset_import(0)->set_version(opset);
  net.node(op, {"x"}, "y");
}

/// quantize(dequantize) of another scale, so that the second operand is another.
void add_second(FloatNetwork& net) {
  net.model().floats("scale2", {}, {0.021F});
  net.node("QuantizeLinear", {"x_f", "scale2", "zero"}, "z_q");
  net.node("DequantizeLinear", {"z_q", "scale2", "zero"}, "z_f");
}

void add_dynamic_quantize(FloatNetwork& net, const std::string& x) {
  net.model().node("DynamicQuantizeLinear", x + "_d", {x}, {x + "_u8", x + "_scale", x + "_zp"});
}

/// ConvInteger or MatMulInteger, cast, and scaled to floats.
void add_integer_product(FloatNetwork& net, const std::string& op, const std::string& x, const std::string& w,
                         const std::string& result) {
  net.model().integers(w + "_zp", onnx::TensorProto::INT8, {}, {net.draw(-3, 3)});
  net.model().floats(w + "_scale", {}, {0.02F});
  net.node(op, {x + "_u8", w, x + "_zp", w + "_zp"}, result + "_i32");
  set_int(net.node("Cast", {result + "_i32"}, result + "_cast"), "to", onnx::TensorProto::FLOAT);
  net.node("Mul", {x + "_scale", w + "_scale"}, result + "_scale");
  net.node("Mul", {result + "_cast", result + "_scale"}, result);
}

const std::vector<FloatCase> kFloatCases{
    {"conv", [](FloatNetwork& net, bool) { net.conv("x_f", "y", net.draw(1, 5), net.C()); }},
    {"conv relu quantize on",
     [](FloatNetwork& net, bool) {
       net.conv("x", "first", 4, net.C());  // Of floats that nothing quantized.
       net.node("Relu", {"first"}, "relu");
       net.quantize("relu", "q");
       net.dequantize("q", "f");
       net.conv("f", "y", 3, 4);
     }},
    {"conv relu pool softmax",
     [](FloatNetwork& net, bool) {
       net.conv("x_f", "conv", 5, net.C());
       net.node("Relu", {"conv"}, "relu");
       net.node("GlobalAveragePool", {"relu"}, "mean");
       net.node("Flatten", {"mean"}, "flat");
       net.node("Softmax", {"flat"}, "y");
     }},
    {"max-pool of floats",
     [](FloatNetwork& net, bool) {
       net.conv("x_f", "conv", 3, net.C());
       onnx::NodeProto& pool = net.node("MaxPool", {"conv"}, "y");
       set_ints(pool, "kernel_shape", {2, 3});
       set_ints(pool, "pads", {1, 1, 0, 1});
       set_ints(pool, "strides", {net.draw(1, 2), 2});
       set_int(pool, "ceil_mode", net.draw(0, 1));
     }},
    {"average-pool of floats",
     [](FloatNetwork& net, bool) {
       net.conv("x_f", "conv", 3, net.C());
       onnx::NodeProto& pool = net.node("AveragePool", {"conv"}, "y");
       set_ints(pool, "kernel_shape", {2, 2});
       set_ints(pool, "pads", {1, 0, 0, 1});
       set_ints(pool, "strides", {net.draw(1, 2), 2});
       set_int(pool, "count_include_pad", net.draw(0, 1));
       set_int(pool, "ceil_mode", net.draw(0, 1));
     }},
    {"concat and slice of floats",
     [](FloatNetwork& net, bool) {
       net.node("Sigmoid", {"x_f"}, "left");
       net.node("Tanh", {"x_f"}, "right");
       set_int(net.node("Concat", {"left", "x_f", "right"}, "joined"), "axis", net.draw(1, 3));
       net.model().integers("starts", onnx::TensorProto::INT64, {1}, {1});
       net.model().integers("ends", onnx::TensorProto::INT64, {1}, {3});
       net.model().integers("axes", onnx::TensorProto::INT64, {1}, {net.draw(1, 3)});
       net.node("Slice", {"joined", "starts", "ends", "axes"}, "y");
     }},
    {"integers in other places",
     [](FloatNetwork& net, bool) {
       const int32_t types[] = {onnx::TensorProto::INT32, onnx::TensorProto::INT64};
       const int32_t type = types[net.draw(0, 1)];
       set_int(net.node("Cast", {"x_f"}, "whole"), "to", type);
       set_ints(net.node("Transpose", {"whole"}, "turned"), "perm", {0, 3, 1, 2});
       net.model().integers("pads", onnx::TensorProto::INT64, {8}, {0, 0, 1, 0, 0, 2, 0, net.draw(0, 2)});
       net.model().integers("fill", onnx::TensorProto::DataType(type), {}, {net.draw(-90000, 90000)});
       net.node("Pad", {"turned", "pads", "fill"}, "wider");
       set_int(net.node("Cast", {"wider"}, "y"), "to", onnx::TensorProto::FLOAT);
     }},
    {"softmax", [](FloatNetwork& net, bool) { set_int(net.node("Softmax", {"x_f"}, "y"), "axis", net.draw(1, 3)); }},
    {"sigmoid", [](FloatNetwork& net, bool) { add_plain(net, "Sigmoid"); }},
    {"tanh", [](FloatNetwork& net, bool) { add_plain(net, "Tanh"); }},
    {"exp", [](FloatNetwork& net, bool) { add_plain(net, "Exp"); }},
    {"ceil", [](FloatNetwork& net, bool) { add_plain(net, "Ceil"); }},
    {"erf", [](FloatNetwork& net, bool) { add_plain(net, "Erf"); }},
    {"floor", [](FloatNetwork& net, bool) { add_plain(net, "Floor"); }},
    {"gelu", [](FloatNetwork& net, bool) { add_newer(net, "Gelu", 20); }},
    {"log", [](FloatNetwork& net, bool) { add_of_positive(net, "Log"); }},
    {"mish", [](FloatNetwork& net, bool) { add_newer(net, "Mish", 18); }},
    {"neg", [](FloatNetwork& net, bool) { add_plain(net, "Neg"); }},
    {"reciprocal", [](FloatNetwork& net, bool) { add_of_positive(net, "Reciprocal"); }},
    {"round", [](FloatNetwork& net, bool) { add_plain(net, "Round"); }},
    {"selu", [](FloatNetwork& net, bool) { add_plain(net, "Selu"); }},
    {"softplus", [](FloatNetwork& net, bool) { add_plain(net, "Softplus"); }},
    {"softsign", [](FloatNetwork& net, bool) { add_plain(net, "Softsign"); }},
    {"sqrt", [](FloatNetwork& net, bool) { add_of_positive(net, "Sqrt"); }},
    {"thresholded relu", [](FloatNetwork& net, bool) { add_plain(net, "ThresholdedRelu"); }},
    {"clip and prelu",
     [](FloatNetwork& net, bool) {
       net.model().floats("least", {}, {-1.5F});
       net.model().floats("most", {}, {2.25F});
       net.node("Clip", {"x", "least", "most"}, "clipped");
       net.model().floats("slope", {net.C(), 1, 1}, net.reals(net.C(), 1));
       net.node("PRelu", {"clipped", "slope"}, "y");
     }},
    {"batch normalization of floats",
     [](FloatNetwork& net, bool) {
       for (const char* name : {"gamma", "beta", "mean"}) {
         net.model().floats(name, {net.C()}, net.reals(net.C(), 2));
       }
       net.model().floats("variance", {net.C()}, std::vector<float>(static_cast<std::size_t>(net.C()), 0.7F));
       net.node("Tanh", {"x"}, "tanh");
       net.node("BatchNormalization", {"tanh", "gamma", "beta", "mean", "variance"}, "y");
     }},
    {"lrn",
     [](FloatNetwork& net, bool) {
       onnx::NodeProto& lrn = net.node("LRN", {"x"}, "y");
       set_int(lrn, "size", 2 * net.draw(0, 2) + 1);  // ONNX Runtime takes odd sizes alone
       set_float(lrn, "alpha", 0.02F);
     }},
    {"instance normalization, log softmax",
     [](FloatNetwork& net, bool) {
       net.model().floats("gamma", {net.C()}, net.reals(net.C(), 2));
       net.model().floats("beta", {net.C()}, net.reals(net.C(), 2));
       net.node("InstanceNormalization", {"x", "gamma", "beta"}, "normal");
       set_int(net.node("LogSoftmax", {"normal"}, "y"), "axis", net.draw(1, 3));
     }},
    {"layer normalization",
     [](FloatNetwork& net, bool) {
       net.model().model().mutable_opset_import(0)->set_version(17);
       const int64_t columns = net.shape()[3];
       net.model().floats("gamma", {columns}, net.reals(columns, 2));
       net.model().floats("beta", {columns}, net.reals(columns, 2));
       net.node("LayerNormalization", {"x", "gamma", "beta"}, "y");
     }},
    {"reductions",
     [](FloatNetwork& net, bool) {
       set_ints(net.node("ReduceMax", {"x"}, "most"), "axes", {2});
       set_ints(net.node("ReduceMin", {"x"}, "least"), "axes", {2});
       net.node("Sub", {"most", "least"}, "range");
       net.model().integers("axes", onnx::TensorProto::INT64, {1}, {3});
       net.node("ReduceSum", {"range", "axes"}, "y");
     }},
    {"powers, magnitudes, means",
     [](FloatNetwork& net, bool) {
       net.node("Abs", {"x"}, "magnitude");
       net.model().floats("exponent", {}, {1.7F});
       net.node("Pow", {"magnitude", "exponent"}, "power");
       net.node("Sign", {"x"}, "sign");
       net.node("Sum", {"power", "sign", "x"}, "sum");
       net.node("Mean", {"sum", "x"}, "y");
     }},
    {"functions in a row",
     [](FloatNetwork& net, bool) {
       net.model().model().mutable_opset_import(0)->set_version(14);
       net.model().floats("factor", {net.C(), 1, 1}, net.reals(net.C(), 2));
       net.node("Tanh", {"x"}, "tanh");
       net.node("Mul", {"tanh", "factor"}, "scaled");
       net.node("HardSwish", {"scaled"}, "swish");
       for (const char* name : {"gamma", "beta", "mean"}) {
         net.model().floats(name, {net.C()}, net.reals(net.C(), 2));
       }
       net.model().floats("variance", {net.C()}, std::vector<float>(static_cast<std::size_t>(net.C()), 1.7F));
       net.node("BatchNormalization", {"swish", "gamma", "beta", "mean", "variance"}, "normal");
       net.node("Softplus", {"normal"}, "y");
     }},
    {"hard swish",
     [](FloatNetwork& net, bool) {
       net.model().model().mutable_opset_import(0)->set_version(14);
       add_plain(net, "HardSwish");
     }},
    {"elu, leaky relu, hard sigmoid",
     [](FloatNetwork& net, bool) {
       set_float(net.node("Elu", {"x_f"}, "elu"), "alpha", 0.7F);
       set_float(net.node("LeakyRelu", {"elu"}, "leaky"), "alpha", 0.2F);
       set_float(net.node("HardSigmoid", {"leaky"}, "y"), "alpha", 0.3F);
     }},
    {"sum of two",
     [](FloatNetwork& net, bool) {
       add_second(net);
       net.node("Add", {"x_f", "z_f"}, "sum");
       net.node("Relu", {"sum"}, "y");
     }},
    {"product, quotient, difference",
     [](FloatNetwork& net, bool) {
       add_second(net);
       net.node("Sigmoid", {"z_f"}, "gate");
       net.node("Mul", {"x_f", "gate"}, "gated");
       net.model().floats("per_channel", {net.C(), 1, 1}, net.reals(net.C(), 2));
       net.node("Sub", {"gated", "per_channel"}, "less");
       net.node("Div", {"less", "gate"}, "y");
     }},
    {"quantized behind floats",
     [](FloatNetwork& net, bool) {
       net.conv("x_f", "conv", 4, net.C());
       net.node("Sigmoid", {"conv"}, "gate");
       net.node("Mul", {"conv", "gate"}, "silu");
       net.quantize("silu", "q");
       net.dequantize("q", "y");
     }},
    {"dynamically quantized convolution",
     [](FloatNetwork& net, bool) {
       add_dynamic_quantize(net, "x");
       net.int8s("w", {3, net.C(), 2, 2}, 127);
       add_integer_product(net, "ConvInteger", "x", "w", "conv");
       net.model().floats("b", {1, 3, 1, 1}, net.reals(3, 1));
       net.node("Add", {"conv", "b"}, "biased");
       net.node("Relu", {"biased"}, "y");
     }},
    {"dynamically quantized layers",
     [](FloatNetwork& net, bool) {
       add_dynamic_quantize(net, "x_f");
       net.int8s("w", {4, net.C(), 1, 1}, 127);
       add_integer_product(net, "ConvInteger", "x_f", "w", "conv");
       net.node("Relu", {"conv"}, "relu");
       net.node("GlobalAveragePool", {"relu"}, "mean");
       net.node("Flatten", {"mean"}, "flat");
       add_dynamic_quantize(net, "flat");
       net.int8s("v", {4, 6}, 127);
       add_integer_product(net, "MatMulInteger", "flat", "v", "dense");
       net.node("Softmax", {"dense"}, "y");
     }},
    {"8-bit ends",
     [](FloatNetwork& net, bool is_asked) {
       const bool is_signed = net.draw(0, 1) != 0;
       const auto type = is_signed ? onnx::TensorProto::INT8 : onnx::TensorProto::UINT8;
       net.model().integers("end_zero", type, {}, {is_signed ? -5 : 100});
       if (is_asked) {
         set_int(net.node("Cast", {"e"}, "e_q"), "to", type);
       }
       net.model()
           .input("e", {1, 4})
           .mutable_type()
           ->mutable_tensor_type()
           ->set_elem_type(is_asked ? onnx::TensorProto::FLOAT : type);
       net.node("DequantizeLinear", {is_asked ? "e_q" : "e", "scale", "end_zero"}, "e_f");
       net.node("GlobalMaxPool", {"x_f"}, "most");  // Exact, so that no tie hangs on a rounding.
       net.node("Flatten", {"most"}, "flat");
       set_int(net.node("Concat", {"flat", "e_f"}, "joined"), "axis", 1);
       const std::string result = is_asked ? "y_q" : "y";
       net.node("QuantizeLinear", {"joined", "scale", "end_zero"}, result);
       if (is_asked) {
         set_int(net.node("Cast", {result}, "y"), "to", onnx::TensorProto::FLOAT);
       }
     }},
};

struct DrawnCase {
  std::string what;
  std::vector<NamedTensor> inputs;
  Question question;
  CompileJob job;
};

DrawnCase draw_case(const FloatCase& c, uint64_t seed, const fs::path& folder) {
  fs::create_directories(folder);
  DrawnCase drawn{std::string(c.name) + ", SEED=" + std::to_string(seed), {}, {}, {}};
  for (const bool is_asked : {true, false}) {
    FloatNetwork net(seed);
    drawn.inputs = {net.input()};
    c.add(net, is_asked);
    net.model().output("y");
    if (is_asked) {
      net.model().graph().mutable_output(0)->mutable_type()->mutable_tensor_type()->set_elem_type(
          onnx::TensorProto::FLOAT);
    }
    if (net.model().graph().input_size() > 1) {
      drawn.inputs.push_back({"e", {1, 4}, {1, 17, 100, 120}});
    }
    net.save(folder / (is_asked ? "asked.onnx" : "net.onnx"));
  }
  drawn.question = {folder / "asked.onnx", drawn.inputs, {}};
  drawn.job = {folder / "net.onnx", folder / "out", "cpu"};
  return drawn;
}

TEST(FloatNetworks, AnswerAsOnnxRuntime) {
  const fs::path folder = fs::path(WORK_FOLDER) / "floats";
  std::vector<DrawnCase> drawn;
  for (const FloatCase& c : kFloatCases) {
    for (uint64_t i = 0; i < kCases; ++i) {
      drawn.push_back(draw_case(c, kSeed + i, folder / std::to_string(drawn.size())));
    }
  }
  std::vector<Question> questions;
  std::vector<CompileJob> jobs;
  for (const DrawnCase& one : drawn) {
    questions.push_back(one.question);
    jobs.push_back(one.job);
  }
  const std::vector<Answer> answers = ask_onnxruntime(questions, folder);
  const std::vector<std::string> refusals = compile_networks(jobs);
  std::size_t elements = 0;
  float furthest = 0;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    SCOPED_TRACE(drawn[i].what);
    ASSERT_EQ(answers[i].error, "");
    EXPECT_EQ(refusals[i], "");
    if (!refusals[i].empty()) {
      continue;
    }
    const RunResult result = run_network("host", jobs[i].folder, drawn[i].inputs);
    ASSERT_EQ(result.outputs.at(0).data.size(), answers[i].outputs.at(0).data.size());
    const float distance = apart(result.outputs[0].data, answers[i].outputs[0].data);
    EXPECT_LE(distance, kMostApart);
    furthest = std::max(furthest, distance);
    elements += result.outputs[0].data.size();
  }
  std::printf("floats: %zu networks, %zu elements, at most %.1e of the largest value apart\n", drawn.size(), elements,
              static_cast<double>(furthest));
}

}  // namespace
}  // namespace fovea
