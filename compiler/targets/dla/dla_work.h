// SPDX-License-Identifier: Apache-2.0
/// \file
/// The command of a layer, with the shape and mapping that a mapper chooses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "layers/device_form.h"
#include "mapping/mapper.h"

namespace fovea {

struct LayerResidency;

/// A layer as a command, or as several alike.
struct DlaWork {
  DeviceForm form;
  ShapeChoice choice;
  std::uint64_t commands = 1;  ///< Of a batch, one a picture or one for all.
  std::string asked = {};      ///< What the mapper was asked for, as Mapper::chosen() has it.
};

/// What find_dla_work() will ask a mapper for, so that it is mapped side by side: Mapper::prepare().
struct MappingsAhead {
  void add(const Layer& layer);

  std::vector<dla_shape> convolutions;
  std::vector<LinearLayer> linears;
};

/// What command computes a layer, before it is mapped; nothing where none does.
std::optional<DeviceForm> device_form_of(const Layer& layer);

/// What find_dla_work() asks a mapper for where the form is of products.
LinearLayer linear_layer(const DeviceForm& form);

/// The layer's command and its mapping, or why there is none; nothing where no command computes such a layer.
/// Products are convolutions: of the shapes that they may take, the mapper chooses. So is the mean of each channel: the
/// plane is a group of its own, or several are under each other in one.
/// \param where  What of the layer's tensors lies on chip, and what that leaves of the GLB; null: nothing, all of it.
std::optional<DlaWork> find_dla_work(const Layer& layer, Mapper& mapper, const LayerResidency* where = nullptr);

/// Has a mapper choose side by side for layers that run depth first together, as find_dla_work() will ask it to.
void prepare_depth_first(const std::vector<std::pair<const Layer*, LayerResidency>>& layers, Mapper& mapper);

}  // namespace fovea
