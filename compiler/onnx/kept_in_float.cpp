// SPDX-License-Identifier: Apache-2.0
/// \file
/// Looks at each operator as ONNX Runtime's selectors of nodes do: what dequantizes its inputs, what quantizes its
/// output, and of which types.
#include "kept_in_float.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <vector>

#include "ir/quantization.h"
#include "onnx_tensor.h"
#include "tensor/error.h"
#include "value_links.h"

namespace fovea {
namespace {

using onnx::NodeProto;
using Element = onnx::TensorProto;

bool is_one_of(const std::string& op, const std::set<std::string>& ops) { return ops.count(op) != 0; }

/// It is gone before ONNX Runtime looks.
bool does_nothing(const NodeProto& node) { return is_one_of(node.op_type(), {"Dropout", "Identity"}); }

bool is_product(const std::string& op) { return is_one_of(op, {"Conv", "ConvTranspose", "Gemm", "MatMul"}); }

bool has_integer_form(const std::string& op) {
  return is_product(op) || is_one_of(op, {"Add", "AveragePool", "GlobalAveragePool", "Mul", "Softmax"});
}

/// What dequantizes an input, and of which type ONNX Runtime has made that.
struct Dequantized {
  const NodeProto* node;
  int type;
};

class Selectors {
 public:
  Selectors(const onnx::GraphProto& graph, std::filesystem::path folder)
      : graph_(graph), folder_(std::move(folder)), links_(graph) {
    for (const auto& [name, constant] : links_.constants) {
      constant_.insert(name);
    }
    for (const NodeProto& node : graph.node()) {
      const bool is_constant =
          node.input_size() > 0 && std::ranges::all_of(node.input(), [&](const std::string& input) {
            return input.empty() || constant_.count(input) != 0;
          });
      if (is_constant) {
        constant_.insert(node.output().begin(), node.output().end());
      }
    }
  }

  /// "" where it is computed on integers, or has no dequantized input.
  std::string why_float(const NodeProto& node) const {
    const std::string& op = node.op_type();
    if (!node.domain().empty() || !has_integer_form(op) || node.output_size() == 0 || is_constant(output_of(node))) {
      return "";
    }
    const std::optional<Dequantized> x = dequantized(node, 0);
    const bool has_two = is_one_of(op, {"Add", "Mul", "Conv", "ConvTranspose", "Gemm", "MatMul"});
    const std::optional<Dequantized> w = has_two && node.input_size() > 1 ? dequantized(node, 1) : x;
    if (!x || !w) {
      return "";
    }
    if (op == "ConvTranspose") {
      return "it has no ConvTranspose on integers";
    }
    const Behind behind = behind_of(node);
    if (!behind.why.empty()) {
      return behind.why;
    }
    const std::string why = why_types(op, *x, *w, *behind.quantize);
    return why.empty() ? why_bias(node, *x, *w, behind.bias) : why;
  }

 private:
  /// What stands between an operator and its QuantizeLinear.
  struct Behind {
    const NodeProto* quantize = nullptr;
    std::string bias;  ///< Of the Add that makes a Gemm of a MatMul; "" without.
    std::string why;
  };

  bool is_constant(const std::string& value) const { return constant_.count(value) != 0; }

  const NodeProto* maker_of(const std::string& value) const {
    const NodeProto* node = links_.maker(value);
    return node != nullptr && does_nothing(*node) ? maker_of(input_of(*node, 0)) : node;
  }

  /// An output of the network is a reader.
  std::size_t readers_of(const std::string& value) const {
    const auto found = links_.readers.find(value);
    return (found == links_.readers.end() ? 0 : found->second.size()) + links_.outputs.count(value);
  }

  const NodeProto* only_reader_of(const std::string& value) const {
    const NodeProto* node = links_.only_reader(value);
    return node != nullptr && does_nothing(*node) ? only_reader_of(output_of(*node)) : node;
  }

  /// Null where it is none.
  const Element* constant_of(const std::string& name) const {
    const NodeProto* node = links_.maker(name);
    return node != nullptr && does_nothing(*node) ? constant_of(input_of(*node, 0)) : links_.constant(name);
  }

  /// Nothing where it is none, or one that can't be read: whoever converts its reader says so.
  std::optional<Tensor> read_constant(const std::string& name) const try {
    const Element* found = constant_of(name);
    return found == nullptr ? std::nullopt : std::optional(to_tensor(*found, name, folder_));
  } catch (const UserError&) {
    return std::nullopt;
  }

  static bool has_zero_point(const NodeProto& conversion) { return !input_of(conversion, 2).empty(); }

