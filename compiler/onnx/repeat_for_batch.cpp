// SPDX-License-Identifier: Apache-2.0
/// \file
/// Visits values in order, with a rule an operator for the axis along which pictures are.
#include "repeat_for_batch.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ops/operator.h"
#include "tensor/error.h"

namespace fovea {
namespace {

using OptionalAxis = std::optional<std::size_t>;

/// What a call reads, before it has several pictures. An axis of pictures may be longer than 1: they are outermost.
struct Operand {
  Shape shape;
  OptionalAxis axis;         ///< Along which pictures are; none where all have the same.
  bool is_repeated = false;  ///< Whether it is to be there once a picture, along the axis that `axis` becomes then.
};

/// A call as rules see it; they may change operands and attributes.
struct Application {
  const Node& node;
  std::vector<Operand> operands;
  Attributes attributes;

  std::size_t rank() const { return node.type.shape.size(); }

  /// The attribute "axis" as a place in a shape.
  std::size_t axis_in(const Shape& shape) const {
    const int64_t axis = int_attribute(node, "axis", 0);
    return static_cast<std::size_t>(axis < 0 ? axis + static_cast<int64_t>(shape.size()) : axis);
  }

  /// The axis of the first operand, where all others are the same for all pictures.
  OptionalAxis only_first() const {
    const bool are_others_same =
        std::all_of(operands.begin() + 1, operands.end(), [](const Operand& each) { return !each.axis; });
    return are_others_same ? operands[0].axis : std::nullopt;
  }
};

/// The axis of pictures in the result; nothing where they are not kept apart.
using Rule = OptionalAxis (*)(Application& call);

/// Operands broadcast to each other: their axes count from the last.
OptionalAxis elementwise(Application& call) {
  std::optional<std::size_t> from_last;
  int64_t size = 0;
  for (const Operand& each : call.operands) {
    if (each.axis) {
      const std::size_t place = each.shape.size() - *each.axis;
      if (from_last && (*from_last != place || size != each.shape[*each.axis])) {
        return std::nullopt;
      }
      from_last = place;
      size = each.shape[*each.axis];
    }
  }
  for (Operand& each : call.operands) {
    if (each.axis || each.shape.size() < *from_last || each.shape[each.shape.size() - *from_last] == 1) {
      continue;
    }
    if (each.shape[each.shape.size() - *from_last] != size) {
      return std::nullopt;
    }
    each.is_repeated = true;
    each.axis = each.shape.size() - *from_last;
  }
  return call.rank() - *from_last;
}

/// [N, ...]: each picture by itself.
OptionalAxis along_first(Application& call) {
  return call.only_first() == OptionalAxis(0) ? OptionalAxis(0) : std::nullopt;
}

/// What lies along another axis is taken together, one result for all of it or for each.
OptionalAxis beside_axis(Application& call) {
  const Shape& x = call.operands[0].shape;
  const OptionalAxis axis = call.only_first();
  const std::size_t taken = call.axis_in(x);
  return !axis || taken == *axis ? std::nullopt
                                 : OptionalAxis(*axis - (call.rank() < x.size() && taken < *axis ? 1 : 0));
}

OptionalAxis before_axis(Application& call) {
  const OptionalAxis axis = call.only_first();
  return axis && *axis < call.axis_in(call.operands[0].shape) ? axis : std::nullopt;
}

/// One scale, or scales along another axis.
OptionalAxis quantized(Application& call) {
  return count_elements(call.operands[1].shape) == 1 ? call.only_first() : beside_axis(call);
}

OptionalAxis reduced(Application& call) {
  const OptionalAxis axis = call.only_first();
  const std::vector<int64_t> axes = ints_attribute(call.node, "axes", {});
  if (!axis || std::ranges::count(axes, static_cast<int64_t>(*axis)) != 0) {
    return std::nullopt;
  }
  const bool keeps_axes = int_attribute(call.node, "keepdims", 1) != 0;
  const auto before = std::ranges::count_if(axes, [&](int64_t each) { return each < static_cast<int64_t>(*axis); });
  return *axis - static_cast<std::size_t>(keeps_axes ? 0 : before);
}

OptionalAxis resampled(Application& call) {
  const OptionalAxis axis = call.only_first();
  const std::vector<int64_t> axes = ints_attribute(call.node, "axes", {});
  return axis && std::ranges::count(axes, static_cast<int64_t>(*axis)) == 0 ? axis : std::nullopt;
}

/// Pictures among the axes before the matrices, or by one matrix as more rows.
OptionalAxis multiplied(Application& call) {
  const Operand &a = call.operands[0], &b = call.operands[1];
  const auto from_matrix = [](const Operand& each) {
    return each.axis && *each.axis + 2 < each.shape.size() ? OptionalAxis(each.shape.size() - 2 - *each.axis)
                                                           : std::nullopt;
  };
  const std::size_t matrix = (a.shape.size() > 1 ? 1 : 0) + (b.shape.size() > 1 ? 1 : 0);
  if (a.axis && !b.axis && *a.axis + 2 == a.shape.size()) {
    return call.rank() - matrix;
  }
  const OptionalAxis place = from_matrix(a.axis ? a : b);
  if (!place) {
    return std::nullopt;
  }
  for (const Operand* each : {&a, &b}) {
    const bool is_same = each->shape.size() < *place + 2 || each->shape[each->shape.size() - 2 - *place] == 1;
    if (each->axis ? from_matrix(*each) != place : !is_same) {
      return std::nullopt;
    }
  }
  return call.rank() - matrix - *place;
}

/// From a table by each picture's indices, or from each picture by the same.
OptionalAxis gathered(Application& call) {
  const Operand &x = call.operands[0], &indices = call.operands[1];
  const std::size_t axis = call.axis_in(x.shape);
  if (!x.axis) {
    return axis + *indices.axis;
  }
  if (indices.axis || *x.axis == axis) {
    return std::nullopt;
  }
  return *x.axis < axis ? *x.axis : *x.axis - 1 + indices.shape.size();
}

/// Operands of one shape but for the axis: those that all pictures have the same are repeated.
OptionalAxis joined(Application& call) {
  const auto first = std::ranges::find_if(call.operands, [](const Operand& each) { return each.axis.has_value(); });
  const OptionalAxis axis = first->axis;
  for (Operand& each : call.operands) {
    if (each.axis.value_or(*axis) != *axis || call.axis_in(each.shape) == *axis ||
        each.shape.at(*axis) != first->shape[*axis]) {
      return std::nullopt;
    }
    each.is_repeated = !each.axis;
    each.axis = axis;
  }
  return axis;
}

/// The same elements before each picture, and behind it as many as there are.
OptionalAxis reshaped(Application& call) {
  const Operand& x = call.operands[0];
  const Shape& shape = call.node.type.shape;
  const int64_t before = count_elements({x.shape.begin(), x.shape.begin() + static_cast<std::ptrdiff_t>(*x.axis)});
  OptionalAxis found;
  int64_t elements = 1;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const bool is_better = !found || (shape[*found] != 1 && shape[axis] == 1);
    found = elements == before && is_better ? OptionalAxis(axis) : found;
    elements *= shape[axis];
  }
  return found;
}

OptionalAxis transposed(Application& call) {
  const std::vector<int64_t> axes = ints_attribute(call.node, "axes", {});
  const auto found = std::ranges::find(axes, static_cast<int64_t>(*call.operands[0].axis));
  return found == axes.end() ? std::nullopt : OptionalAxis(static_cast<std::size_t>(found - axes.begin()));
}

/// All pictures, in their order.
OptionalAxis sliced(Application& call) {
  const std::size_t axis = *call.operands[0].axis;
  const auto at = [&](const char* name) { return ints_attribute(call.node, name, {}).at(axis); };
  const bool is_whole = at("begin") == 0 && at("strides") == 1 && at("sizes") == call.operands[0].shape[axis];
  return is_whole ? OptionalAxis(axis) : std::nullopt;
}

OptionalAxis padded(Application& call) {
  const std::size_t axis = *call.operands[0].axis;
  const std::vector<int64_t> pads = ints_attribute(call.node, "pads", {});
  return pads.at(axis) == 0 && pads.at(axis + pads.size() / 2) == 0 ? OptionalAxis(axis) : std::nullopt;
}

/// Of operators that are not of one number or of two.
const std::map<std::string_view, Rule>& rules() {
  static const std::map<std::string_view, Rule> kRules = {{"argmax", beside_axis},
                                                          {"argmin", beside_axis},
                                                          {"cast", elementwise},
                                                          {"concatenate", joined},
                                                          {"cumsum", beside_axis},
                                                          {"gather", gathered},
                                                          {"gather_elements", joined},
                                                          {"logical_not", elementwise},
                                                          {"matmul", multiplied},
                                                          {"max", reduced},
                                                          {"min", reduced},
                                                          {"nn.avg_pool2d", along_first},
                                                          {"nn.batch_norm", along_first},
                                                          {"nn.bias_add", beside_axis},
                                                          {"nn.conv2d", along_first},
                                                          {"nn.dense", along_first},
                                                          {"nn.global_avg_pool2d", along_first},
                                                          {"nn.instance_norm", along_first},
                                                          {"nn.layer_norm", before_axis},
                                                          {"nn.log_softmax", beside_axis},
                                                          {"nn.lrn", along_first},
                                                          {"nn.max_pool2d", along_first},
                                                          {"nn.prelu", elementwise},
                                                          {"nn.softmax", beside_axis},
                                                          {"pad", padded},
                                                          {"power", elementwise},
                                                          {"prod", reduced},
                                                          {"qnn.dequantize", quantized},
                                                          {"qnn.quantize", quantized},
                                                          {"rank", beside_axis},
                                                          {"resample", resampled},
                                                          {"reshape", reshaped},
                                                          {"scatter_elements", joined},
                                                          {"strided_slice", sliced},
                                                          {"sum", reduced},
                                                          {"take", gathered},
                                                          {"topk", beside_axis},
                                                          {"transpose", transposed},
                                                          {"where", elementwise}};
  return kRules;
}

class Repeating {
 public:
  Repeating(const Graph& graph, int64_t pictures, const std::string& name)
      : graph_(graph), pictures_(pictures), name_(name), values_(graph.size()), is_needed_(graph.size()) {}

