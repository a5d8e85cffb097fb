// SPDX-License-Identifier: Apache-2.0
/// \file
/// Operators of two operands of random networks: branches of one shape or broadcast, a value and itself, constants.
#include <algorithm>
#include <cmath>

#include "network_drawing.h"
#include "network_values.h"
#include "network_writer.h"

namespace fovea {
namespace {

using Dims = std::vector<int64_t>;

/// One side of the operator: a value of the network, or its constant.
struct Side {
  Dims shape;
  ValueQuant quant;
  Bytes bytes;
  std::vector<float> reals;  ///< Dequantized, or what a float32 constant is.
};

Side side_of(const DrawnNetwork& network, const DrawnNode& node, const Values& values, std::size_t place) {
  if (node.constant && node.constant->place == place) {
    const DrawnConstant& c = *node.constant;
    return {c.shape, c.quant, c.bytes, c.is_float ? c.reals : dequantize_bytes(c.bytes, c.quant)};
  }
  const ValueId id = node.inputs[node.constant ? 0 : place];
  const ValueQuant& quant = network.nodes[id].quant;
  return {network.nodes[id].shape, quant, values[id], dequantize_bytes(values[id], quant)};
}

bool is_quantized(const DrawnNode& node) { return !node.constant || !node.constant->is_float; }

/// A dimension counted from the last; 1 beyond the first.
int64_t from_last(const Dims& shape, std::size_t i) { return i < shape.size() ? shape[shape.size() - 1 - i] : 1; }

/// Shape of two tensors together; nothing where they don't fit.
std::optional<Dims> joined(const Dims& a, const Dims& b) {
  Dims shape;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const int64_t x = from_last(a, i), y = from_last(b, i);
    if (x != y && x != 1 && y != 1) {
      return std::nullopt;
    }
    shape.insert(shape.begin(), std::max(x, y));
  }
  return shape;
}

std::size_t element_of(const Dims& shape, const Dims& whole, std::size_t index) {
  std::size_t place = 0, step = 1;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const auto size = static_cast<std::size_t>(from_last(whole, i));
    place += from_last(shape, i) == 1 ? 0 : index % size * step;
    step *= static_cast<std::size_t>(from_last(shape, i));
    index /= size;
  }
  return place;
}

/// Applies `combine(a, i, b, j)` to the elements that meet.
template <typename Result, typename Combine>
std::vector<Result> combined(const Dims& shape, const Side& a, const Side& b, Combine combine) {
  std::vector<Result> results;
  for (std::size_t i = 0; i < element_count(shape); ++i) {
    results.push_back(combine(a, element_of(a.shape, shape, i), b, element_of(b.shape, shape, i)));
  }
  return results;
}

template <typename Real>
Real combine_reals(char op, Real a, Real b) {
  return op == '+'   ? a + b
         : op == '-' ? a - b
         : op == '*' ? a * b
         : op == '/' ? a / b
         : op == '<' ? std::min(a, b)
                     : std::max(a, b);
}

std::vector<double> reals(const DrawnNetwork& network, const DrawnNode& node, const Values& values) {
  return combined<double>(node.shape, side_of(network, node, values, 0), side_of(network, node, values, 1),
                          [&](const Side& a, std::size_t i, const Side& b, std::size_t j) {
                            return combine_reals<double>(node.op, a.reals[i], b.reals[j]);
                          });
}

/// Whether ONNX Runtime exchanges the operands of a sum: the first is the same along the innermost axis of more than
/// one element, of those that both have.
bool is_exchanged(const Dims& a, const Dims& b) {
  const std::size_t axes = std::min(a.size(), b.size());
  for (std::size_t i = 0; i < axes; ++i) {
    if (std::max(from_last(a, i), from_last(b, i)) > 1 || i + 1 == axes) {
      return from_last(a, i) == 1;
    }
  }
  return from_last(a, 0) == 1;
}

