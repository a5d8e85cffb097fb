// SPDX-License-Identifier: Apache-2.0
/// \file
/// Asks a mapper for what layers are on the accelerator.
#include "dla_work.h"

#include <algorithm>
#include <iterator>

#include "layers/layer_kind.h"
#include "residency.h"
#include "slice_mapping.h"

namespace fovea {

std::optional<DeviceForm> device_form_of(const Layer& layer) {
  return layer.kind->device_form == nullptr ? std::nullopt : layer.kind->device_form(layer);
}

LinearLayer linear_layer(const DeviceForm& form) {
  const dla_shape& s = form.shape;
  return {s.C, s.M, s.scaled, s.filter_scales, s.G, s.lookup, form.is_alike};
}

void MappingsAhead::add(const Layer& layer) {
  const auto form = device_form_of(layer);
  if (!form || !form->refusal.empty()) {
    return;
  }
  if (form->is_product) {
    linears.push_back(linear_layer(*form));
  } else {
    convolutions.push_back(form->shape);
  }
}

namespace {

/// Fully connected layers see an ifmap on chip as the planes that it has.
bool sees_planes(const dla_shape& shape, const LayerResidency& where) {
  return !where.ifmap || shape.C == where.ifmap_channels;
}

void put_on_chip(const LayerResidency& where, dla_shape& shape) {
  shape.ifmap_on_chip = where.ifmap.has_value();
  shape.ofmap_on_chip = where.ofmap.has_value();
  shape.residual_on_chip = where.residual.has_value();
  shape.ifmap_plane_rows = where.ifmap_plane_rows;
  shape.ofmap_plane_rows = where.ofmap_plane_rows;
  shape.residual_plane_rows = where.residual_plane_rows;
}

ShapeChoice choose_beside(const DeviceForm& form, Mapper& mapper, const LayerResidency& where) {
  Mapper& smaller = mapper.beside(where.kept_front_bytes + where.kept_back_bytes);
  if (!form.is_product) {
    dla_shape shape = form.shape;
    put_on_chip(where, shape);
    return where.depth_first
               ? ShapeChoice{shape, choose_for_slices(shape, where.depth_first->rows.at(where.place), smaller)}
               : smaller.choose(shape);
  }
  ShapeChoice best;
  best.mapping.reason = "no window of it sees the planes that lie on chip";
  for (dla_shape shape : linear_shapes(linear_layer(form))) {
    put_on_chip(where, shape);
    if (sees_planes(shape, where)) {
      const ShapeChoice& choice = smaller.choose(shape);
      if (choice.mapping.plan &&
          (!best.mapping.plan || choice.mapping.plan->cost.cycles < best.mapping.plan->cost.cycles)) {
        best = choice;
      }
    }
  }
  return best;
}

}  // namespace

void prepare_depth_first(const std::vector<std::pair<const Layer*, LayerResidency>>& layers, Mapper& mapper) {
  std::vector<dla_shape> shapes;
  std::uint32_t kept_bytes = 0;
  for (const auto& [layer, where] : layers) {
    dla_shape shape = device_form_of(*layer)->shape;
    put_on_chip(where, shape);
    std::ranges::move(shapes_for_slices(shape, where.depth_first->rows.at(where.place)), std::back_inserter(shapes));
    kept_bytes = where.kept_front_bytes + where.kept_back_bytes;
  }
  mapper.beside(kept_bytes).prepare(shapes, {});
}

std::optional<DlaWork> find_dla_work(const Layer& layer, Mapper& mapper, const LayerResidency* where) {
  auto form = device_form_of(layer);
  if (!form) {
    return std::nullopt;
  }
  if (!form->refusal.empty()) {
    return DlaWork{*form, {{}, {std::nullopt, form->refusal}}};
  }
  const ShapeChoice choice = where != nullptr && where->is_any() ? choose_beside(*form, mapper, *where)
                             : form->is_product                  ? mapper.choose_linear(linear_layer(*form))
                                                                 : mapper.choose(form->shape);
  form->sum = joined_sum(*form, choice.shape);
  return DlaWork{std::move(*form), choice};
}

}  // namespace fovea
