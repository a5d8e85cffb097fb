// SPDX-License-Identifier: Apache-2.0
/// \file
/// Looks at each product, and gives it other constants.
#include "quantize_parameters.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "kept_in_float.h"
#include "onnx_tensor.h"
#include "tensor/error.h"
#include "value_links.h"

namespace fovea {
namespace {

using onnx::NodeProto;
using onnx::TensorProto;

struct Floats {
  Shape shape;
  std::vector<float> values;
};

class Quantizing {
 public:
  Quantizing(const onnx::GraphProto& graph, std::filesystem::path folder)
      : graph_(graph), folder_(std::move(folder)), links_(graph) {}

  std::optional<onnx::GraphProto> quantized() {
    onnx::GraphProto result = graph_;
    result.clear_node();
    for (const NodeProto& node : graph_.node()) {
      NodeProto product = node;
      if (is_between_quantized(node)) {
        quantize(product, result);
      }
      *result.add_node() = product;
    }
    return added_ == 0 ? std::nullopt : std::optional(std::move(result));
  }

 private:
  /// Nothing where there is no such constant, of float32, or it can't be read: whoever converts its reader says so.
  std::optional<Floats> read_floats(const std::string& name) const try {
    const TensorProto* found = links_.constant(name);
    if (found == nullptr || found->data_type() != TensorProto::FLOAT) {
      return std::nullopt;
    }
    const Tensor tensor = to_tensor(*found, name, folder_);
    return Floats{tensor.type().shape, {tensor.values<float>().begin(), tensor.values<float>().end()}};
  } catch (const UserError&) {
    return std::nullopt;
  }

  /// The DequantizeLinear of a product's input.
  const NodeProto* dequantize_of(const NodeProto& node) const {
    const NodeProto* maker = links_.maker(input_of(node, 0));
    while (maker != nullptr && moves_conversions(*maker)) {
      maker = links_.maker(input_of(*maker, 0));
    }
    return maker != nullptr && maker->op_type() == "DequantizeLinear" ? maker : nullptr;
  }

  bool is_between_quantized(const NodeProto& node) const {
    static const std::set<std::string> kProducts = {"Conv", "ConvTranspose", "Gemm"};
    if (!node.domain().empty() || kProducts.count(node.op_type()) == 0 || node.input_size() < 2 ||
        dequantize_of(node) == nullptr) {
      return false;
    }
    const NodeProto* next = links_.only_reader(output_of(node));
    while (next != nullptr && (next->op_type() == "Relu" || next->op_type() == "Clip" || moves_conversions(*next))) {
      next = links_.only_reader(output_of(*next));
    }
    return next != nullptr && next->op_type() == "QuantizeLinear";
  }

  void quantize(NodeProto& product, onnx::GraphProto& graph) {
    const std::optional<Floats> x_scale = read_floats(input_of(*dequantize_of(product), 1));
    const bool has_bias = !input_of(product, 2).empty();
    const std::optional<Floats> bias = read_floats(input_of(product, 2));
    if (!x_scale || x_scale->values.size() != 1 || (has_bias && (!bias || bias->shape.size() != 1))) {
      return;
    }
    const NodeProto* w = links_.maker(input_of(product, 1));
    const bool is_dequantized = w != nullptr && w->op_type() == "DequantizeLinear";
    std::optional<Floats> w_scale = read_floats(input_of(is_dequantized ? *w : product, 1));
    if (!w_scale || w_scale->values.empty()) {
      return;
    }
    if (!is_dequantized) {
      w_scale = quantize_weights(product, *w_scale, graph);
    } else if (w_scale->values.size() > 1 &&
               (!has_bias || w_scale->shape != bias->shape || !is_along_filters(product, *w))) {
      return;
    }
    if (has_bias) {
      quantize_bias(product, *bias, x_scale->values[0], *w_scale, graph);
    }
  }