  /// Of the integers of a QuantizeLinear or DequantizeLinear, as the file has them; 0 where that is not known.
  int type_of(const NodeProto& conversion) const {
    if (has_zero_point(conversion)) {
      const Element* zero_point = constant_of(input_of(conversion, 2));
      return zero_point == nullptr ? 0 : zero_point->data_type();
    }
    if (conversion.op_type() == "QuantizeLinear") {
      const auto given = std::ranges::find(conversion.attribute(), "output_dtype", &onnx::AttributeProto::name);
      return given == conversion.attribute().end() || given->i() == 0 ? Element::UINT8 : static_cast<int>(given->i());
    }
    if (const Element* found = constant_of(input_of(conversion, 0)); found != nullptr) {
      return found->data_type();
    }
    if (const NodeProto* maker = maker_of(input_of(conversion, 0)); maker != nullptr) {
      return maker->op_type() == "QuantizeLinear" ? type_of(*maker) : 0;
    }
    const auto input = std::ranges::find(graph_.input(), input_of(conversion, 0), &onnx::ValueInfoProto::name);
    return input == graph_.input().end() ? 0 : input->type().tensor_type().elem_type();
  }

  /// int8 activations become uint8 where a QuantizeLinear and the one DequantizeLinear that reads it have zero points.
  bool becomes_unsigned(const NodeProto& quantize, const NodeProto& dequantize) const {
    return has_zero_point(quantize) && has_zero_point(dequantize) && readers_of(output_of(quantize)) == 1 &&
           readers_of(dequantize.output(0)) == 1;
  }

  std::optional<Dequantized> dequantized(const NodeProto& node, int place) const {
    const std::string& value = input_of(node, place);
    const NodeProto* maker = maker_of(value);
    bool is_moved = false;
    const bool takes_pad = node.op_type() == "Conv" && place == 0;
    while (maker != nullptr && (moves_conversions(*maker) || (takes_pad && maker->op_type() == "Pad"))) {
      // Weights are transposed when ONNX Runtime loads the network, and nothing else is done to them.
      if (is_constant(value) && maker->op_type() != "Transpose") {
        return std::nullopt;
      }
      is_moved = true;
      maker = maker_of(input_of(*maker, 0));
    }
    if (maker == nullptr || maker->op_type() != "DequantizeLinear") {
      return std::nullopt;
    }
    const int type = type_of(*maker);
    if (type != Element::INT8 || is_constant(value)) {
      return Dequantized{maker,
                         type == Element::INT8 && has_zero_point(*maker) ? static_cast<int>(Element::UINT8) : type};
    }
    const NodeProto* quantize = maker_of(input_of(*maker, 0));
    const bool is_unsigned = is_moved ? has_zero_point(*maker) && readers_of(value) == 1
                                      : quantize != nullptr && quantize->op_type() == "QuantizeLinear" &&
                                            becomes_unsigned(*quantize, *maker);
    return Dequantized{maker, is_unsigned ? Element::UINT8 : Element::INT8};
  }

  /// Nothing but one Relu or Clip that quantization does anyway, and then what moves elements.
  Behind behind_of(const NodeProto& node) const {
    Behind behind;
    const NodeProto* clip = nullptr;
    bool is_moved = false;
    for (const NodeProto* last = &node;;) {
      const NodeProto* next = only_reader_of(output_of(*last));
      if (next == nullptr) {
        behind.why =
            readers_of(output_of(*last)) > 1 ? "more than its QuantizeLinear reads it" : "nothing quantizes it";
        return behind;
      }
      if (next->op_type() == "QuantizeLinear") {
        behind.quantize = next;
        break;
      }
      const bool adds = last == &node && node.op_type() == "MatMul" && next->op_type() == "Add";
      if (const int other = input_of(*next, 0) == output_of(*last) ? 1 : 0;
          adds && is_constant(input_of(*next, other))) {
        behind.bias = input_of(*next, other);
      } else if (clip == nullptr && !is_moved && is_one_of(next->op_type(), {"Clip", "Relu"})) {
        clip = next;
      } else if (moves_conversions(*next)) {
        is_moved = true;
      } else {
        behind.why = next->op_type() + " stands before its QuantizeLinear";
        return behind;
      }
      last = next;
    }
    if (clip != nullptr && !is_redundant(*clip, *behind.quantize)) {
      behind.why = "its QuantizeLinear cuts off less than " + clip->op_type() + " does";
    }
    return behind;
  }