uint8_t saturated(float x) { return static_cast<uint8_t>(std::clamp(std::nearbyint(x), 0.0F, 255.0F)); }

/// The zero point is inside the rounding, and the second operand is the first that is added to it.
Bytes add(const DrawnNode& node, Side first, Side second) {
  if (is_exchanged(first.shape, second.shape)) {
    std::swap(first, second);
  }
  const float ra = first.quant.scale / node.quant.scale, rb = second.quant.scale / node.quant.scale;
  const auto za = static_cast<float>(first.quant.zero_point), zb = static_cast<float>(second.quant.zero_point);
  const float fixed = static_cast<float>(node.quant.zero_point) - std::fma(ra, za, rb * zb);
  return combined<uint8_t>(node.shape, first, second, [&](const Side& a, std::size_t i, const Side& b, std::size_t j) {
    return saturated(std::fma(static_cast<float>(a.bytes[i]), ra, std::fma(static_cast<float>(b.bytes[j]), rb, fixed)));
  });
}

/// The zero point is inside the rounding.
Bytes multiply(const DrawnNode& node, const Side& first, const Side& second) {
  const float scale = first.quant.scale * second.quant.scale / node.quant.scale;
  return combined<uint8_t>(node.shape, first, second, [&](const Side& a, std::size_t i, const Side& b, std::size_t j) {
    const int product = (a.bytes[i] - a.quant.zero_point) * (b.bytes[j] - b.quant.zero_point);
    const float scaled = static_cast<float>(product) * scale;
    return saturated(scaled + static_cast<float>(node.quant.zero_point));
  });
}

Bytes evaluate(const DrawnNetwork& network, const DrawnNode& node, const Values& values) {
  const Side first = side_of(network, node, values, 0), second = side_of(network, node, values, 1);
  if (is_quantized(node) && node.op == '+') {
    return add(node, first, second);
  }
  if (is_quantized(node) && node.op == '*') {
    return multiply(node, first, second);
  }
  return combined<uint8_t>(node.shape, first, second, [&](const Side& a, std::size_t i, const Side& b, std::size_t j) {
    return quantize_outside(combine_reals(node.op, a.reals[i], b.reals[j]) / node.quant.scale, node.quant.zero_point);
  });
}

/// A shape that fits `x`, often with fewer dimensions; where x has a dimension of 1, it may have more elements.
Dims draw_constant_shape(NetworkDrawing& drawing, const Dims& x) {
  Dims shape;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool is_wider = i > 0 && x[i] == 1 && drawing.one_in(3);
    shape.push_back(is_wider ? drawing.between(1, 4) : drawing.one_in(2) ? 1 : x[i]);
  }
  while (!shape.empty() && shape.front() == 1 && !drawing.one_in(3)) {
    shape.erase(shape.begin());
  }
  return shape;
}

/// Divisors are kept away from 0.
DrawnConstant draw_constant(NetworkDrawing& drawing, const Dims& x, bool is_divisor) {
  DrawnConstant constant;
  constant.shape = draw_constant_shape(drawing, x);
  constant.place = is_divisor ? 1 : static_cast<std::size_t>(drawing.between(0, 1));
  constant.is_float = drawing.one_in(2);
  constant.is_quantized_here = drawing.one_in(2);
  constant.quant = {static_cast<float>(drawing.between(1000, 2000)) / 100'000,
                    static_cast<int32_t>(is_divisor ? 0 : drawing.between(0, 255))};
  for (std::size_t i = 0; i < element_count(constant.shape); ++i) {
    constant.bytes.push_back(static_cast<uint8_t>(drawing.between(is_divisor ? 64 : 0, 255)));
    const float real = static_cast<float>(drawing.between(300, 1500)) / 1000;
    constant.reals.push_back(drawing.one_in(2) ? real : -real);
  }
  return constant;
}

