// SPDX-License-Identifier: Apache-2.0
/// \file
/// Walks the operators of a composite and checks the numbers in them.
#include "read_layer.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "error.h"
#include "operator.h"
#include "ops/window.h"
#include "qdq.h"

namespace fovea {
namespace {

/// The operators of a body from its input to its output, taken one by one.
class Chain {
 public:
  explicit Chain(const Function& function) : body(function.body), name_(function.name) {
    NodeId id = body.outputs().at(0);
    while (body[id].kind == NodeKind::kCall) {
      calls_.insert(calls_.begin(), &body[id]);
      id = body[id].inputs.at(0);
    }
    internal_check(body[id].kind == NodeKind::kInput && body.inputs().size() == 1,
                   name_ + " is a chain of operators from one input");
  }

  bool is_next(std::string_view op) const { return next_ < calls_.size() && is_call(*calls_[next_], op); }

  /// The next operator where it is `op`, else null.
  const Node* take(std::string_view op) { return is_next(op) ? calls_[next_++] : nullptr; }

  const Node& require(std::string_view op) {
    internal_check(is_next(op), name_ + " holds " + std::string(op) + " at place " + std::to_string(next_));
    return *calls_[next_++];
  }

  void require_end() const { internal_check(next_ == calls_.size(), name_ + " holds operators of its kind only"); }

  const Graph& body;

