// SPDX-License-Identifier: Apache-2.0
/// \file
/// Pictures of a batch under each other: [N, C, H, W] that lies as [C, N, H, W].
#pragma once

#include <cstdint>
#include <optional>

#include "device_form.h"

namespace fovea {

/// Whether a tensor is of several pictures [N, C, H, W], in bytes.
bool is_batch(const TensorType& type);

/// Whether a layer moves pictures [N, C, ...] into that order.
bool stacks_pictures(const Layer& layer);

/// Whether it moves pictures out of it.
bool unstacks_pictures(const Layer& layer);

/// Whether a form's commands may write, or read, a tensor [N, C, H, W] that lies so: with the other pictures' rows in
/// its planes, or one command for all pictures, if its tensors lie alike.
bool may_be_stacked(const DeviceForm& form, const TensorType& type, bool is_output);

/// The rows of an ifmap of all pictures under each other, of which one command computes the outputs of each; nothing
/// where windows would see two pictures. \param form  Of a command a picture.
std::optional<std::uint32_t> stacked_rows(const DeviceForm& form);

/// The shape of a picture's command: with planes of all pictures' rows where the layer's tensors are stacked.
dla_shape picture_shape(const Layer& layer, const DeviceForm& form);

/// The shape of the command for all pictures; nothing where there is none, or not all tensors are stacked.
std::optional<dla_shape> stacked_shape(const Layer& layer, const DeviceForm& form);

}  // namespace fovea
