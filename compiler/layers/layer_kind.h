// SPDX-License-Identifier: Apache-2.0
/// \file
/// A kind of layer: what it looks like in a graph, how a match becomes a layer, and what it is on the host.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/c_text.h"
#include "device_form.h"
#include "layer.h"
#include "onnx_call.h"
#include "patterns/pattern.h"

namespace fovea {

/// A pattern and the composite that it becomes.
struct Fusion {
  std::string composite;  ///< "dla.qconv2d_relu"; "cpu." in front of what no accelerator takes.
  Pattern pattern;
  bool rounds_to_nearest = false;  ///< Ends with what is rounded so whatever the network's rounding: not for others.
};

/// What the text of a call is made from: names of places instead of numbers.
struct Places {
  std::function<std::string(TensorId)> arena;                          ///< "ARENA(conv1)".
  std::function<std::string(const std::string&, TensorId)> float_end;  ///< ".input_host = input"; field and tensor.
  dla_rounding rounding;
};

/// A constant that a host call reads, as WEIGHT(<layer>_<name>).
struct HostConstant {
  std::string name;
  std::shared_ptr<const Tensor> tensor;
};

/// A row of layer_kinds.def: <name>.cpp defines it as <name>_kind().
struct LayerKind {
  std::string_view name;    ///< Of the composites, without what fusion adds: "qconv2d".
  std::string_view anchor;  ///< The captured value whose ONNX node the layer is called after.
  bool has_own_name;        ///< Named after that node; else after its call, as are layers at the network's ends.
  std::vector<Fusion> fusions;

  /// The match as a layer: body and inputs, the nodes that it reads. UserError, naming the ONNX node, where scales,
  /// zero points or weights are not what the runtime computes with.
  LayerBody (*make)(const Match& match, std::vector<NodeId>& inputs);

  /// Why an accelerator that has no such layer leaves it to the CPU; "" where it costs nothing anywhere.
  std::string_view why_on_host;

  /// The call of a kernel; null for a view, and where host_loops computes it.
  CallText (*host_call)(const Layer& layer, const Places& places) = nullptr;
  std::vector<HostConstant> (*host_constants)(const Layer& layer, dla_rounding rounding) = nullptr;

  /// What it is on 8-bit values in ONNX. Null, or none, where its operators say it: float ones between DequantizeLinear
  /// and QuantizeLinear, or integer ones. \param body  Of the composite.
  std::vector<OnnxCall> (*onnx_calls)(const Layer& layer, const Graph& body) = nullptr;

  /// Whether the layer's scales are powers of two that kDlaFloor can round at; null where it has none.
  bool (*is_at_shifts)(const Layer& layer) = nullptr;

  /// A second call on the host, behind the first, where the layer needs one; null where it never does.
  std::optional<CallText> (*host_tail)(const Layer& layer, const Places& places) = nullptr;

  /// The body's value that onnx_calls computes; operators say what is behind it. Null where that is always the last.
  NodeId (*onnx_end)(const Layer& layer, const Graph& body) = nullptr;

  /// The command that computes it, or why none does; null, or nothing, where there is only why_on_host to say.
  std::optional<DeviceForm> (*device_form)(const Layer& layer) = nullptr;

  /// The loops that compute it on the host, written for the layer, where no kernel does; null where host_call is one.
  LoopNest (*host_loops)(const Layer& layer, dla_rounding rounding) = nullptr;

  /// Layer::composite, where the fusion does not say it, as the operator is the user's; null or "" where it does.
  std::string (*composite)(const Match& match) = nullptr;
};

/// All kinds, in the order of layer_kinds.def.
const std::vector<LayerKind>& layer_kinds();

#define FOVEA_LAYER_KIND(name) LayerKind name##_kind();
#include "layer_kinds.def"
#undef FOVEA_LAYER_KIND

}  // namespace fovea
