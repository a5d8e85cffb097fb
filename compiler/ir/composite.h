// SPDX-License-Identifier: Apache-2.0
/// \file
/// The compiled network as code generation sees it: a list of layers, each one runtime call with typed arguments.
#ifndef FOVEA_COMPILER_IR_COMPOSITE_H_
#define FOVEA_COMPILER_IR_COMPOSITE_H_

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graph.h"
#include "spec/dla_layer.h"
#include "tensor.h"

namespace fovea {

/// Kinds of runtime calls. `relu` and `pool` of a layer complete the composite's name.
enum class LayerKind { kQuantize, kDequantize, kQconv2d, kQlinear, kMaxPool, kRequantize, kFlatten };

/// Integer to real: (q - zero_point) * 2^scale_log2.
struct Quantization {
  int scale_log2 = 0;
  uint8_t zero_point = 0;

  bool operator==(const Quantization&) const = default;
};

/// How a window moves over rows and columns.
struct Window {
  std::array<int64_t, 2> kernel{1, 1}, strides{1, 1}, dilations{1, 1};  ///< Rows, columns.
  std::array<int64_t, 4> pads{0, 0, 0, 0};                              ///< Top, left, bottom, right.

  bool operator==(const Window&) const = default;
};

/// Place of a tensor in Network::tensors.
using TensorId = std::size_t;

/// An activation that layers hand on.
struct Activation {
  std::string name;  ///< Of the layer that writes it, or of the graph's input.
  TensorType type;   ///< With the batch: [1, C, H, W] or [1, C].
};

/// One runtime call.
struct Layer {
  LayerKind kind = LayerKind::kQconv2d;
  std::string composite;  ///< The call's name without "dla." and "_cpu": "qconv2d_relu_maxpool".
  std::string name;       ///< Short, unique, a C identifier: "conv1".
  std::string onnx_name;  ///< Of the ONNX node it is called after: "/module/conv1/0/Conv".
  Target target = Target::kCpu;
  std::string reason;  ///< Why it is not on the accelerator; "" where target is kDla.
  std::string region;  ///< Of the partition it belongs to: "dla_region_0".

  TensorId input = 0, output = 0;
  Quantization input_quant;   ///< Of the input; kQuantize's is not used.
  Quantization output_quant;  ///< Of the output; kDequantize's is not used. kFlatten, kMaxPool: the input's.
  int shift = 0;              ///< kQconv2d, kQlinear: 0 to 31; kRequantize: -31 to 31. log2 sy - log2 sx - log2 sw.
  bool relu = false;          ///< Before requantization.
  bool pool = false;          ///< kQconv2d: 2x2 max-pool of stride 2 afterwards, a last odd row or column dropped.

  /// kQconv2d: of the convolution. kMaxPool: of the pool. A device layer has equal pads, equal strides, no dilation.
  Window window;
  bool ceil_mode = false;  ///< kMaxPool.
  /// kQconv2d. A device layer with groups > 1 is one device call a group: ifmap, filter, bias and ofmap are cut into
  /// `groups` equal runs of channels.
  int64_t groups = 1;

  /// kQconv2d: [M, C / groups, R, S] int8. kQlinear: [M, C] int8.
  std::shared_ptr<const Tensor> weight;
  /// kQconv2d, kQlinear: [M] int32, scale sx * sw. All zeros where the network has none.
  std::shared_ptr<const Tensor> bias;
};

/// A network ready for code generation: layers in the order they run.
struct Network {
  std::string name;  ///< File name of the model without extension.
  std::vector<Activation> tensors;
  TensorId input = 0, output = 0;  ///< float32 both.
  std::vector<Layer> layers;
};

/// Shape of one group of a kQconv2d layer, as the device sees it. (A kQlinear has several: linear_mapping.h.)
dla_shape device_shape(const Network& network, const Layer& layer);

/// Reads the layers off a partitioned graph (regions of composites). Every node must be in a region.
Network collect_layers(const Graph& graph, std::string name);

/// Says why a machine can't run a layer, or nothing where it can. Given to the pipeline by whoever knows the machine;
/// the front knows only the limits of the layer command itself. Where a function is empty, the machine takes all.
struct MachineLimits {
  /// One group of a convolution.
  std::function<std::optional<std::string>(const dla_shape& shape)> refuse_conv;
  /// A fully connected layer.
  std::function<std::optional<std::string>(uint32_t inputs, uint32_t outputs)> refuse_linear;
};

}  // namespace fovea

#endif  // FOVEA_COMPILER_IR_COMPOSITE_H_
