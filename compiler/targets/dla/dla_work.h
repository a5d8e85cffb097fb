// SPDX-License-Identifier: Apache-2.0
/// \file
/// What of a layer the accelerator computes in one command.
#pragma once

#include <optional>

#include "layers/layer.h"
#include "mapping/mapper.h"

namespace fovea {

/// A layer as a command.
struct DlaWork {
  Accumulation sum;  ///< The layer's, or of one that computes the same.
  ShapeChoice choice;
  std::optional<Residual> residual = std::nullopt;  ///< What is added behind the multiplication.
  std::optional<ChannelMean> mean = std::nullopt;   ///< What is taken behind it.
  std::size_t ifmap = 0;                            ///< Place among the layer's inputs; the residual is the other one.
};

/// What find_dla_work() will ask a mapper for, so that it is mapped side by side: Mapper::prepare().
struct MappingsAhead {
  void add(const Layer& layer);

  std::vector<dla_shape> convolutions;
  std::vector<LinearLayer> linears;
};

/// The layer's commands and their mapping, or why there is none; nothing where no command computes such a layer.
/// A fully connected layer is a convolution: of the shapes that it may take, the mapper chooses. So is the mean of each
/// channel: the plane is a group of its own, with weights of 1, or several are under each other in one. A max-pool is
/// behind a depthwise convolution that changes nothing; so is the second of two tensors that are added.
std::optional<DlaWork> find_dla_work(const Layer& layer, Mapper& mapper);

}  // namespace fovea