  Graph run() {
    for (const NodeId output : graph_.outputs()) {
      is_needed_[output] = true;
    }
    for (NodeId id = graph_.size(); id-- > 0;) {
      for (const NodeId input : graph_[id].inputs) {
        is_needed_[input] = is_needed_[input] || is_needed_[id];
      }
    }
    for (NodeId id = 0; id < graph_.size(); ++id) {
      const bool is_input = graph_[id].kind == NodeKind::kInput;
      if (is_input || is_needed_[id]) {
        values_[id] = is_input ? input(graph_[id]) : value(id);
      }
    }
    std::vector<NodeId> outputs;
    for (const NodeId output : graph_.outputs()) {
      outputs.push_back(values_[output].id);
    }
    return builder_.finish(std::move(outputs), graph_.output_names());
  }

 private:
  struct Value {
    NodeId id = 0;
    OptionalAxis axis;
  };

  Value input(const Node& node) {
    TensorType type = node.type;
    const bool has_pictures = !type.shape.empty() && type.shape[0] == 1;
    if (has_pictures) {
      type.shape[0] = pictures_;
    }
    return {builder_.input(node.origin, type), has_pictures ? OptionalAxis(0) : std::nullopt};
  }

  Value value(NodeId id) {
    const Node& node = graph_[id];
    std::vector<NodeId> inputs;
    bool has_pictures = false;
    Application call{node, {}, node.attributes};
    for (const NodeId input : node.inputs) {
      inputs.push_back(values_[input].id);
      call.operands.push_back({graph_[input].type.shape, values_[input].axis});
      has_pictures = has_pictures || values_[input].axis;
    }
    if (!has_pictures || is_call(node, "unsupported")) {
      return {builder_.copy(node, std::move(inputs)), std::nullopt};
    }
    const OptionalAxis axis = axis_of(call);
    if (!axis) {
      refuse(id);
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (call.operands[i].is_repeated) {
        inputs[i] = repeat(inputs[i], *call.operands[i].axis);
      }
    }
    return {several(id, std::move(inputs), *axis), axis};
  }

