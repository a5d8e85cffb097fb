// SPDX-License-Identifier: Apache-2.0
/// \file
/// A layer as a value: one runtime call with all that its match captured; and a network, a graph of layers.
///
/// What a layer computes is one alternative of LayerBody, a plain struct each. What a kind of layer does (its patterns,
/// how a match becomes a value, its call on the host) is in one file a kind, under a row of layer_kinds.def.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ir/quantization.h"
#include "loops/nest.h"
#include "ops/extern.h"
#include "ops/index_map.h"
#include "ops/window.h"
#include "spec/dla_requant.h"
#include "tensor/tensor.h"

namespace fovea {

struct LayerKind;

/// Multiplies 8-bit values, accumulates in int32 from the biases on, and requantizes.
struct Accumulation {
  std::shared_ptr<const Tensor> weight;  ///< int8, the filters outermost.
  std::shared_ptr<const Tensor> bias;    ///< [M] int32, scale x * w. All zeros where the network has none.
  Quantization x, w, y;                  ///< Of input, weights and output; w has one scale or one a filter.
  bool relu = false;                     ///< Before requantization.
  bool rounds_down = false;              ///< Whatever the network's rounding. The scale of y is 1.
  uint8_t lowest = 0, highest = 255;     ///< No output is below or above. Not with relu.
  /// [1, 256] uint8: what each of these bytes becomes behind the bounds; null where it stays.
  std::shared_ptr<const Tensor> table = nullptr;
  Quantization z{};  ///< With a table: of what it gives.

  bool is_bounded() const { return lowest != 0 || highest != 255; }
  /// Of the layer, in a network of that rounding.
  dla_rounding rounding_in(dla_rounding network) const { return rounds_down ? kDlaFloor : network; }
};

/// An activation of the output's shape that is added to a convolution's, before or behind it: the order counts.
struct Residual {
  Quantization x;         ///< Of the activation.
  Quantization y;         ///< Of the sum.
  bool is_first = false;  ///< It is the first operand.
  bool relu = false;      ///< Of the sum.
};

/// Of each channel of a convolution's outputs, all that is left.
struct ChannelMean {
  Quantization y;
  uint32_t count = 0;  ///< Of the outputs of a channel.
};

/// weight [M, C / groups, R, S].
struct Qconv2d {
  Accumulation sum;
  Window window;
  /// Input, weights, biases and output are cut into so many equal runs of channels.
  int64_t groups = 1;
  /// A max-pool afterwards: 2x2 or 3x3 at a stride of 1 to 3, padded by less than that; rows and columns behind the
  /// last whole window are dropped.
  std::optional<Window> pool;
  /// The layer's second input, added afterwards; its sum is the output then.
  std::optional<Residual> residual = std::nullopt;
  /// The output is the mean of each channel's outputs, [M, 1, 1]. Without pool, residual and table.
  std::optional<ChannelMean> mean = std::nullopt;
};

/// weight [M, C].
struct Qlinear {
  Accumulation sum;
};

struct MaxPool {
  Window window;
  bool ceil_mode = false;
};

struct AvgPool {
  Window window;
  bool ceil_mode = false;
  bool count_include_pad = false;  ///< The mean is always of as many values as the kernel has.
  Quantization x, y;
};

/// The mean of each channel: [C, H, W] to [C, 1, 1].
struct GlobalAvgPool {
  Quantization x, y;
};

/// One side of a Qbinary: an activation or a constant.
struct Operand {
  Quantization quantization;                         ///< Of uint8; its element is float32 where it is not quantized.
  std::shared_ptr<const Tensor> constant = nullptr;  ///< Null of an activation.
  Shape shape;                                       ///< With the batch, where it has as many dimensions.
  bool is_slice = false;                             ///< It begins within a word of another: layers_with_joins().

  bool is_float() const { return quantization.element == ElementType::kFloat32; }
};

/// a op b, broadcast. The order counts for sums.
struct Qbinary {
  dla_binary op = kDlaAdd;
  Operand a, b;
  Quantization y;
  bool relu = false;  ///< Before requantization.
};

/// Inputs one behind another along `axis`.
struct Qconcat {
  std::size_t axis = 1;
  std::vector<Quantization> xs;
  Quantization y;
  /// Of each input, whether the layer that makes it writes it where it belongs: layers_with_joins(). Empty: none.
  std::vector<bool> in_place;

