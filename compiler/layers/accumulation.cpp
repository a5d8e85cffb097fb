// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads weights, biases and scales off a match, and checks the numbers in them.
#include "accumulation.h"

#include <algorithm>
#include <cstdlib>

#include "command/command_text.h"
#include "ir/error.h"
#include "ir/operator.h"
#include "on_integers.h"

namespace fovea {
namespace {

/// Biases are added along the channels.
bool is_a_bias_a_filter(const Match& match) { return int_attribute(match["bias"], "axis", 1) == 1; }

/// All zeros where there is no bias.
std::shared_ptr<const Tensor> read_bias(const Match& match, const Accumulation& sum) {
  if (!match.has("bias")) {
    return std::make_shared<const Tensor>(TensorType{{sum.weight->type().shape[0]}, ElementType::kInt32});
  }
  const Node& dequantize = match["b"];
  const Quantization b = read_symmetric(match.graph(), dequantize, ElementType::kInt32, "biases");
  const int bias_log2 = scale_log2(b.scale()), product_log2 = scale_log2(sum.x.scale()) + scale_log2(sum.w.scale());
  check_call(bias_log2 == product_log2, dequantize,
             "the bias's scale is 2^" + std::to_string(bias_log2) + "; it must be input scale times weight scale, 2^" +
                 std::to_string(product_log2));
  return constant_value(match.graph(), dequantize.inputs[0]);
}

/// No filter may reach beyond int32, whatever its input: sum|w| * 255 + |b| < 2^31.
void check_overflow(const Node& call, const Accumulation& sum) {
  const auto weights = sum.weight->values<int8_t>();
  const auto biases = sum.bias->values<int32_t>();
  const std::size_t taps = weights.size() / std::max<std::size_t>(biases.size(), 1);
  for (std::size_t m = 0; m < biases.size(); ++m) {
    int64_t most = std::abs(int64_t{biases[m]});
    for (std::size_t i = 0; i < taps; ++i) {
      most += 255 * std::abs(int64_t{weights[m * taps + i]});
    }
    check_call(most < (int64_t{1} << 31), call,
               "filter " + std::to_string(m) + " could reach " + std::to_string(most) +
                   " and overflow int32; smaller weights or biases, below 2^31 in sum|w| * 255 + |b|, work");
  }
}

}  // namespace

Pattern accumulate(const std::string& name, bool relu) {
  const Pattern product = op(name, {activation("x"), parameter("w")}).as(name);
  const Pattern biased = op("nn.bias_add", {product, parameter("b")}).as("bias").where(is_a_bias_a_filter);
  const Pattern sum = either({biased, product});
  return relu ? op("nn.relu", {sum}).as("relu") : sum;
}

Accumulation read_accumulation(const Match& match, const Node& call) {
  const Graph& graph = match.graph();
  Accumulation sum;
  sum.x = read_activation(graph, match["x"]);
  sum.w = read_symmetric(graph, match["w"], ElementType::kInt8, "weights");
  sum.weight = constant_value(graph, match["w"].inputs[0]);
  sum.bias = read_bias(match, sum);
  check_overflow(call, sum);
  sum.relu = match.has("relu");
  sum.y = read_activation(graph, match["y"]);
  check_shift(call, scale_log2(sum.y.scale()) - scale_log2(sum.x.scale()) - scale_log2(sum.w.scale()), 0);
  return sum;
}

std::string quant_field(const Accumulation& sum, dla_rounding rounding) {
  dla_quant quant{};
  quant.shift = static_cast<uint32_t>(requantization_of(sum, rounding).shift);
  quant.rounding = rounding;
  quant.relu = sum.relu;
  quant.ifmap_zero_point = static_cast<uint8_t>(sum.x.zero_point());
  quant.ofmap_zero_point = static_cast<uint8_t>(sum.y.zero_point());
  return c_initializer(quant);
}

std::vector<HostConstant> constants_of(const Accumulation& sum) { return {{"filter", sum.weight}, {"bias", sum.bias}}; }

void check_shift(const Node& call, int shift, int least) {
  check_call(shift >= least && shift <= 31, call,
             "its scales ask for a right shift of " + std::to_string(shift) + " bits; " + std::to_string(least) +
                 " to 31 work (log2 of output scale / (input scale * weight scale))");
}

}  // namespace fovea