  /// Whether scales of weights are one a filter.
  static bool is_along_filters(const NodeProto& product, const NodeProto& dequantize) {
    const auto int_of = [](const NodeProto& node, const char* name, int64_t fallback) {
      const auto given = std::ranges::find(node.attribute(), name, &onnx::AttributeProto::name);
      return given == node.attribute().end() ? fallback : given->i();
    };
    const int64_t axis = product.op_type() == "Gemm" && int_of(product, "transB", 0) == 0 ? 1 : 0;
    return int_of(dequantize, "axis", 1) == axis && int_of(dequantize, "block_size", 0) == 0;
  }

  /// \return the scale.
  Floats quantize_weights(NodeProto& product, const Floats& weights, onnx::GraphProto& graph) {
    const auto [low, high] = std::ranges::minmax_element(weights.values);
    const float least = std::min(0.0F, *low), most = std::max(0.0F, *high);
    const float scale = least == most ? 1.0F : (most - least) / 255.0F;
    const float zero_point = std::nearbyint(std::clamp(-128.0F - least / scale, -128.0F, 127.0F));
    TensorProto& q = add(TensorProto::INT8, weights.shape, graph);
    for (const float weight : weights.values) {
      q.add_int32_data(static_cast<int32_t>(std::clamp(std::nearbyint(weight / scale) + zero_point, -128.0F, 127.0F)));
    }
    TensorProto& zero = add(TensorProto::INT8, {}, graph);
    zero.add_int32_data(static_cast<int32_t>(zero_point));
    product.set_input(1, dequantize(q.name(), {{}, {scale}}, zero.name(), graph));
    return {{}, {scale}};
  }

  void quantize_bias(NodeProto& product, const Floats& bias, float x_scale, Floats scales, onnx::GraphProto& graph) {
    for (float& scale : scales.values) {
      scale *= x_scale;
    }
    TensorProto& q = add(TensorProto::INT32, bias.shape, graph);
    for (std::size_t m = 0; m < bias.values.size(); ++m) {
      const float steps = std::nearbyint(bias.values[m] / scales.values[scales.values.size() == 1 ? 0 : m]);
      // What is beyond int32, or no number, becomes what an x86 makes of it.
      q.add_int32_data(steps >= -0x1p31F && steps < 0x1p31F ? static_cast<int32_t>(steps) : INT32_MIN);
    }
    product.set_input(2, dequantize(q.name(), scales, "", graph));
  }

  TensorProto& add(int type, const Shape& shape, onnx::GraphProto& graph) {
    TensorProto& tensor = *graph.add_initializer();
    tensor.set_name("quantized_parameter_" + std::to_string(added_++));
    tensor.set_data_type(type);
    tensor.mutable_dims()->Add(shape.begin(), shape.end());
    return tensor;
  }

  /// \param zero_point  A name, or "" for none. \return what is dequantized; of several scales along axis 0.
  std::string dequantize(const std::string& q, const Floats& scales, const std::string& zero_point,
                         onnx::GraphProto& graph) {
    TensorProto& scale = add(TensorProto::FLOAT, scales.shape, graph);
    scale.mutable_float_data()->Add(scales.values.begin(), scales.values.end());
    NodeProto& node = *graph.add_node();
    node.set_op_type("DequantizeLinear");
    node.set_name(q + "_dequantized");
    for (const std::string& input : {q, scale.name(), zero_point}) {
      if (!input.empty()) {
        node.add_input(input);
      }
    }
    node.add_output(node.name());
    if (scales.values.size() > 1) {
      onnx::AttributeProto& axis = *node.add_attribute();
      axis.set_name("axis");
      axis.set_type(onnx::AttributeProto::INT);
      axis.set_i(0);
    }
    return node.name();
  }

  const onnx::GraphProto& graph_;
  std::filesystem::path folder_;
  ValueLinks links_;
  int added_ = 0;
};

}  // namespace

std::optional<onnx::GraphProto> quantize_parameters(const onnx::GraphProto& graph,
                                                    const std::filesystem::path& folder) {
  return Quantizing(graph, folder).quantized();
}

}  // namespace fovea
