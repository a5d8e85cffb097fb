// SPDX-License-Identifier: Apache-2.0
/// \file
/// For tests: random calls of every operator that has a definition.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ir/graph.h"
#include "ops/operator.h"
#include "tensor/tensor.h"

namespace fovea {

/// A call, and values for its inputs.
struct DrawnCall {
  Node call;
  std::vector<Tensor> inputs;

  std::vector<const Tensor*> pointers() const {
    std::vector<const Tensor*> all;
    for (const Tensor& each : inputs) {
      all.push_back(&each);
    }
    return all;
  }
  std::vector<TensorType> types() const {
    std::vector<TensorType> all;
    for (const Tensor& each : inputs) {
      all.push_back(each.type());
    }
    return all;
  }
};

class CallDrawing {
 public:
  explicit CallDrawing(unsigned seed) : source_(seed) {}

  int64_t between(int64_t first, int64_t last) {
    return first + static_cast<int64_t>(source_() % static_cast<uint64_t>(last - first + 1));
  }

  Shape shape(std::size_t rank, int64_t most = 6) {
    Shape shape;
    for (std::size_t i = 0; i < rank; ++i) {
      shape.push_back(between(1, most));
    }
    return shape;
  }

  /// Values of -8 to 8 with fractions, or of the whole type; `positive` ones are not below 1/16.
  Tensor tensor(Shape shape, ElementType element = ElementType::kFloat32, bool positive = false) {
    Tensor tensor({std::move(shape), element});
    for (std::size_t i = 0; i < static_cast<std::size_t>(count_elements(tensor.type().shape)); ++i) {
      if (element == ElementType::kFloat32) {
        const double value = static_cast<double>(between(-8000, 8000)) / 1000.7;
        tensor.set(i, positive ? std::abs(value) + 0.0625 : value);
      } else if (element == ElementType::kInt64 || element == ElementType::kInt32) {
        const int64_t value = between(-100000, 100000);
        tensor.set_integer(i, value == 0 || positive ? 7 : value);
      } else {
        tensor.set_integer(i, element == ElementType::kBool ? between(0, 1) : between(1, 255));
      }
    }
    return tensor;
  }

  /// A type of numbers.
  ElementType any_type() {
    constexpr ElementType kAll[] = {ElementType::kFloat32, ElementType::kInt64, ElementType::kInt32,
                                    ElementType::kUint8, ElementType::kInt8};
    return kAll[between(0, 4)];
  }

  ElementType any_integer() {
    const ElementType element = any_type();
    return element == ElementType::kFloat32 ? ElementType::kInt32 : element;
  }

  ElementType any_type_or_bool() { return between(0, 3) == 0 ? ElementType::kBool : any_type(); }

  /// A call of an operator that has a definition, or of another nothing: its op is null.
  DrawnCall draw(const Operator& op) {
    DrawnCall drawn;
    drawn.call.op = &op;
    for (const AttributeSpec& spec : op.attributes) {
      if (spec.kind == AttributeKind::kFloat) {
        drawn.call.attributes[spec.name] = static_cast<double>(between(1, 64)) / 32 + (spec.name == "max" ? 3 : 0);
      } else if (spec.kind == AttributeKind::kInt) {
        drawn.call.attributes[spec.name] = between(0, 1);
      }
    }
    if (op.unary != nullptr) {
      const bool is_for_positive = op.name == "log" || op.name == "sqrt" || op.name == "reciprocal";
      drawn.inputs = {tensor(shape(static_cast<std::size_t>(between(0, 4))), ElementType::kFloat32, is_for_positive)};
    } else if (op.binary != nullptr) {
      draw_binary(drawn);
    } else if (op.define != nullptr) {
      draw_defined(drawn, op.name);
    } else {
      drawn.call.op = nullptr;
    }
    return drawn;
  }

 private:
  void draw_binary(DrawnCall& drawn) {
    Shape a = shape(static_cast<std::size_t>(between(1, 4))), b = a;
    b.erase(b.begin(), b.begin() + between(0, static_cast<int64_t>(b.size()) - 1));
    for (int64_t& size : b) {
      size = between(0, 1) == 0 ? 1 : size;
    }
    if (between(0, 1) == 0) {
      std::swap(a, b);
    }
    const std::string& name = drawn.call.op->name;
    const ElementType element = name.starts_with("logical_")              ? ElementType::kBool
                                : name == "equal"                         ? any_type_or_bool()
                                : name == "remainder" || name == "modulo" ? any_integer()
                                                                          : any_type();
    drawn.inputs = {tensor(a, element), tensor(b, element, true)};
  }

