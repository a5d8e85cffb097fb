// SPDX-License-Identifier: Apache-2.0
/// \file
/// Fields that calls on the host have in common, as C text.
#pragma once

#include <string>

#include "layer_kind.h"

namespace fovea {

/// `.name = "conv1"`.
std::string name_field(const Layer& layer);

/// ".ifmap = ARENA(quantize), .ofmap = ARENA(conv1)" of a layer with one input.
std::string ifmap_ofmap_fields(const Layer& layer, const Places& places);

/// ".filter = WEIGHT(conv1_filter), .bias = WEIGHT(conv1_bias)".
std::string filter_bias_fields(const Layer& layer);

/// ".C = 3, .H = 32, .W = 32" of an activation [1, C, H, W].
std::string chw_fields(const TensorType& type);

/// ".N = 4, ", of as many pictures; "" of one.
std::string n_field(int64_t pictures);

/// ".type = "uint8", .element_bytes = 1".
std::string type_fields(const TensorType& type);

/// ".rank = 3, .shape = {3, 32, 32}", without the batch.
std::string shape_fields(const TensorType& type);

/// ".a_scale = 0x1p-3f, .a_zero_point = 128" of `operand` a.
std::string quantization_fields(const std::string& operand, const Quantization& quantization);

/// ".window = {...}".
std::string window_field(const Window& window);

/// dla_concat_cpu along an axis. \param tables  Of the inputs: the name of the constant that each of its elements goes
/// through, or "".
CallText concat_call(const Layer& layer, const Places& places, std::size_t axis,
                     const std::vector<std::string>& tables);

/// dla_lookup_cpu of the constant "table": `count` tables, each for `run` elements in a row.
CallText lookup_call(const Layer& layer, const Places& places, int64_t count, int64_t run);

}  // namespace fovea