  /// Whether a Relu or Clip cuts off nothing that quantization does not.
  bool is_redundant(const NodeProto& clip, const NodeProto& quantize) const {
    const std::optional<Tensor> scale = read_constant(input_of(quantize, 1));
    const int type = type_of(quantize);
    if (!scale || count_elements(scale->type().shape) != 1 || (type != Element::UINT8 && type != Element::INT8)) {
      return false;
    }
    const double least = type == Element::UINT8 ? 0 : -128, most = least + 255;
    double zero_point = 0;
    if (has_zero_point(quantize)) {
      const std::optional<Tensor> given = read_constant(input_of(quantize, 2));
      if (!given || count_elements(given->type().shape) != 1) {
        return false;
      }
      zero_point = given->at(0);
    }
    if (clip.op_type() == "Relu") {
      return zero_point == least;
    }
    const auto place_of = [&](const char* attribute, int input, double fallback) -> std::optional<double> {
      double bound = fallback;
      const auto given = std::ranges::find(clip.attribute(), attribute, &onnx::AttributeProto::name);
      if (given != clip.attribute().end()) {
        bound = given->f();
      } else if (!input_of(clip, input).empty()) {
        const std::optional<Tensor> value = read_constant(input_of(clip, input));
        if (!value || value->type().element != ElementType::kFloat32 || count_elements(value->type().shape) != 1) {
          return std::nullopt;
        }
        bound = value->at(0);
      }
      return std::nearbyint(bound / scale->at(0)) + zero_point;
    };
    constexpr double kMost = std::numeric_limits<float>::max();
    const std::optional<double> low = place_of("min", 1, -kMost), high = place_of("max", 2, kMost);
    return low && high && *low <= least && *high >= most;
  }

  /// \param w  x again where there is no second input.
  std::string why_types(const std::string& op, const Dequantized& x, const Dequantized& w,
                        const NodeProto& quantize) const {
    const auto is_byte = [](int type) { return type == Element::UINT8 || type == Element::INT8; };
    int y = type_of(quantize);
    if (y == Element::INT8 && links_.outputs.count(output_of(quantize)) == 0) {
      const NodeProto* reader = only_reader_of(output_of(quantize));
      const bool is_read = reader != nullptr && reader->op_type() == "DequantizeLinear";
      y = is_read && becomes_unsigned(quantize, *reader) ? Element::UINT8 : Element::INT8;
    }
    if (!is_byte(x.type) || !is_byte(w.type) || !is_byte(y)) {
      return "its values are of other types than uint8 and int8";
    }
    const bool is_fused = x.type == y && (is_product(op) || x.type == w.type) &&
                          (x.type == Element::UINT8 || (op != "Conv" && op != "MatMul"));
    return is_fused ? "" : "an int8 value that it reads or makes has no zero point, or more readers than one";
  }

  /// int32 at the scale of the products, or float32. \param added  Of the Add that makes a Gemm of a MatMul.
  std::string why_bias(const NodeProto& node, const Dequantized& x, const Dequantized& w,
                       const std::string& added) const {
    const std::string& bias = added.empty() && is_product(node.op_type()) ? input_of(node, 2) : added;
    if (bias.empty()) {
      return "";
    }
    const NodeProto* dequantize = maker_of(bias);
    if (dequantize == nullptr || dequantize->op_type() != "DequantizeLinear") {
      return is_constant(bias) ? "" : "its bias is no constant";
    }
    const std::optional<Tensor> given = read_constant(input_of(*dequantize, 1)),
                                x_scale = read_constant(input_of(*x.node, 1)),
                                w_scale = read_constant(input_of(*w.node, 1));
    if (type_of(*dequantize) != Element::INT32) {
      return "its bias is not int32";
    }
    if (!given || !x_scale || !w_scale || count_elements(x_scale->type().shape) == 0) {
      return "";
    }
    const int64_t count = count_elements(given->type().shape);
    for (int64_t m = 0; m < count_elements(w_scale->type().shape); ++m) {
      const float product = static_cast<float>(x_scale->at(0)) * static_cast<float>(w_scale->at(m));
      if (const int64_t place = count == 1 ? 0 : m;
          place >= count || !is_scale_of_products(static_cast<float>(given->at(place)), product)) {
        return "its bias is at another scale than its products";
      }
    }
    return "";
  }

  const onnx::GraphProto& graph_;
  std::filesystem::path folder_;
  ValueLinks links_;
  std::set<std::string> constant_;  ///< Values that depend on no input.
};

}  // namespace

bool moves_conversions(const NodeProto& node) {
  return is_one_of(node.op_type(), {"MaxPool", "Reshape", "Slice", "Squeeze", "Transpose", "Unsqueeze"});
}

std::map<std::string, std::string> find_kept_in_float(const onnx::GraphProto& graph,
                                                      const std::filesystem::path& folder) {
  const Selectors selectors(graph, folder);
  std::map<std::string, std::string> kept;
  for (const NodeProto& node : graph.node()) {
    if (std::string why = selectors.why_float(node); !why.empty()) {
      kept.emplace(output_of(node), std::move(why));
    }
  }
  return kept;
}

}  // namespace fovea
