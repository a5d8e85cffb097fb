// SPDX-License-Identifier: Apache-2.0
/// \file
/// What one command of the accelerator computes of a layer: the layer itself, or a convolution or product that computes
/// the same.
#pragma once

#include <optional>
#include <string>

#include "layer.h"
#include "spec/dla_command.h"

namespace fovea {

/// A layer as a command, before it is mapped.
struct DeviceForm {
  std::string refusal = {};    ///< Why no command computes it, whatever the machine; the rest is empty then.
  std::string operation = {};  ///< What reports call it: what follows the multiplication.
  Accumulation sum = {};
  /// Of a convolution. Of products (is_product) C inputs and M outputs, where C may become rows and columns too.
  dla_shape shape{};
  bool is_product = false;
  bool is_alike = false;  ///< Products whose groups have the same weights, and an output each.
  std::optional<Residual> residual = std::nullopt;  ///< What is added behind the multiplication.
  std::optional<ChannelMean> mean = std::nullopt;   ///< What is taken behind it.
  std::int64_t pictures = 1;                        ///< Of the batch, a command each.
  std::size_t ifmap = 0;                            ///< Place among the layer's inputs; the residual is the other one.
};

/// Values of a mean whose sum is at most 2^24, up to where a power of two shifts as float32 multiplies.
inline constexpr std::int64_t kMostMeanValues = (1 << 24) / 255;

/// A convolution's own, or that of one that computes the same. Groups of channels are one command.
/// \param ifmap  [N, C, H, W].
DeviceForm convolution_form(std::string operation, const Qconv2d& conv, const Shape& ifmap);

/// Of fully connected layers side by side, each with `weight` [M, C], or of one.
/// \param groups  How many; 0 is one.
DeviceForm product_form(std::string operation, const Accumulation& sum, std::int64_t groups = 0);

/// Why no command has so many groups, or such a window; nothing where one does.
std::optional<std::string> refuse_groups(std::int64_t groups);
std::optional<std::string> refuse_window(const Window& window);

/// Weights of 1, at a scale of 1, and biases of 0. \param weight  Their shape, the filters outermost.
Accumulation sum_of_ones(const Shape& weight, const Quantization& x, const Quantization& y);

/// A depthwise convolution with filters of one weight, 1: it changes nothing.
Qconv2d identity(std::int64_t channels, const Quantization& x);

/// A form's sum where the shape that is taken joins several of its alike groups to one: each filter has weights of 0
/// for the others' channels. \param shape  One of linear_shapes().
Accumulation joined_sum(const DeviceForm& form, const dla_shape& shape);

}  // namespace fovea