  void draw_axis(DrawnCall& drawn, const Shape& x) {
    drawn.call.attributes["axis"] = between(-static_cast<int64_t>(x.size()), static_cast<int64_t>(x.size()) - 1);
  }

  /// Attributes of a window that fits x [N, C, H, W].
  void draw_window(DrawnCall& drawn, const std::vector<int64_t>& kernel) {
    drawn.call.attributes["strides"] = std::vector<int64_t>{between(1, 3), between(1, 3)};
    drawn.call.attributes["dilations"] = std::vector<int64_t>{between(1, 2), between(1, 2)};
    std::vector<int64_t> pads;
    for (int i = 0; i < 4; ++i) {
      pads.push_back(between(0, kernel[static_cast<std::size_t>(i % 2)] - 1));
    }
    drawn.call.attributes["pads"] = pads;
  }

  void draw_defined(DrawnCall& drawn, const std::string& name) {
    const Shape x = shape(4);
    if (name == "nn.conv2d") {
      const int64_t groups = between(1, 3), channels = between(1, 3);
      const Shape w{groups * between(1, 2), channels, between(1, 3), between(1, 3)};
      draw_window(drawn, {w[2], w[3]});
      drawn.call.attributes["groups"] = groups;
      drawn.inputs = {tensor({between(1, 2), groups * channels, between(5, 8), between(5, 8)}), tensor(w)};
    } else if (name == "nn.dense") {
      drawn.inputs = {tensor({x[0], x[1]}), tensor({x[2], x[1]})};
    } else if (name == "nn.max_pool2d" || name == "nn.avg_pool2d") {
      const std::vector<int64_t> kernel{between(1, 3), between(1, 3)};
      drawn.call.attributes["kernel"] = kernel;
      draw_window(drawn, kernel);
      const ElementType element = name == "nn.avg_pool2d" ? ElementType::kFloat32 : any_type();
      drawn.inputs = {tensor({x[0], x[1], between(5, 8), between(5, 8)}, element)};
    } else if (name == "nn.bias_add") {
      draw_axis(drawn, x);
      const int64_t axis = std::get<int64_t>(drawn.call.attributes["axis"]);
      drawn.inputs = {tensor(x), tensor({x[static_cast<std::size_t>(axis < 0 ? axis + 4 : axis)]})};
    } else if (name == "nn.batch_norm") {
      const Shape one{x[1]};
      drawn.inputs = {tensor(x), tensor(one), tensor(one), tensor(one), tensor(one, ElementType::kFloat32, true)};
    } else if (name == "nn.prelu") {
      drawn.inputs = {tensor(x), tensor({x[1], 1, between(0, 1) == 0 ? 1 : x[3]})};
    } else if (name == "qnn.quantize" || name == "qnn.dequantize") {
      const ElementType element = between(0, 1) == 0 ? ElementType::kUint8 : ElementType::kInt8;
      drawn.call.attributes["axis"] = int64_t{1};
      const Shape parameters = between(0, 1) == 0 ? Shape{} : Shape{x[1]};
      drawn.inputs = {tensor(x, name == "qnn.quantize" ? ElementType::kFloat32 : element),
                      tensor(parameters, ElementType::kFloat32, true), tensor(parameters, element)};
    } else if (name == "cast") {
      drawn.call.attributes["dtype"] = std::string(to_text(any_type_or_bool()));
      drawn.inputs = {tensor(x, any_type_or_bool())};
      if (drawn.inputs[0].type().element == ElementType::kFloat32) {
        drawn.inputs[0] = tensor(x, ElementType::kFloat32, true);
      }
    } else if (name == "concatenate") {
      draw_axis(drawn, x);
      const int64_t axis = std::get<int64_t>(drawn.call.attributes["axis"]);
      const ElementType element = any_type_or_bool();
      for (int64_t i = between(1, 3); i > 0; --i) {
        Shape part = x;
        part[static_cast<std::size_t>(axis < 0 ? axis + 4 : axis)] = between(1, 4);
        drawn.inputs.push_back(tensor(part, element));
      }
    } else if (name == "sum" || name == "prod" || name == "min" || name == "max") {
      drawn.call.attributes["axes"] = std::vector<int64_t>{between(0, 1), between(2, 3)};
      drawn.inputs = {tensor(x, name == "prod" ? ElementType::kFloat32 : any_type())};
    } else if (name == "logical_not") {
      drawn.inputs = {tensor(x, ElementType::kBool)};
    } else if (name == "where") {
      const ElementType element = any_type_or_bool();
      drawn.inputs = {tensor({x[2], 1}, ElementType::kBool), tensor(x, element), tensor({x[1], 1, x[3]}, element)};
    } else if (name == "power") {
      drawn.inputs = {tensor(x, ElementType::kFloat32, true), tensor({x[3]})};
    } else if (name == "nn.lrn") {
      drawn.call.attributes["size"] = between(1, 5);
      drawn.inputs = {tensor(x)};
    } else if (name == "nn.instance_norm") {
      drawn.inputs = {tensor(x), tensor({x[1]}), tensor({x[1]})};
    } else if (name == "nn.layer_norm") {
      const int64_t axis = between(0, 3);
      drawn.call.attributes["axis"] = axis;
      const Shape normal(x.begin() + axis, x.end());
      drawn.inputs = {tensor(x), tensor(normal), tensor(normal)};
    } else if (name == "matmul") {
      drawn.inputs = {tensor({x[0], 1, x[1], x[2]}), tensor({between(0, 1) == 0 ? 1 : x[0], x[3], x[2], x[0]})};
      if (between(0, 2) == 0) {
        drawn.inputs[static_cast<std::size_t>(between(0, 1))] = tensor({x[2]});
      }
    } else if (name == "gather") {
      draw_axis(drawn, x);
      Tensor indices({{x[1], x[2]}, between(0, 1) == 0 ? ElementType::kInt64 : ElementType::kInt32});
      for (int64_t i = 0; i < x[1] * x[2]; ++i) {
        indices.set_integer(static_cast<std::size_t>(i), between(-8, 7));
      }
      drawn.inputs = {tensor(x, any_type_or_bool()), indices};
    } else if (name == "gather_elements") {
      draw_axis(drawn, x);
      Tensor indices({x, between(0, 1) == 0 ? ElementType::kInt64 : ElementType::kInt32});
      for (int64_t i = 0; i < count_elements(x); ++i) {
        indices.set_integer(static_cast<std::size_t>(i), between(-8, 7));
      }
      drawn.inputs = {tensor(x, any_type_or_bool()), indices};
    } else if (name == "scatter_elements") {
      draw_axis(drawn, x);
      drawn.call.attributes["reduction"] = std::vector<std::string>{"none", "add", "mul", "min", "max"}[between(0, 4)];
      const Shape part{between(1, x[0]), between(1, x[1]), between(1, x[2]), between(1, x[3])};
      Tensor indices({part, between(0, 1) == 0 ? ElementType::kInt64 : ElementType::kInt32});
      for (int64_t i = 0; i < count_elements(part); ++i) {
        indices.set_integer(static_cast<std::size_t>(i), between(-8, 7));
      }
      const ElementType element = any_type();
      drawn.inputs = {tensor(x, element), indices, tensor(part, element)};
    } else if (name == "topk") {
      drawn.call.attributes["axis"] = int64_t{2};
      drawn.call.attributes["k"] = between(1, x[2]);
      Tensor ranks({x, ElementType::kInt64});
      for (int64_t i = 0; i < count_elements(x); ++i) {
        ranks.set_integer(static_cast<std::size_t>(i), between(0, x[2]));
      }
      drawn.inputs = {ranks};
    } else if (name == "resample") {
      const int64_t first = between(0, 3), last = between(first, 3), taps = between(1, 4);
      std::vector<int64_t> axes{first}, sizes{between(1, 6)};
      if (last != first) {
        axes.push_back(last);
        sizes.push_back(between(1, 6));
      }
      const Shape all{taps * std::accumulate(sizes.begin(), sizes.end(), int64_t{0})};
      Tensor places({all, ElementType::kInt32});
      for (int64_t i = 0; i < all[0]; ++i) {
        places.set_integer(static_cast<std::size_t>(i), between(-1, 6));
      }
      drawn.call.attributes = {{"axes", axes}, {"sizes", sizes}, {"taps", taps}};
      drawn.inputs = {tensor(x), places, tensor(all)};
    } else if (name == "argmax" || name == "argmin" || name == "rank" || name == "cumsum") {
      draw_axis(drawn, x);
      drawn.inputs = {tensor(x, any_type())};
    } else {  // softmax, global_avg_pool2d, and what is drawn so as well.
      draw_axis(drawn, x);
      if (drawn.call.op->attributes.empty()) {
        drawn.call.attributes.clear();
      }
      drawn.inputs = {tensor(x)};
    }
  }

  std::mt19937 source_;
};

/// SEED of the environment, or 1; a test prints it.
inline unsigned drawing_seed() {
  const char* const seed = std::getenv("SEED");
  return seed == nullptr ? 1 : static_cast<unsigned>(std::strtoul(seed, nullptr, 10));
}

}  // namespace fovea
