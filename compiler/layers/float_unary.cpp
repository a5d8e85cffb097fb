// SPDX-License-Identifier: Apache-2.0
/// \file
/// Functions of one number on float32 values, which nothing quantizes.
#include <array>

#include "float_end.h"
#include "ir/error.h"
#include "ir/operator.h"

namespace fovea {
namespace {

/// A function that the runtime has: dla_unary's enumerator, and which attributes its alpha and beta are.
struct FunctionRow {
  const char *op, *enumerator, *alpha, *beta;
};

constexpr std::array kFunctions{
    FunctionRow{"clip", "kDlaClip", "min", "max"},
    FunctionRow{"elu", "kDlaElu", "alpha", nullptr},
    FunctionRow{"exp", "kDlaExp", nullptr, nullptr},
    FunctionRow{"hard_sigmoid", "kDlaHardSigmoid", "alpha", "beta"},
    FunctionRow{"hard_swish", "kDlaHardSwish", nullptr, nullptr},
    FunctionRow{"leaky_relu", "kDlaLeakyRelu", "alpha", nullptr},
    FunctionRow{"nn.relu", "kDlaRelu", nullptr, nullptr},
    FunctionRow{"round", "kDlaRound", nullptr, nullptr},
    FunctionRow{"sigmoid", "kDlaSigmoid", nullptr, nullptr},
    FunctionRow{"tanh", "kDlaTanh", nullptr, nullptr},
};

/// "cpu.float_unary_relu" of "nn.relu".
std::string composite_of(const std::string& op) { return "cpu.float_unary_" + op.substr(op.find('.') + 1); }

std::vector<Fusion> fusions() {
  std::vector<Fusion> all;
  for (const FunctionRow& row : kFunctions) {
    all.push_back({composite_of(row.op), op(row.op, {any()}).as("f").where(is_float32("f"))});
  }
  return all;
}

LayerBody make(const Match& match, std::vector<NodeId>& inputs) {
  const Node& call = match["f"];
  inputs = {call.inputs[0]};
  for (const FunctionRow& row : kFunctions) {
    if (is_call(call, row.op)) {
      const auto attribute = [&](const char* name) {
        return name == nullptr ? 0.0F : static_cast<float>(float_attribute(call, name, 0));
      };
      return FloatUnary{row.enumerator, attribute(row.alpha), attribute(row.beta)};
    }
  }
  internal_check(false, "a function that matched is one of the table");
  return {};
}

CallText host_call(const Layer& layer, const Places& places) {
  const auto& unary = std::get<FloatUnary>(layer.body);
  return {
      "dla_float_unary_cpu",
      "dla_float_unary_cpu",
      {name_field(layer), x_y_fields(layer, places), shape_fields(layer.output_type),
       ".function = " + unary.function + ", .alpha = " + c_float(unary.alpha) + ", .beta = " + c_float(unary.beta)}};
}

}  // namespace

LayerKind float_unary_kind() { return {"float_unary", "f", true, fusions(), make, kFloatIsTheCpus, host_call}; }

}  // namespace fovea
