// SPDX-License-Identifier: Apache-2.0
/// \file
/// What convolutions and fully connected layers have in common: bias, relu and requantization behind a multiplication.
#pragma once

#include "layer_kind.h"

namespace fovea {

/// relu?(bias_add?(`name`(dequantize(x), dequantize(w)), dequantize(b))), captured as name, "x", "w", "bias", "b",
/// "relu"; a float32 constant in dequantize(b)'s place as "float b".
Pattern accumulate(const std::string& name, bool relu);

/// Why accumulate() leaves a product of dequantized values to float32, as ONNX Runtime does: its weights are not int8
/// around 0 with one scale or one a filter, or its biases are of fewer bits than int32 and no integers at the products'
/// scale. Nothing where it takes it, and of other products.
/// \param bias  The nn.bias_add behind it, or null.
std::optional<std::string> why_float(const Graph& graph, const Node& product, const Node* bias);

/// accumulate() with relu or without.
Pattern accumulate(const std::string& name);

/// quantize(floor?(sum)), captured as "y" and "floor", the latter where the output's scale is 1.
Pattern quantized(const Pattern& sum);

/// A function of what `y` quantizes (function_behind()) that only keeps it within bounds, as Clip does.
Pattern bounded(const Pattern& y);

/// A function of what `y` quantizes (function_behind()) that is none of bounded(): a table.
Pattern looked_up(const Pattern& y);

/// Whether looked_up()'s table keeps the order of bytes, so that the largest stays the largest.
bool keeps_order(const Match& match);

/// Reads a match of accumulate(), of the quantize behind it, captured as "y", and of bounded() or looked_up(), if there
/// is one.
/// \param call  The multiplication.
/// UserError where scales, zero points or weights are not what the runtime computes with, or an integer bias is no
/// int32 at the products' scale. Accumulators wrap modulo 2^32 everywhere, as ONNX Runtime's do.
Accumulation read_accumulation(const Match& match, const Node& call);

/// What each filter is requantized by, where neither a shift nor one scale does for all; else nothing.
std::vector<float> scales_of(const Accumulation& sum);

/// ".quant = {.shift = 7, ...}" of a runtime call: by the shift if there is one, or else by the scale of all filters.
/// \param residual  What is added behind it, or null.
/// \param mean      What is taken behind it, or null.
std::string quant_field(const Accumulation& sum, dla_rounding rounding, const Residual* residual = nullptr,
                        const ChannelMean* mean = nullptr);

/// What a call's name says behind the operator: "_relu", "_maxpool" or both.
std::string suffix_of(const Accumulation& sum, bool pool);

/// Adds ".scaling = kDlaByScale" to a call on the host, where no shift leads to its outputs.
void add_scaling_field(const Layer& layer, const Accumulation& sum, CallText& call);

/// Whether a bias is not 0.
bool has_biases(const Accumulation& sum);

/// The table, as a call behind the layer's; nothing without one.
std::optional<CallText> lookup_tail(const Layer& layer, const Accumulation& sum, const Places& places);

/// Whether there is a table that only changes the scale.
bool is_rescaled(const Accumulation& sum);

/// That table in ONNX, on the result of the operator before: a concatenation of one, as a requantize is.
OnnxCall onnx_rescaling(const Accumulation& sum);

/// LayerKind::onnx_end: what a table looks up, where it does not only change the scale. ONNX has no tables, but the
/// functions that they were made from.
NodeId onnx_end_of(const Accumulation& sum, const Graph& body);

/// LayerKind::is_at_shifts of a layer that accumulates.
bool accumulates_at_shifts(const Layer& layer);

/// "filter" and "bias", "scale" where there is one a filter, and "table" where there is one.
std::vector<HostConstant> constants_of(const Accumulation& sum);

}  // namespace fovea
