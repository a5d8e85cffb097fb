// SPDX-License-Identifier: Apache-2.0
/// \file
/// Writes sizes into the types that a graph declares of its inputs.
#include "bind_shapes.h"

#include <algorithm>
#include <set>
#include <vector>

#include "tensor/error.h"

namespace fovea {
namespace {

/// For an example of what is to be typed.
constexpr int64_t kLikelySize = 224;

/// As --shape takes it.
std::string flag_of(const std::string& input, const Shape& shape) {
  std::string text = "--shape " + input;
  for (std::size_t place = 0; place < shape.size(); ++place) {
    text += (place == 0 ? "=" : "x") + std::to_string(shape[place]);
  }
  return text;
}

class Binding {
 public:
  explicit Binding(const onnx::GraphProto& graph) : graph_(graph) {
    for (const onnx::TensorProto& initializer : graph.initializer()) {
      initializers_.insert(initializer.name());
    }
  }

  void bind(const std::string& name, const Shape& shape) {
    onnx::ValueInfoProto& input = find(name, shape);
    onnx::TypeProto::Tensor& tensor = *input.mutable_type()->mutable_tensor_type();
    if (!tensor.has_shape()) {
      for (std::size_t place = 0; place < shape.size(); ++place) {
        tensor.mutable_shape()->add_dim();
      }
    }
    auto& dimensions = *tensor.mutable_shape()->mutable_dim();
    const std::string flag = flag_of(name, shape);
    if (dimensions.size() != static_cast<int>(shape.size())) {
      user_error(flag + ": the input has " + std::to_string(dimensions.size()) + " dimensions; give each its size");
    }
    for (int place = 0; place < dimensions.size(); ++place) {
      auto& dimension = dimensions[place];
      const int64_t size = shape[static_cast<std::size_t>(place)];
      if (!is_open(dimension) && dimension.dim_value() != size) {
        user_error(flag + ": dimension " + std::to_string(place) + " is " + std::to_string(dimension.dim_value()) +
                   " in the file; only open dimensions may be chosen");
      }
      if (!dimension.dim_param().empty()) {
        name_size(dimension.dim_param(), size, flag);
      }
      dimension.set_dim_value(size);
    }
  }

  /// Sizes the first dimensions that are open.
  void bind_batch(int64_t pictures) {
    for (onnx::ValueInfoProto& input : *graph_.mutable_input()) {
      if (initializers_.count(input.name()) != 0 || input.type().tensor_type().shape().dim_size() == 0) {
        continue;
      }
      auto& shape = *input.mutable_type()->mutable_tensor_type()->mutable_shape();
      if (!is_open(shape.dim(0))) {
        continue;
      }
      if (!shape.dim(0).dim_param().empty()) {
        name_size(shape.dim(0).dim_param(), pictures, "--batch " + std::to_string(pictures));
      }
      shape.mutable_dim(0)->set_dim_value(pictures);
    }
  }

  /// The first dimensions of inputs that have dimensions.
  std::vector<onnx::TensorShapeProto::Dimension> first_dimensions() const {
    std::vector<onnx::TensorShapeProto::Dimension> dimensions;
    for (const onnx::ValueInfoProto& input : graph_.input()) {
      if (initializers_.count(input.name()) == 0 && input.type().tensor_type().shape().dim_size() != 0) {
        dimensions.push_back(input.type().tensor_type().shape().dim(0));
      }
    }
    return dimensions;
  }

  /// With named sizes in all inputs.
  onnx::GraphProto bound() {
    for (onnx::ValueInfoProto& input : *graph_.mutable_input()) {
      if (!input.type().tensor_type().has_shape()) {
        continue;
      }
      for (auto& dimension : *input.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim()) {
        if (const auto size = sizes_.find(dimension.dim_param()); size != sizes_.end()) {
          dimension.set_dim_value(size->second);
        }
      }
    }
    return std::move(graph_);
  }

 private:
  onnx::ValueInfoProto& find(const std::string& name, const Shape& shape) {
    std::string names;
    for (onnx::ValueInfoProto& input : *graph_.mutable_input()) {
      if (initializers_.count(input.name()) != 0) {
        continue;
      }
      if (input.name() == name) {
        return input;
      }
      names += (names.empty() ? "" : ", ") + input.name();
    }
    user_error(flag_of(name, shape) + ": the network has no input of that name; it has " +
               (names.empty() ? "none" : names));
  }

  void name_size(const std::string& name, int64_t size, const std::string& flag) {
    if (const auto [found, is_new] = sizes_.emplace(name, size); !is_new && found->second != size) {
      user_error(flag + ": the dimension " + name + " is " + std::to_string(size) + " here and " +
                 std::to_string(found->second) + " before; give it one size");
    }
  }

  onnx::GraphProto graph_;
  std::set<std::string> initializers_;
  std::map<std::string, int64_t> sizes_;  ///< By the names of dimensions.
};

}  // namespace

std::optional<onnx::GraphProto> bind_shapes(const onnx::GraphProto& graph, const std::map<std::string, Shape>& shapes) {
  if (shapes.empty()) {
    return std::nullopt;
  }
  Binding binding(graph);
  for (const auto& [name, shape] : shapes) {
    binding.bind(name, shape);
  }
  return binding.bound();
}

BatchForm find_batch_form(const onnx::GraphProto& graph, int64_t pictures) {
  const auto dimensions = Binding(graph).first_dimensions();
  const auto has = [&](int64_t size) {
    return std::ranges::any_of(dimensions, [&](const auto& each) { return each.dim_value() == size; });
  };
  if (std::ranges::any_of(dimensions, is_open)) {
    return BatchForm::kOpen;
  }
  if (has(pictures) || has(1)) {
    return has(pictures) ? BatchForm::kGiven : BatchForm::kOne;
  }
  user_error("--batch " + std::to_string(pictures) +
             (dimensions.empty() ? ": the network has no input that has a batch"
                                 : ": the network's batch is " + std::to_string(dimensions[0].dim_value()) +
                                       " in the file, and only an open one or one of 1 can be chosen") +
             "; leave --batch out");
}

onnx::GraphProto bind_batch(const onnx::GraphProto& graph, int64_t pictures) {
  Binding binding(graph);
  binding.bind_batch(pictures);
  return binding.bound();
}

bool is_open(const onnx::TensorShapeProto::Dimension& dimension) {
  return !dimension.has_dim_value() || dimension.dim_value() <= 0;
}

Shape declared_shape(const onnx::ValueInfoProto& input) {
  Shape shape;
  for (const auto& dimension : input.type().tensor_type().shape().dim()) {
    shape.push_back(!is_open(dimension) ? dimension.dim_value() : shape.empty() ? 1 : 0);
  }
  return shape;
}

std::string open_dimensions(const onnx::ValueInfoProto& input) {
  Shape shape = declared_shape(input);
  std::string open;
  for (std::size_t place = 0; place < shape.size(); ++place) {
    if (shape[place] == 0) {
      const std::string& name = input.type().tensor_type().shape().dim(static_cast<int>(place)).dim_param();
      open += (open.empty() ? "" : ", ") + std::to_string(place) + (name.empty() ? "" : " (" + name + ")");
    }
  }
  const bool is_one = std::ranges::count(shape, 0) == 1;
  if (open.empty()) {
    return "";
  }
  std::ranges::replace(shape, 0, kLikelySize);
  return input.name() + ": dimension" + (is_one ? " " + open + " has" : "s " + open + " have") +
         " no size in the file; give the input's shape, such as " + flag_of(input.name(), shape);
}

}  // namespace fovea
