// SPDX-License-Identifier: Apache-2.0
/// \file
/// A quantized network as a list of operators, drawn from a seed: residual branches, concats, several inputs and
/// outputs.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fovea {

struct OperatorRow;

/// How a uint8 value stands for reals: scale * (x - zero_point).
struct ValueQuant {
  float scale = 1;
  int32_t zero_point = 0;
  bool operator==(const ValueQuant&) const = default;
};

/// A function of one number, as ONNX calls it.
struct DrawnFunction {
  const char* name;
  std::vector<const char*> attributes;  ///< Of float32.
  int64_t opset;                        ///< The first that has it, or 13.
  bool is_exact;                        ///< Whether ONNX Runtime's own is correctly rounded.
  long double (*apply)(long double x, const std::vector<float>& settings);
  bool cancels = false;  ///< ONNX Runtime's own adds nearly opposite numbers as large as x: off by float32 steps of x.
};

/// Number of a value: of the node that makes it.
using ValueId = std::size_t;

/// Elements of a value, and of all values of a network.
using Bytes = std::vector<uint8_t>;
using Values = std::vector<Bytes>;

/// An operand that is known: uint8, or float32 and not quantized.
struct DrawnConstant {
  std::size_t place = 1;  ///< Among the operator's operands.
  std::vector<int64_t> shape;
  ValueQuant quant;
  Bytes bytes;
  bool is_float = false;
  std::vector<float> reals;        ///< Where is_float.
  bool is_quantized_here = false;  ///< Written as what it stands for, with a QuantizeLinear.
};

/// An operator that only moves elements, as ONNX has it: Slice, Pad, Resize, ...
struct MovedForm {
  std::string op;
  std::map<std::string, int64_t> ints = {};  ///< Attributes, of these types.
  std::map<std::string, std::vector<int64_t>> lists = {};
  std::map<std::string, std::string> texts = {};
  std::vector<std::vector<int64_t>> numbers = {};  ///< Inputs behind the first; an empty one is left out.
  std::vector<float> scales = {};                  ///< In place of the last of them, where there are any.
  std::optional<float> fill = std::nullopt;        ///< Of a Pad, one more input.
  std::size_t outputs = 1, output = 0;             ///< How many it has, and which of them is the value.
};

/// How a window moves: rows and columns; pads at the top, left, bottom and right.
struct DrawnWindow {
  int64_t kernel[2] = {1, 1}, strides[2] = {1, 1}, dilations[2] = {1, 1}, pads[4] = {0, 0, 0, 0};
  bool ceil_mode = false;          ///< Of a pool: a last window may reach beyond the padding.
  bool count_include_pad = false;  ///< Of an average pool.
};

/// One operator and the uint8 value that it makes.
struct DrawnNode {
  const OperatorRow* row = nullptr;
  std::string name;
  std::vector<ValueId> inputs;
  std::vector<int64_t> shape;  ///< Of the value: [1, C, H, W] or [1, C].
  ValueQuant quant;            ///< Of the value.
  bool relu = false;           ///< Before the value is quantized.
  bool pool = false;           ///< Of a convolution: max-pool before the value is quantized, by pool_window.

  /// Clip to these before the value is quantized, and before the pool.
  std::optional<std::pair<float, float>> clip;

  const DrawnFunction* function = nullptr;
  std::vector<float> settings;  ///< Values of its attributes; slopes of a PRelu, one or one a channel.
  int64_t axis = 1;             ///< Of a softmax.

  DrawnWindow window;  ///< Of a convolution or a pool.
  DrawnWindow pool_window{.kernel = {2, 2}, .strides = {2, 2}};
  int64_t groups = 1;

  // Weights [M, C / groups, R, S] or [M, C], at one scale or one a filter, and biases, if any, at the scale of the
  // products; what those are in float32 where they are written so.
  std::vector<int8_t> weights;
  std::vector<float> weight_scales{1};
  std::vector<int32_t> biases;
  std::vector<float> float_biases;

  // How the form under test is written, which changes no answer.
  bool is_transposed = false;     ///< A Gemm's weights as [M, C]; else [C, M], and without biases as MatMul.
  bool is_on_integers = false;    ///< An operator that keeps its scale, on uint8 and not between floats.
  bool shares_dequantize = true;  ///< Reads the DequantizeLinear of a value that others read too, or one of its own.

  char op = '+';  ///< Of operators of two operands: + - * / < (minimum) > (maximum).
  std::optional<DrawnConstant> constant;

  // Of an operator that only moves elements.
  std::vector<int64_t> places;  ///< Of each element in what it reads, -1 where it is filled.
  MovedForm moved;

  std::vector<float> data;  ///< What a network input is given.
};

/// The operators in an order in which they can run.
struct DrawnNetwork {
  std::vector<DrawnNode> nodes;
  std::vector<ValueId> outputs;  ///< Dequantized to float32; each value at most once.
};

std::size_t element_count(const std::vector<int64_t>& shape);

/// Shape of what a node computes before its fused pool.
std::vector<int64_t> unpooled_shape(const DrawnNetwork& network, const DrawnNode& node);

enum class DrawnScales {
  kPowersOfTwo,
  kAny  ///< Any float32 number, weights with one a filter too, float32 biases among others.
};

/// Draws a network of about 3 to 15 operators, and its inputs' data. Each scale is chosen by what the operator gives on
/// these data, so that values stay alive.
DrawnNetwork draw_network(uint64_t seed, DrawnScales scales = DrawnScales::kPowersOfTwo);

/// Networks of one operator at scales of 1e-6 and 1e6, zero points 0 and 255, accumulators above 2^24 and a tie a
/// filter.
std::vector<DrawnNetwork> edge_networks();

/// All functions that networks are drawn of.
const std::vector<DrawnFunction>& drawn_functions();

/// A unit of ShuffleNet V2: half of the channels through convolutions, the middle one depthwise; joined with the
/// others, then shuffled.
DrawnNetwork shuffle_unit();

/// Leaves out what no output needs.
DrawnNetwork without_dead_nodes(const DrawnNetwork& network);

/// The network up to value `id`, its only output.
DrawnNetwork ending_at(const DrawnNetwork& network, ValueId id);

/// The network with value `id` as an input, which holds `bytes`.
DrawnNetwork with_input(const DrawnNetwork& network, ValueId id, const Bytes& bytes);

/// A network of one operator, with the values that it reads as inputs.
DrawnNetwork one_operator(const DrawnNetwork& network, ValueId id, const Values& values);

/// The smallest network that still fails which cuts of this one lead to: an early end, an inner value as an input.
/// \param fails  Asked some dozen times.
DrawnNetwork shrink(const DrawnNetwork& network, const std::function<bool(const DrawnNetwork&)>& fails);

/// One line a node.
std::string describe(const DrawnNetwork& network);

}  // namespace fovea
