// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reshapes and transposes, made in their shortest form.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace fovea {

/// An order of axes, as transpose has it: axis i of the result is axis axes[i] of x.
using Axes = std::vector<int64_t>;

/// The order that undoes `axes`.
Axes inverse_of(const Axes& axes);

/// The axis of `to` that runs over the same elements as `axis` of `from`, of as many elements; nothing where none does.
std::optional<int64_t> axis_after_reshape(const Shape& from, std::size_t axis, const Shape& to);

/// Whether a call is a reshape or a transpose.
bool is_move(const Node& node);

/// Whether a value is a constant, or a dequantized one: a move of it costs nothing when the network runs.
bool is_parameter(const Graph& graph, NodeId id);

/// Whether a qnn.quantize or qnn.dequantize call has one scale for all of its tensor.
bool has_one_scale(const Graph& graph, const Node& call);

/// Whether ONNX Runtime adds operands of these shapes in the order in which it adds those of a sum; another one rounds
/// quantized ones otherwise. True of others.   \pre `sum` is an add.
bool keeps_order(const Graph& graph, const Node& sum, const Shape& a, const Shape& b);

/// \name Add what gives `x` another layout
/// Nothing is added for what changes nothing, one move for several in a row, and a reshape for a transpose that moves
/// axes of size 1 only. A constant is moved here and now, below its dequantize too.
/// @{
NodeId add_reshape(GraphBuilder& builder, NodeId x, const Shape& shape, const std::string& origin);
NodeId add_transpose(GraphBuilder& builder, NodeId x, const Axes& axes, const std::string& origin);
/// A copy of the move `call`.
NodeId add_move(GraphBuilder& builder, NodeId x, const Node& call);
/// @}

}  // namespace fovea
