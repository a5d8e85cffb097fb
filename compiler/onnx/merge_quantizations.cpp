// SPDX-License-Identifier: Apache-2.0
/// \file
/// Looks for a QuantizeLinear with three nodes behind it, until there is none.
#include "merge_quantizations.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ir/quantization.h"
#include "onnx_tensor.h"
#include "spec/dla_requant.h"
#include "tensor/error.h"
#include "value_links.h"

namespace fovea {
namespace {

/// One scale and zero point of uint8 or int8.
struct Pair {
  float scale = 1;
  int64_t zero_point = 0;
  ElementType element = ElementType::kUint8;

  bool operator==(const Pair&) const = default;
};

/// What both have, of scale 0 where that is nothing: real numbers from the larger of the least to the smaller of the
/// largest, in ONNX Runtime's order of operations.
Pair common_range(const Pair& a, const Pair& b) {
  if (a.zero_point == b.zero_point && std::abs(double{a.scale} - double{b.scale}) < 1e-20) {
    return a;
  }
  const auto [least, most] = range_of(a.element);
  const auto real = [](int64_t q, const Pair& pair) { return static_cast<float>(q - pair.zero_point) * pair.scale; };
  const float first = std::max(real(least, a), real(least, b)), last = std::min(real(most, a), real(most, b));
  const float scale = (last - first) / static_cast<float>(most - least);
  if (!dla_is_scale(scale)) {
    return {0, 0, a.element};
  }
  const float zero_point = std::round(static_cast<float>(least) - first / scale);
  return {scale, std::clamp(static_cast<int64_t>(zero_point), least, most), a.element};
}

class Merging {
 public:
  Merging(const onnx::GraphProto& graph, std::filesystem::path folder)
      : graph_(graph), folder_(std::move(folder)), links_(graph_) {}

  /// The graph with all of them merged; nothing where there are none.
  std::optional<onnx::GraphProto> merged() {
    bool is_merged = false;
    while (merge_once()) {
      is_merged = true;
      drop_removed();
    }
    return is_merged ? std::optional(std::move(graph_)) : std::nullopt;
  }

 private:
  static bool is_one(const onnx::NodeProto& node, const std::string& op) {
    return node.op_type() == op && node.input_size() == 3 && node.output_size() == 1;
  }

  std::optional<Tensor> constant(const std::string& name) const {
    const auto found = links_.constants.find(name);
    return found == links_.constants.end() ? std::nullopt : std::optional(to_tensor(*found->second, name, folder_));
  }

  /// Nothing where they are not constant, one each, of 8 bits.
  std::optional<Pair> pair_of(const onnx::NodeProto& node) const {
    const auto scale = links_.constants.find(node.input(1)), zero_point = links_.constants.find(node.input(2));
    const auto is_one = [&](auto found, std::initializer_list<int> types) {
      return found != links_.constants.end() && std::ranges::count(types, found->second->data_type()) == 1 &&
             std::ranges::all_of(found->second->dims(), [](int64_t size) { return size == 1; });
    };
    if (!is_one(scale, {onnx::TensorProto::FLOAT}) ||
        !is_one(zero_point, {onnx::TensorProto::UINT8, onnx::TensorProto::INT8})) {
      return std::nullopt;
    }
    const Tensor zero = *constant(node.input(2));
    return Pair{static_cast<float>(constant(node.input(1))->at(0)), zero.integer_at(0), zero.type().element};
  }

  /// Places of the nodes behind a QuantizeLinear that make a row with it: a DequantizeLinear, a QuantizeLinear, and all
  /// that dequantizes its result. Empty where there is none.
  std::vector<int> row_of(const onnx::NodeProto& first) const {
    if (!is_one(first, "QuantizeLinear") || removed_.count(first.output(0)) != 0) {
      return {};
    }
    const onnx::NodeProto* dequantize = links_.only_reader(first.output(0));
    if (dequantize == nullptr || !is_one(*dequantize, "DequantizeLinear") || dequantize->input(0) != first.output(0)) {
      return {};
    }
    const onnx::NodeProto* second = links_.only_reader(dequantize->output(0));
    if (second == nullptr || !is_one(*second, "QuantizeLinear") || second->input(0) != dequantize->output(0) ||
        links_.outputs.count(second->output(0)) != 0) {
      return {};
    }
    const std::optional<Pair> a = pair_of(first), b = pair_of(*second);
    const auto last = links_.readers.find(second->output(0));
    if (!a || !b || a->element != b->element || a != pair_of(*dequantize) || last == links_.readers.end() ||
        !dla_is_scale(common_range(*a, *b).scale)) {
      return {};
    }
    std::vector<int> row{links_.makers.at(dequantize->output(0)), links_.makers.at(second->output(0))};
    for (const int place : last->second) {
      const onnx::NodeProto& reader = graph_.node(place);
      if (!is_one(reader, "DequantizeLinear") || reader.input(0) != second->output(0) || pair_of(reader) != b) {
        return {};
      }
      row.push_back(place);
    }
    return row;
  }

  /// Each first node with its row; whether there was one.
  bool merge_once() {
    bool has_any = false;
    for (int place = 0; place < graph_.node_size(); ++place) {
      if (const std::vector<int> row = row_of(graph_.node(place)); !row.empty()) {
        merge(place, row);
        has_any = true;
      }
    }
    return has_any;
  }