  bool is_in_place(std::size_t input) const { return input < in_place.size() && in_place[input]; }
};

/// Elements in other places, none computed.
struct Rearrange {
  MapLoops map;
  double fill = 0;        ///< What comes from nowhere.
  bool in_place = false;  ///< The elements are where they belong already: stack_pictures().
};

struct Requantize {
  Quantization x, y;
  bool relu = false;  ///< Before requantization.
};

/// Any function of one 8-bit value, elementwise.
struct Lookup {
  std::shared_ptr<const Tensor> tables;  ///< [1, 256] uint8, or [C, 256] for the C indices of `axis`.
  std::size_t axis = 0;                  ///< Of the tensor, where there are several tables.
};

/// Products of matrices that are both activations, or one of them a constant: a [..., N, C] by b [..., C, M],
/// broadcast.
struct Qmatmul {
  Operand a, b;
  Quantization y;
};

/// e^x along an axis, scaled to a sum of 1.
struct Softmax {
  Quantization x, y;
  std::size_t axis = 1;
};

/// Where the largest along an axis are, as float32 numbers.
struct ArgMax {
  std::size_t axis = 1;
  bool selects_last = false;  ///< Of equal ones.
};

/// float32 to integers.
struct Quantize {
  Quantization y;
};

/// Integers to float32.
struct Dequantize {
  Quantization x;
};

/// An operator's loops over float32 values.
struct LoopNest {
  Nest nest;                                             ///< Its inputs are those of the operator.
  std::vector<std::shared_ptr<const Tensor>> constants;  ///< For each input; null where it is an activation.
};

/// Loops over the results of a product, [1, M, E * F] or where each filter has one [1, 1, M].
struct ProductEnd {
  LoopNest loops;
  std::vector<bool> is_result;  ///< Of each input of the loops, whether it is the product's result.
};

/// Multiplies float32 values: a convolution, or with weight [M, C] a fully connected layer.
struct FloatProduct {
  std::shared_ptr<const Tensor> weight;  ///< float32 [M, C / groups, R, S] or [M, C].
  std::shared_ptr<const Tensor> bias;    ///< [M] float32. All zeros where the network has none.
  Window window;
  int64_t groups = 1;
  bool relu = false;
  std::shared_ptr<const ProductEnd> end = nullptr;  ///< Behind the relu; what it reads are the layer's other inputs.
  std::string why_float;                            ///< Of one between quantized values: why it is not on integers.
};

/// float32 inputs one behind another along `axis`.
struct FloatConcat {
  std::size_t axis = 1;
};

/// An ONNX node that a C function of the user's computes.
struct ExternCall {
  std::string op, node;
  std::vector<OptionalType> inputs;                      ///< The node's; nothing where one is left out.
  std::vector<std::shared_ptr<const Tensor>> constants;  ///< Of those that are given; null of an activation.
  std::vector<ExternOutput> outputs;                     ///< The layer's output is one, or all packed.
  std::string attributes;                                ///< A JSON object.
};

/// Operators with several results, which a user's target computes.
struct Several {
  std::shared_ptr<const Graph> body;
  std::vector<ExternOutput> results;  ///< Packed in the layer's output.
};

/// The input's bytes from `offset` on, as many as the output has, in another shape: no call at all.
struct View {
  int64_t offset = 0;
};

using LayerBody = std::variant<Qconv2d, Qlinear, MaxPool, AvgPool, GlobalAvgPool, Qbinary, Qconcat, Rearrange,
                               Requantize, Lookup, Qmatmul, Softmax, ArgMax, Quantize, Dequantize, FloatProduct,
                               FloatConcat, LoopNest, ExternCall, Several, View>;

/// Place of a tensor in Network::tensors.
using TensorId = std::size_t;

/// One runtime call.
struct Layer {
  const LayerKind* kind = nullptr;
  LayerBody body;
  std::string composite;  ///< The call's name without "dla." and "_cpu": "qconv2d_relu_maxpool".
  std::string onnx_name;  ///< Of the ONNX node it is called after: "/module/conv1/0/Conv".

  /// The operands, in the order of the body's fields: places among the composite's arguments, in a Network tensors.
  std::vector<TensorId> inputs;
  std::vector<TensorType> input_types;  ///< With the batch: [N, C, H, W] or [N, C].
  TensorType output_type;

  /// Which tensors [N, C, H, W] lie as [C, N, H, W] in memory: stack_pictures(). Of no inputs where it is empty.
  std::vector<bool> stacked_inputs;
  bool has_stacked_output = false;

  // Known once the layer is part of a Network.
  TensorId output = 0;
  std::string name;    ///< Short, unique, a C identifier: "conv1".
  std::string target;  ///< Where it runs: "dla" or "cpu".
  std::string reason;  ///< Why it is not on the accelerator; "" where it is.
  std::string region;  ///< Of the partition it belongs to: "dla_region_0".

  /// Whether its output is bytes that are there already, so that nothing is called: of a view, or of inputs that are
  /// all in their places.
  bool is_view() const;
};

/// An activation that layers hand on.
struct Activation {
  std::string name;  ///< Of the layer that writes it, or of the network's input.
  TensorType type;
};

/// An input or output of the network, float32.
struct NetworkEnd {
  std::string name;  ///< What the ONNX graph calls it.
  TensorId tensor = 0;
};

/// A network ready for code generation: layers in an order in which they can run.
struct Network {
  std::string name;  ///< File name of the model without extension.
  std::vector<Activation> tensors;
  std::vector<NetworkEnd> inputs, outputs;
  std::vector<Layer> layers;
};

/// What a layer accumulates; null where it is nothing.
const Accumulation* accumulation_of(const Layer& layer);

/// How the operands of a residual become the sum, by the convolution's own output quantization.
/// \return nothing where scales are too far apart.
std::optional<dla_addition> addition_of(const Quantization& conv, const Residual& residual, dla_rounding rounding);

/// Products that the layer adds up.
std::uint64_t count_macs(const Layer& layer);

/// How accumulators become outputs: one for all filters, or one each. InternalError where the scales are none.
std::vector<dla_requantization> requantizations_of(const Accumulation& sum, dla_rounding rounding);

/// The right shift, 0 to 31, that requantizes all filters; nothing where the scales ask for something else.
std::optional<uint32_t> shift_of(const Accumulation& sum);

/// What each byte becomes from one scale and zero point to another: [1, 256] uint8.
std::shared_ptr<const Tensor> rescaling_table(const Quantization& x, const Quantization& y, bool relu,
                                              dla_rounding rounding = kDlaNearestEven);

/// Whether a conversion from or to float32 is one by 2^-126 to 2^126.
bool is_shift(const Quantization& integers);

/// Whether tensors quantized as a whole are so by powers of two.
bool are_powers_of_two(const std::vector<Quantization>& all);

}  // namespace fovea
