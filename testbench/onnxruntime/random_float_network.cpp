// SPDX-License-Identifier: Apache-2.0
/// \file
/// Draws an input, operators by their rows, and outputs.
#include "random_float_network.h"

#include <cmath>
#include <set>

namespace fovea {
namespace {

constexpr int64_t kMostElements = 4096;  // Of a value.

int64_t count(const std::vector<int64_t>& shape) {
  int64_t elements = 1;
  for (const int64_t size : shape) {
    elements *= size;
  }
  return elements;
}

std::vector<int64_t> draw_shape(std::mt19937_64& random) {
  const auto draw = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  const int64_t channels = 2 * draw(1, 4), rows = draw(3, 8);
  return {1, channels, rows, draw(3, 8)};
}

const std::vector<FloatOperatorRow>& all_rows() {
  static const std::vector<FloatOperatorRow> rows = [] {
    std::vector<FloatOperatorRow> all = float_elementwise_rows();
    const std::vector<FloatOperatorRow> others = float_tensor_rows();
    all.insert(all.end(), others.begin(), others.end());
    return all;
  }();
  return rows;
}

}  // namespace

RandomFloatNetwork::RandomFloatNetwork(uint64_t seed) : random_(seed) {
  const std::vector<int64_t> shape = draw_shape(random_);
  model_ = ModelBuilder(shape, 0.03F);
  model_.model().mutable_opset_import(0)->set_version(20);
  model_.model().set_ir_version(9);
  values_.push_back({"x", shape});
  const std::vector<FloatOperatorRow>& rows = all_rows();
  const int64_t operators = draw(2, 10);
  for (int64_t i = 0; i < operators; ++i) {
    rows[static_cast<std::size_t>(draw(0, static_cast<int64_t>(rows.size()) - 1))].add(*this);
  }
  for (std::size_t i = 0; values_.size() < 2; ++i) {  // A network computes something.
    rows[i].add(*this);
  }
  std::set<std::size_t> outputs{values_.size() - 1};
  while (draw(0, 2) == 0) {
    outputs.insert(static_cast<std::size_t>(draw(1, static_cast<int64_t>(values_.size()) - 1)));
  }
  for (const std::size_t output : outputs) {
    model_.output(values_[output].name);
  }
  for (auto& output : *model_.graph().mutable_output()) {
    output.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
  }
}

std::vector<float> RandomFloatNetwork::input_values() {
  std::vector<float> values(static_cast<std::size_t>(count(input_shape())));
  std::generate(values.begin(), values.end(), [&] { return real(4); });
  return values;
}

std::string RandomFloatNetwork::operators() const {
  std::string all;
  for (const onnx::NodeProto& node : const_cast<ModelBuilder&>(model_).graph().node()) {
    all += node.op_type() + " ";
  }
  return all;
}

std::string RandomFloatNetwork::floats(const std::vector<int64_t>& shape, float most, float least) {
  std::vector<float> values(static_cast<std::size_t>(count(shape)));
  std::generate(values.begin(), values.end(),
                [&] { return least > 0 ? least + std::abs(real(most - least)) : real(most); });
  return model_.floats("c" + std::to_string(names_++), shape, values).name();
}

std::string RandomFloatNetwork::integers(const std::vector<int64_t>& values) {
  const std::vector<int64_t> shape{static_cast<int64_t>(values.size())};
  return model_.integers("c" + std::to_string(names_++), onnx::TensorProto::INT64, shape, values).name();
}

std::string RandomFloatNetwork::int8s(const std::vector<int64_t>& shape) {
  std::vector<int64_t> values(static_cast<std::size_t>(count(shape)));
  std::generate(values.begin(), values.end(), [&] { return draw(-127, 127); });
  return model_.integers("c" + std::to_string(names_++), onnx::TensorProto::INT8, shape, values).name();
}

std::string RandomFloatNetwork::zero_of_int8() {
  return model_.integers("c" + std::to_string(names_++), onnx::TensorProto::INT8, {}, {0}).name();
}

onnx::NodeProto& RandomFloatNetwork::node(const std::string& op, const std::vector<std::string>& inputs) {
  const std::string name = "v" + std::to_string(names_++);
  return model_.node(op, name, inputs, {name});
}

std::string RandomFloatNetwork::last() const {
  const auto& nodes = const_cast<ModelBuilder&>(model_).graph().node();
  return nodes.Get(nodes.size() - 1).output(0);
}

void RandomFloatNetwork::keep(std::vector<int64_t> shape, bool is_exact, double size) {
  if (count(shape) <= kMostElements) {
    values_.push_back({last(), std::move(shape), is_exact, size});
  }
}

void RandomFloatNetwork::keep_constant(const std::vector<int64_t>& shape) {
  values_.push_back({floats(shape, 4), shape});
}

}  // namespace fovea
