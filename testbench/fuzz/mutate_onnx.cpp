// SPDX-License-Identifier: Apache-2.0
/// \file
/// Mutations that keep a model a model.
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "onnx/import.h"
#include "readers.h"

namespace fovea {
namespace {

class OnnxMutation {
 public:
  OnnxMutation(onnx::GraphProto& graph, unsigned seed) : graph_(graph), random_(seed) {}

  void run() {
    switch (between(0, 9)) {
      case 0:
        return change_operator();
      case 1:
      case 2:
        return change_attribute();
      case 3:
        return rewire();
      case 4:
        return copy_node();
      case 5:
        return drop_node();
      case 6:
        return change_input_shape();
      case 7:
        return change_constant();
      case 8:
        return add_output();
      default:
        return change_constant_shape();
    }
  }

 private:
  std::int64_t between(std::int64_t first, std::int64_t last) {
    return std::uniform_int_distribution<std::int64_t>(first, last)(random_);
  }

  /// A number as files have them, and a few that hurt.
  std::int64_t number() {
    constexpr std::array<std::int64_t, 10> kHurting{
        0, -1, 1, INT64_MAX, INT64_MIN, INT32_MAX, INT32_MIN, std::int64_t{1} << 31, 46341, 65536};
    return between(0, 2) == 0 ? kHurting.at(static_cast<std::size_t>(between(0, 9))) : between(-2, 8);
  }

  onnx::NodeProto* node() {
    return graph_.node_size() == 0 ? nullptr
                                   : graph_.mutable_node(static_cast<int>(between(0, graph_.node_size() - 1)));
  }

  /// The name of any value.
  std::string value() {
    std::vector<std::string> names{""};
    for (const auto& input : graph_.input()) {
      names.push_back(input.name());
    }
    for (const auto& constant : graph_.initializer()) {
      names.push_back(constant.name());
    }
    for (const auto& each : graph_.node()) {
      names.insert(names.end(), each.output().begin(), each.output().end());
    }
    return names[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(names.size()) - 1))];
  }

  void change_operator() {
    static const std::vector<OnnxOperator> rows = list_onnx_operators();
    if (onnx::NodeProto* changed = node()) {
      const std::string name{
          rows[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(rows.size()) - 1))].name};
      const std::size_t dot = name.rfind('.');  // Behind a domain.
      changed->set_domain(dot == std::string::npos ? "" : name.substr(0, dot));
      changed->set_op_type(dot == std::string::npos ? name : name.substr(dot + 1));
    }
  }

  void change_attribute() {
    constexpr std::array kNames{"axis",         "axes",      "strides",   "pads",  "dilations",
                                "kernel_shape", "group",     "perm",      "split", "keepdims",
                                "to",           "blocksize", "ceil_mode", "alpha", "epsilon"};
    onnx::NodeProto* changed = node();
    if (changed == nullptr) {
      return;
    }
    onnx::AttributeProto* attribute = nullptr;
    if (changed->attribute_size() > 0 && between(0, 3) != 0) {
      attribute = changed->mutable_attribute(static_cast<int>(between(0, changed->attribute_size() - 1)));
    } else {
      attribute = changed->add_attribute();
      attribute->set_name(kNames.at(static_cast<std::size_t>(between(0, kNames.size() - 1))));
      attribute->set_type(between(0, 1) == 0 ? onnx::AttributeProto::INT : onnx::AttributeProto::INTS);
    }
    if (attribute->type() == onnx::AttributeProto::INT) {
      attribute->set_i(number());
    } else if (attribute->type() == onnx::AttributeProto::FLOAT) {
      attribute->set_f(static_cast<float>(number()));
    } else if (attribute->type() == onnx::AttributeProto::INTS) {
      if (attribute->ints_size() == 0 || between(0, 3) == 0) {
        attribute->add_ints(number());
      } else {
        attribute->set_ints(static_cast<int>(between(0, attribute->ints_size() - 1)), number());
      }
    }
  }

  void rewire() {
    if (onnx::NodeProto* changed = node()) {
      if (changed->input_size() == 0 || between(0, 4) == 0) {
        changed->add_input(value());
      } else {
        changed->set_input(static_cast<int>(between(0, changed->input_size() - 1)), value());
      }
    }
  }

  /// A node behind another one, between it and what reads it.
  void copy_node() {
    const onnx::NodeProto* copied = node();
    onnx::NodeProto* reader = node();
    if (copied == nullptr || reader->input_size() == 0) {
      return;
    }
    onnx::NodeProto added = *copied;
    const std::string name = "f" + std::to_string(random_());
    if (added.input_size() > 0) {
      added.set_input(0, reader->input(0));
    }
    added.clear_output();
    added.add_output(name);
    reader->set_input(0, name);
    const auto& nodes = graph_.node();
    auto place = static_cast<int>(
        std::find_if(nodes.begin(), nodes.end(), [&](const auto& each) { return &each == reader; }) - nodes.begin());
    *graph_.add_node() = added;
    for (int last = graph_.node_size() - 1; place < last; ++place) {
      graph_.mutable_node()->SwapElements(place, last);
    }
  }

  void drop_node() {
    if (graph_.node_size() > 1) {
      graph_.mutable_node()->DeleteSubrange(static_cast<int>(between(0, graph_.node_size() - 1)), 1);
    }
  }

  void change_input_shape() {
    if (graph_.input_size() == 0) {
      return;
    }
    auto* shape = graph_.mutable_input(static_cast<int>(between(0, graph_.input_size() - 1)))
                      ->mutable_type()
                      ->mutable_tensor_type()
                      ->mutable_shape();
    if (shape->dim_size() == 0 || between(0, 5) == 0) {
      shape->add_dim()->set_dim_value(number());
    } else {
      shape->mutable_dim(static_cast<int>(between(0, shape->dim_size() - 1)))->set_dim_value(number());
    }
  }

  onnx::TensorProto* constant() {
    return graph_.initializer_size() == 0
               ? nullptr
               : graph_.mutable_initializer(static_cast<int>(between(0, graph_.initializer_size() - 1)));
  }

  void change_constant() {
    if (onnx::TensorProto* changed = constant()) {
      std::string& raw = *changed->mutable_raw_data();
      if (!raw.empty()) {
        raw[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(raw.size()) - 1))] =
            static_cast<char>(between(-128, 127));
      }
    }
  }

  void change_constant_shape() {
    if (onnx::TensorProto* changed = constant()) {
      if (changed->dims_size() == 0 || between(0, 4) == 0) {
        changed->add_dims(number());
      } else {
        changed->set_dims(static_cast<int>(between(0, changed->dims_size() - 1)), number());
      }
    }
  }

  void add_output() { graph_.add_output()->set_name(value()); }

  onnx::GraphProto& graph_;
  std::mt19937 random_;
};

}  // namespace

std::size_t mutate_onnx(std::uint8_t* bytes, std::size_t size, std::size_t most, unsigned seed) {
  onnx::ModelProto model;
  if (!model.ParseFromArray(bytes, static_cast<int>(size))) {
    return 0;
  }
  OnnxMutation(*model.mutable_graph(), seed).run();
  const std::size_t changed = model.ByteSizeLong();
  return changed <= most && model.SerializeToArray(bytes, static_cast<int>(changed)) ? changed : 0;
}

}  // namespace fovea
