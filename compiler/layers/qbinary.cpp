// SPDX-License-Identifier: Apache-2.0
/// \file
/// Operators of two operands, each at its own scale or float32, broadcast: quantize(relu?(op(a, b))).
#include <algorithm>
#include <array>

#include "host_fields.h"
#include "on_integers.h"
#include "ops/broadcast.h"
#include "ops/operator.h"
#include "spec/dla_output.h"

namespace fovea {
namespace in_qbinary {

struct BinaryRow {
  const char *composite, *op;  ///< "qadd", and the operator of the graph.
  dla_binary value;
  const char* text;  ///< In C.
};

constexpr std::array<BinaryRow, 6> kRows = {{{"qadd", "add", kDlaAdd, "kDlaAdd"},
                                             {"qsub", "subtract", kDlaSubtract, "kDlaSubtract"},
                                             {"qmul", "multiply", kDlaMultiply, "kDlaMultiply"},
                                             {"qdiv", "divide", kDlaDivide, "kDlaDivide"},
                                             {"qmin", "minimum", kDlaMinimum, "kDlaMinimum"},
                                             {"qmax", "maximum", kDlaMaximum, "kDlaMaximum"}}};

template <typename Condition>
const BinaryRow& row_of(Condition is_it) {
  return *std::find_if(kRows.begin(), kRows.end(), is_it);
}

/// dequantize(activation), dequantize(constant), a float32 constant, or any float32 value.
Pattern operand(const std::string& name) {
  return either({activation(name), parameter(name), constant().as(name), any().as(name)});
}

bool has_activation(const Match& match) { return !match.inputs().empty(); }

Pattern result(const BinaryRow& row, bool relu) {
  const Pattern plain = op(row.op, {operand("a"), operand("b")}).as("op").where(has_activation).or_copied();
  return relu ? op("nn.relu", {plain}).as("relu").or_copied() : plain;
}

/// Of two tensors, the accelerator computes sums.
Fusion fusion(const BinaryRow& row, bool relu) {
  return {std::string(row.value == kDlaAdd ? "dla." : "cpu.") + row.composite + (relu ? "_relu" : ""),
          op("qnn.quantize", {result(row, relu)}).as("y")};
}

const Quantization kNotQuantized = per_tensor(ElementType::kFloat32, 1, 0);

/// \param place  Of the operand among those of the operator.
Operand read_operand(const Match& match, const std::string& name, std::size_t place, std::vector<NodeId>& inputs) {
  const Node& node = match[name];
  if (node.kind == NodeKind::kConstant) {
    return {kNotQuantized, node.constant, node.type.shape};
  }
  if (!is_call(node, "qnn.dequantize") || !has_constant_quantization(match.graph(), node)) {
    inputs.push_back(match["op"].inputs[place]);
    return {kNotQuantized, nullptr, node.type.shape};
  }
  Operand operand{read_activation(match.graph(), node), nullptr, node.type.shape};
  if (match.graph()[node.inputs[0]].kind == NodeKind::kConstant) {
    operand.constant = match.graph()[node.inputs[0]].constant;
  } else {
    inputs.push_back(node.inputs[0]);
  }
  return operand;
}

/// The formulas of two quantized operands have scales of their own, which must be numbers.
void check_scales(const Node& call, const Qbinary& q) {
  if (q.a.is_float() || q.b.is_float()) {
    return;
  }
  const float sa = q.a.quantization.scale(), sb = q.b.quantization.scale(), sy = q.y.scale();
  dla_addition sum;
  dla_requantization product;
  check_call(q.op != kDlaAdd || dla_derive_addition(sa, 0, sb, 0, sy, 0, kDlaNearestEven, &sum), call,
             "an input's scale is more than 2^117 times its output's; scales nearer to each other work");
  check_call(q.op != kDlaMultiply || dla_derive_requantization(sa, sb, sy, kDlaNearestEven, &product), call,
             "its inputs' scales, multiplied and divided by its output's, are beyond float32; smaller ones work");
}

LayerBody make(const Match& match, std::vector<NodeId>& inputs) {
  const Node& call = match["op"];
  Qbinary q{row_of([&](const BinaryRow& row) { return call.op->name == row.op; }).value,
            read_operand(match, "a", 0, inputs), read_operand(match, "b", 1, inputs),
            read_activation(match.graph(), match["y"]), match.has("relu")};
  check_scales(call, q);
  return q;
}

/// An operand's shape with as many dimensions as the call says the layer's output has.
std::vector<uint32_t> aligned_shape(const Operand& operand, const TensorType& output) {
  const std::size_t rank = shape_without_batch(output).size(), own = operand.shape.size();
  std::vector<uint32_t> shape(rank - std::min(rank, own), 1);
  shape.insert(shape.end(), operand.shape.end() - static_cast<std::ptrdiff_t>(std::min(rank, own)),
               operand.shape.end());
  return shape;
}

std::string operand_field(const Layer& layer, const std::string& name, const Operand& operand, TensorId input,
                          const Places& places) {
  const auto shape = aligned_shape(operand, layer.output_type);
  std::string text = "." + name + " = {";
  if (operand.constant != nullptr) {
    text += ".data = WEIGHT(" + layer.name + "_" + name + "), .is_constant = true";
  } else {
    text += operand.is_float() ? places.float_end("data", input) : ".data = " + places.arena(input);
  }
  text += (operand.is_float() ? ", .is_float = true" : "") + std::string(", .shape = ") + c_list(shape);
  if (!operand.is_float()) {
    text += ", .scale = " + c_float(operand.quantization.scale()) +
            ", .zero_point = " + std::to_string(operand.quantization.zero_point());
  }
  return text + "}";
}

CallText host_call(const Layer& layer, const Places& places) {
  const auto& q = std::get<Qbinary>(layer.body);
  const BinaryRow& row = row_of([&](const BinaryRow& other) { return q.op == other.value; });
  return {"dla_qbinary_cpu",
          "dla_qbinary_cpu",
          {name_field(layer) + ", .op = " + row.text, operand_field(layer, "a", q.a, layer.inputs.front(), places),
           operand_field(layer, "b", q.b, layer.inputs.back(), places), ".ofmap = " + places.arena(layer.output),
           shape_fields(layer.output_type), quantization_fields("ofmap", q.y),
           std::string(".relu = ") + c_bool(q.relu) + ", .rounding = " + c_rounding(places.rounding)}};
}

std::vector<HostConstant> host_constants(const Layer& layer, dla_rounding) {
  const auto& q = std::get<Qbinary>(layer.body);
  std::vector<HostConstant> constants;
  for (const auto& [name, operand] : {std::pair{"a", &q.a}, std::pair{"b", &q.b}}) {
    if (operand->constant != nullptr) {
      constants.push_back({name, operand->constant});
    }
  }
  return constants;
}

/// A sum or product of quantized operands, as com.microsoft's operator. Nothing where one is float32.
std::vector<OnnxCall> onnx_calls(const Layer& layer, const Graph&) {
  const auto& q = std::get<Qbinary>(layer.body);
  if (q.a.is_float() || q.b.is_float()) {
    return {};
  }
  OnnxCall call(q.op == kDlaAdd ? "com.microsoft.QLinearAdd" : "com.microsoft.QLinearMul");
  const auto read = [&](const char* name, const Operand& operand, std::size_t input) {
    operand.constant == nullptr ? call.reads(input, operand.quantization)
                                : call.reads(name, operand.constant, operand.quantization);
  };
  const std::size_t last = layer.inputs.size() - 1;
  const bool is_exchanged = q.op == kDlaAdd && is_first_broadcast(q.a.shape, q.b.shape);
  is_exchanged ? read("b", q.b, last) : read("a", q.a, 0);
  is_exchanged ? read("a", q.a, 0) : read("b", q.b, last);
  std::vector<OnnxCall> calls{call.quantized(q.y)};
  if (q.relu) {
    calls.push_back(onnx_relu(q.y));
  }
  return calls;
}

bool is_at_shifts(const Layer& layer) {
  const auto& q = std::get<Qbinary>(layer.body);
  const auto is_power = [](const Operand& operand) {
    return operand.is_float() || are_powers_of_two({operand.quantization});
  };
  return is_power(q.a) && is_power(q.b) && are_powers_of_two({q.y});
}

/// A tensor as [1, C, H, W]: rows and columns are its last two dimensions, or of two dimensions the last one.
Shape as_planes(const Shape& shape) {
  const std::size_t rank = shape.size();
  const int64_t columns = rank > 1 ? shape[rank - 1] : count_elements(shape);
  const int64_t rows = rank > 3 ? shape[rank - 2] : 1;
  return {1, count_elements(shape) / (rows * columns), rows, columns};
}

/// A sum of two activations: one of them behind an identity, the other as its residual. Nothing where one is
/// broadcast, constant or float32, both begin within a word, or the accelerator does not take the scales.
std::optional<DeviceForm> device_form(const Layer& layer) {
  const auto& q = std::get<Qbinary>(layer.body);
  const Shape& shape = layer.output_type.shape;
  const auto is_whole = [&](const Operand& operand) {
    return !operand.is_float() && operand.constant == nullptr && operand.shape == shape;
  };
  if (!is_whole(q.a) || !is_whole(q.b) || (q.a.is_slice && q.b.is_slice)) {
    return std::nullopt;
  }
  const std::size_t place = q.b.is_slice ? 1 : 0;
  const Operand &ifmap = place == 0 ? q.a : q.b, &other = place == 0 ? q.b : q.a;
  const Residual residual{other.quantization, q.y, place == 1, q.relu};
  const auto sum = addition_of(ifmap.quantization, residual, kDlaNearestEven);
  if (!sum || !dla_is_sum(sum->ra, sum->rb, sum->fx)) {
    return std::nullopt;
  }
  const Shape planes = as_planes(shape);
  Qconv2d conv = identity(planes[1], ifmap.quantization);
  conv.residual = residual;
  DeviceForm form = convolution_form(q.relu ? "qadd_relu" : "qadd", conv, planes);
  form.ifmap = place;
  return form;
}

LayerKind binary_kind(dla_binary value,
                      std::string_view why_on_host = "the accelerator computes with one tensor at a time") {
  const BinaryRow& row = row_of([value](const BinaryRow& other) { return other.value == value; });
  LayerKind kind{row.composite,
                 "op",
                 true,
                 {fusion(row, true), fusion(row, false)},
                 make,
                 why_on_host,
                 host_call,
                 host_constants,
                 value == kDlaAdd || value == kDlaMultiply ? onnx_calls : nullptr,
                 is_at_shifts};
  kind.device_form = value == kDlaAdd ? device_form : nullptr;
  return kind;
}

}  // namespace in_qbinary

LayerKind qadd_kind() { return in_qbinary::binary_kind(kDlaAdd, "the accelerator adds uint8 tensors of one shape"); }
LayerKind qsub_kind() { return in_qbinary::binary_kind(kDlaSubtract); }
LayerKind qmul_kind() { return in_qbinary::binary_kind(kDlaMultiply); }
LayerKind qdiv_kind() { return in_qbinary::binary_kind(kDlaDivide); }
LayerKind qmin_kind() { return in_qbinary::binary_kind(kDlaMinimum); }
LayerKind qmax_kind() { return in_qbinary::binary_kind(kDlaMaximum); }

}  // namespace fovea