 private:
  const std::string name_;
  std::vector<const Node*> calls_;
  std::size_t next_ = 0;
};

/// What the layers of one kind have in common.
struct KindRow {
  std::string_view composite;
  LayerKind kind;
  std::string_view anchor;  ///< The operator whose ONNX node the layer is called after.
  void (*read)(Chain& chain, Layer& layer);
};

/// The dequantize that makes `input` of a call.
const Node& require_dequantize(const Graph& body, const Node& call, std::size_t input, const char* what) {
  const Node& dequantize = body[call.inputs[input]];
  check_call(is_call(dequantize, "qnn.dequantize"), call,
             std::string("its ") + what + " must be quantized, read through a DequantizeLinear");
  return dequantize;
}

/// Reads the weights and returns the log2 of their scale.
int read_weight(const Graph& body, const Node& call, Layer& layer) {
  const Node& dequantize = require_dequantize(body, call, 1, "weights");
  check_symmetric(body, dequantize, ElementType::kInt8, "weights");
  layer.weight = constant_value(body, dequantize.inputs[0]);
  check_call(layer.weight != nullptr, call, "its weights must be constants");
  return read_scale_log2(body, dequantize);
}

void read_bias(const Graph& body, const Node* bias_add, int product_log2, Layer& layer) {
  const int64_t filters = layer.weight->type().shape[0];
  if (bias_add == nullptr) {
    layer.bias = std::make_shared<const Tensor>(TensorType{{filters}, ElementType::kInt32});
    return;
  }
  const Node& dequantize = require_dequantize(body, *bias_add, 1, "bias");
  check_symmetric(body, dequantize, ElementType::kInt32, "biases");
  layer.bias = constant_value(body, dequantize.inputs[0]);
  check_call(layer.bias != nullptr, *bias_add, "its bias must be a constant");
  const int bias_log2 = read_scale_log2(body, dequantize);
  check_call(bias_log2 == product_log2, dequantize,
             "the bias's scale is 2^" + std::to_string(bias_log2) + "; it must be input scale times weight scale, 2^" +
                 std::to_string(product_log2));
}

/// No filter may reach beyond int32, whatever its input: sum|w| * 255 + |b| < 2^31.
void check_overflow(const Node& call, const Layer& layer) {
  const auto weights = layer.weight->values<int8_t>();
  const auto biases = layer.bias->values<int32_t>();
  const std::size_t taps = weights.size() / std::max<std::size_t>(biases.size(), 1);
  for (std::size_t m = 0; m < biases.size(); ++m) {
    int64_t most = std::abs(int64_t{biases[m]});
    for (std::size_t i = 0; i < taps; ++i) {
      most += 255 * std::abs(int64_t{weights[m * taps + i]});
    }
    check_call(most < (int64_t{1} << 31), call,
               "filter " + std::to_string(m) + " could reach " + std::to_string(most) +
                   " and overflow int32; smaller weights or biases, below 2^31 in sum|w| * 255 + |b|, work");
  }
}

void check_shift(const Node& call, int shift, int least) {
  check_call(shift >= least && shift <= 31, call,
             "its scales ask for a right shift of " + std::to_string(shift) + " bits; " + std::to_string(least) +
                 " to 31 work (log2 of output scale / (input scale * weight scale))");
}

/// A max-pool that may follow the accumulator or the output: 2x2, stride 2, nothing padded.
void read_fused_pool(const Node& pool, Layer& layer) {
  const std::vector<int64_t> two{2, 2}, one{1, 1}, none{0, 0, 0, 0};
  internal_check(ints_attribute(pool, "kernel", {}) == two && ints_attribute(pool, "strides", {}) == two &&
                     ints_attribute(pool, "dilations", {}) == one && ints_attribute(pool, "pads", {}) == none &&
                     int_attribute(pool, "ceil_mode", 0) == 0 && !layer.pool,
                 call_name(pool) + " is the one 2x2 pool of stride 2 that a layer can end with");
  layer.pool = true;
}

/// Takes "<op>" on uint8, or "dequantize, <op>, quantize" of one scale: `quant` where it is given. Null where neither
/// follows.
const Node* take_on_integers(Chain& chain, std::string_view op, const Quantization* quant = nullptr) {
  if (const Node* call = chain.take(op)) {
    return call;
  }
  const Node* dequantize = chain.take("qnn.dequantize");
  if (dequantize == nullptr) {
    return nullptr;
  }
  const Node& call = chain.require(op);
  const Quantization before = read_activation(chain.body, *dequantize);
  const Quantization after = read_activation(chain.body, chain.require("qnn.quantize"));
  internal_check(before == after && (quant == nullptr || before == *quant),
                 call_name(call) + " keeps its input's scale and zero point");
  return &call;
}

/// Everything behind the multiplication: bias, relu, pool, quantize, pool.
void read_epilogue(Chain& chain, const Node& call, int weight_log2, Layer& layer) {
  const int product_log2 = layer.input_quant.scale_log2 + weight_log2;
  read_bias(chain.body, chain.take("nn.bias_add"), product_log2, layer);
  check_overflow(call, layer);
  layer.relu = chain.take("nn.relu") != nullptr;
  if (const Node* pool = chain.take("nn.max_pool2d")) {
    read_fused_pool(*pool, layer);
  }
  layer.output_quant = read_activation(chain.body, chain.require("qnn.quantize"));
  layer.shift = layer.output_quant.scale_log2 - product_log2;
  check_shift(call, layer.shift, 0);
  if (const Node* pool = take_on_integers(chain, "nn.max_pool2d", &layer.output_quant)) {
    read_fused_pool(*pool, layer);
  }
}

void read_qconv2d(Chain& chain, Layer& layer) {
  layer.input_quant = read_activation(chain.body, chain.require("qnn.dequantize"));
  const Node& conv = chain.require("nn.conv2d");
  const int weight_log2 = read_weight(chain.body, conv, layer);
  const Shape& filter = layer.weight->type().shape;
  layer.window = read_window(conv, {filter[2], filter[3]});
  layer.groups = int_attribute(conv, "groups", 1);
  read_epilogue(chain, conv, weight_log2, layer);
}

void read_qlinear(Chain& chain, Layer& layer) {
  layer.input_quant = read_activation(chain.body, chain.require("qnn.dequantize"));
  const Node& dense = chain.require("nn.dense");
  read_epilogue(chain, dense, read_weight(chain.body, dense, layer), layer);
}

void read_max_pool(Chain& chain, Layer& layer) {
  const Node* pool = take_on_integers(chain, "nn.max_pool2d");
  internal_check(pool != nullptr, layer.composite + " holds a pool");
  const std::vector<int64_t> kernel = ints_attribute(*pool, "kernel", {});
  layer.window = read_window(*pool, {kernel[0], kernel[1]});
  layer.ceil_mode = int_attribute(*pool, "ceil_mode", 0) != 0;
}

void read_requantize(Chain& chain, Layer& layer) {
  layer.input_quant = read_activation(chain.body, chain.require("qnn.dequantize"));
  layer.relu = chain.take("nn.relu") != nullptr;
  const Node& quantize = chain.require("qnn.quantize");
  layer.output_quant = read_activation(chain.body, quantize);
  layer.shift = layer.output_quant.scale_log2 - layer.input_quant.scale_log2;
  check_shift(quantize, layer.shift, -31);
}

void read_quantize(Chain& chain, Layer& layer) {
  layer.output_quant = read_activation(chain.body, chain.require("qnn.quantize"));
}

void read_dequantize(Chain& chain, Layer& layer) {
  layer.input_quant = read_activation(chain.body, chain.require("qnn.dequantize"));
}

void read_flatten(Chain& chain, Layer& layer) {
  internal_check(take_on_integers(chain, "reshape") != nullptr, layer.composite + " holds a reshape");
}

constexpr std::array<KindRow, 7> kKinds{{{"qconv2d", LayerKind::kQconv2d, "nn.conv2d", read_qconv2d},
                                         {"qlinear", LayerKind::kQlinear, "nn.dense", read_qlinear},
                                         {"maxpool", LayerKind::kMaxPool, "nn.max_pool2d", read_max_pool},
                                         {"requantize", LayerKind::kRequantize, "qnn.quantize", read_requantize},
                                         {"quantize", LayerKind::kQuantize, "qnn.quantize", read_quantize},
                                         {"dequantize", LayerKind::kDequantize, "qnn.dequantize", read_dequantize},
                                         {"flatten", LayerKind::kFlatten, "reshape", read_flatten}}};

const KindRow& row_of(const Function& function, std::string_view composite) {
  const std::string_view kind = composite.substr(0, composite.find('_'));
  const auto row = std::find_if(kKinds.begin(), kKinds.end(), [&](const KindRow& r) { return r.composite == kind; });
  internal_check(row != kKinds.end(), function.name + " is a composite that the runtime has a call for");
  return *row;
}

std::string anchor_origin(const Graph& body, std::string_view anchor) {
  for (const Node& node : body.nodes()) {
    if (is_call(node, anchor)) {
      return node.origin;
    }
  }
  return "";
}

}  // namespace

Layer read_layer(const Function& function) {
  Layer layer;
  layer.composite = function.name.substr(function.name.find('.') + 1);
  const KindRow& row = row_of(function, layer.composite);
  layer.kind = row.kind;
  layer.onnx_name = anchor_origin(function.body, row.anchor);
  layer.target = function.target.value_or(Target::kCpu);
  layer.reason = function.reason;
  Chain chain(function);
  row.read(chain, layer);
  chain.require_end();
  const std::string expected =
      std::string(row.composite) + (layer.relu ? "_relu" : "") + (layer.pool ? "_maxpool" : "");
  internal_check(layer.composite == expected, function.name + " computes what its name says, " + expected);
  return layer;
}

}  // namespace fovea