  void merge(int place, const std::vector<int>& row) {
    onnx::NodeProto& first = *graph_.mutable_node(place);
    const Pair merged = common_range(*pair_of(first), *pair_of(graph_.node(row[1])));
    const std::string name = first.output(0);
    onnx::TensorProto& scale = add_constant(name + "_merged_scale", onnx::TensorProto::FLOAT);
    scale.add_float_data(merged.scale);
    const bool is_signed = merged.element == ElementType::kInt8;
    onnx::TensorProto& zero_point =
        add_constant(name + "_merged_zero_point", is_signed ? onnx::TensorProto::INT8 : onnx::TensorProto::UINT8);
    zero_point.add_int32_data(static_cast<int32_t>(merged.zero_point));
    set_pair(first, scale.name(), zero_point.name());
    for (std::size_t i = 2; i < row.size(); ++i) {
      onnx::NodeProto& dequantize = *graph_.mutable_node(row[i]);
      dequantize.set_input(0, name);
      set_pair(dequantize, scale.name(), zero_point.name());
      for (const int reader : links_.readers[dequantize.output(0)]) {
        free_bias(*graph_.mutable_node(reader), dequantize.output(0), merged.scale);
      }
    }
    removed_.insert(graph_.node(row[0]).output(0));
    removed_.insert(graph_.node(row[1]).output(0));
    links_.readers.erase(graph_.node(row[1]).output(0));
    links_.readers[name] = {row.begin() + 2, row.end()};
  }

  static void set_pair(onnx::NodeProto& node, const std::string& scale, const std::string& zero_point) {
    node.set_input(1, scale);
    node.set_input(2, zero_point);
  }

  onnx::TensorProto& add_constant(const std::string& name, int type) {
    onnx::TensorProto& tensor = *graph_.add_initializer();
    tensor.set_name(name + std::to_string(added_++));
    tensor.set_data_type(type);
    links_.constants[tensor.name()] = &tensor;
    return tensor;
  }

  /// Makes float32 numbers of an int32 bias that is no longer at the scale of its products.
  void free_bias(onnx::NodeProto& product, const std::string& x, float scale) {
    const bool is_product = product.op_type() == "Conv" || product.op_type() == "Gemm";
    if (!is_product || product.input_size() != 3 || product.input(0) != x ||
        links_.makers.count(product.input(1)) == 0 || links_.makers.count(product.input(2)) == 0) {
      return;
    }
    const onnx::NodeProto& w = graph_.node(links_.makers[product.input(1)]);
    const onnx::NodeProto& bias = graph_.node(links_.makers[product.input(2)]);
    if (w.op_type() != "DequantizeLinear" || bias.op_type() != "DequantizeLinear") {
      return;
    }
    const std::optional<Tensor> weight_scales = constant(w.input(1)), scales = constant(bias.input(1)),
                                steps = constant(bias.input(0));
    if (!weight_scales || !scales || !steps || steps->type().element != ElementType::kInt32 ||
        scales->type() != weight_scales->type() || weight_scales->type().element != ElementType::kFloat32) {
      return;
    }
    bool fits = true;
    std::vector<float> numbers;
    for (std::size_t m = 0; m < steps->values<int32_t>().size(); ++m) {
      const std::size_t place = m % scales->values<float>().size();
      fits =
          fits && is_scale_of_products(scales->values<float>()[place], scale * weight_scales->values<float>()[place]);
      numbers.push_back(static_cast<float>(steps->integer_at(m)) * scales->values<float>()[place]);
    }
    if (!fits) {
      onnx::TensorProto& floats = add_constant(bias.output(0) + "_merged", onnx::TensorProto::FLOAT);
      floats.mutable_dims()->Add(steps->type().shape.begin(), steps->type().shape.end());
      floats.mutable_float_data()->Add(numbers.begin(), numbers.end());
      product.set_input(2, floats.name());
    }
  }

  void drop_removed() {
    auto& nodes = *graph_.mutable_node();
    const auto end = std::remove_if(nodes.begin(), nodes.end(), [&](const onnx::NodeProto& node) {
      return node.output_size() > 0 && removed_.count(node.output(0)) != 0;
    });
    nodes.erase(end, nodes.end());
    links_ = ValueLinks(graph_);
  }

  onnx::GraphProto graph_;
  std::filesystem::path folder_;
  ValueLinks links_;
  std::set<std::string> removed_;
  int added_ = 0;
};

}  // namespace

std::optional<onnx::GraphProto> merge_quantizations(const onnx::GraphProto& graph,
                                                    const std::filesystem::path& folder) {
  std::set<std::string> dequantized;
  for (const onnx::NodeProto& node : graph.node()) {
    if (node.op_type() == "DequantizeLinear" && node.output_size() == 1) {
      dequantized.insert(node.output(0));
    }
  }
  const bool may_have_any = std::ranges::any_of(graph.node(), [&](const onnx::NodeProto& node) {
    return node.op_type() == "QuantizeLinear" && node.input_size() > 0 && dequantized.count(node.input(0)) != 0;
  });
  return may_have_any ? Merging(graph, folder).merged() : std::nullopt;
}

}  // namespace fovea