/// A value to meet `a`: itself, one of the same shape, one that is broadcast, or a branch of either kind.
ValueId draw_partner(NetworkDrawing& drawing, ValueId a) {
  const Dims shape = drawing.shape(a);
  if (drawing.one_in(8)) {
    return a;
  }
  const auto partner = drawing.pick([&](ValueId id) {
    const bool is_asked = id != a && (drawing.shape(id) == shape || drawing.one_in(2));
    const auto together = joined(drawing.shape(id), shape);
    return is_asked && together && (*together)[0] == 1 && element_count(*together) <= 4096;
  });
  return partner && drawing.one_in(2) ? *partner : draw_branch(drawing, a, drawing.one_in(4) ? 1 : shape[1]);
}

bool draw(NetworkDrawing& drawing, const OperatorRow& row, const std::string& ops) {
  const auto a = drawing.pick([](ValueId) { return true; });
  if (!a) {
    return false;
  }
  DrawnNode node;
  node.row = &row;
  node.op = ops[static_cast<std::size_t>(drawing.between(0, static_cast<int64_t>(ops.size()) - 1))];
  node.inputs = {*a};
  node.shape = drawing.shape(*a);
  const bool is_divisor = node.op == '/';
  if (is_divisor || drawing.one_in(3)) {
    node.constant = draw_constant(drawing, node.shape, is_divisor);
    node.shape = *joined(node.shape, node.constant->shape);
  } else {
    node.inputs.push_back(draw_partner(drawing, *a));
    node.shape = *joined(node.shape, drawing.shape(node.inputs[1]));
    if (drawing.one_in(2)) {
      std::swap(node.inputs[0], node.inputs[1]);
    }
  }
  node.relu = drawing.one_in(node.op == '+' ? 2 : 6);
  drawing.add(std::move(node));
  return true;
}

bool draw_add(NetworkDrawing& drawing) { return draw(drawing, kAddRow, "+"); }
bool draw_multiply(NetworkDrawing& drawing) { return draw(drawing, kMulRow, "*"); }
bool draw_others(NetworkDrawing& drawing) { return draw(drawing, kCombineRow, "--/<>"); }

const char* onnx_name(char op) {
  return op == '+' ? "Add" : op == '-' ? "Sub" : op == '*' ? "Mul" : op == '/' ? "Div" : op == '<' ? "Min" : "Max";
}

std::string write_float(NetworkWriter& writer, const DrawnNode& node, const std::vector<std::string>& inputs) {
  std::vector<std::string> all = inputs;
  if (node.constant) {
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(node.constant->place), writer.float_constant(node));
  }
  writer.node(onnx_name(node.op), all, node.name + "_sum");
  return node.name + "_sum";
}

/// ONNX Runtime has kernels for quantized sums and products.
std::string write_uint8(NetworkWriter& writer, const DrawnNode& node, const std::vector<std::string>& inputs) {
  std::vector<std::string> all;
  for (std::size_t place = 0, next = 0; place < 2; ++place) {
    if (node.constant && node.constant->place == place) {
      const std::string constant = writer.constant(node);
      all.insert(all.end(), {constant, constant + "_scale", constant + "_zero"});
    } else {
      all.push_back(inputs[next]);
      NetworkWriter::add_quant(all, writer.input_of(node, next++));
    }
  }
  NetworkWriter::add_quant(all, node);
  writer.node(std::string("QLinear") + onnx_name(node.op), all, node.name + "_sum", true);
  return node.name + "_sum";
}

bool has_uint8(const DrawnNode& node) { return is_quantized(node) && (node.op == '+' || node.op == '*'); }

}  // namespace

const OperatorRow kAddRow{"add", 4, draw_add, reals, evaluate, write_float, write_uint8, has_uint8};
const OperatorRow kMulRow{"mul", 3, draw_multiply, reals, evaluate, write_float, write_uint8, has_uint8};
const OperatorRow kCombineRow{"combine", 3, draw_others, reals, evaluate, write_float, write_uint8, has_uint8};

}  // namespace fovea