  static OptionalAxis axis_of(Application& call) {
    const Operator& op = *call.node.op;
    if (op.unary != nullptr || op.binary != nullptr) {
      return elementwise(call);
    }
    const auto rule = rules().find(op.name);
    return rule == rules().end() ? std::nullopt : rule->second(call);
  }

  /// The call for all pictures, whose result has them along an axis.
  NodeId several(NodeId id, std::vector<NodeId> inputs, std::size_t axis) {
    const Node& node = graph_[id];
    TensorType type = node.type;
    type.shape.at(axis) *= pictures_;
    Attributes attributes = node.attributes;
    if (is_call(node, "reshape") || is_call(node, "strided_slice")) {
      attributes[is_call(node, "reshape") ? "newshape" : "sizes"] = type.shape;
    }
    try {
      const NodeId call = builder_.call(node.op->name, std::move(inputs), std::move(attributes), node.origin);
      if (builder_[call].type == type) {
        return call;
      }
    } catch (const UserError&) {
      // It does not take its inputs for several pictures.
    }
    refuse(id);
  }

  NodeId repeat(NodeId id, std::size_t axis) {
    return builder_.call("concatenate", std::vector<NodeId>(static_cast<std::size_t>(pictures_), id),
                         {{"axis", static_cast<int64_t>(axis)}}, builder_[id].origin);
  }

  [[noreturn]] void refuse(NodeId id) const {
    user_error(describe(graph_, id) +
               ": takes the pictures of a batch together, or lays them out in a way that can't be followed; " + name_ +
               " is of a batch of 1, and --batch " + std::to_string(pictures_) +
               " takes a model that is exported with an open batch");
  }

  const Graph& graph_;
  const int64_t pictures_;
  const std::string& name_;
  std::vector<Value> values_;
  std::vector<bool> is_needed_;
  GraphBuilder builder_;
};

}  // namespace

Graph repeat_for_batch(const Graph& graph, int64_t pictures, const std::string& name) {
  return Repeating(graph, pictures, name).run();
}

}  // namespace fovea
