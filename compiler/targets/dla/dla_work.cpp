// SPDX-License-Identifier: Apache-2.0
/// \file
/// Asks a mapper for what layers are on the accelerator.
#include "dla_work.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "command/command_text.h"
#include "layers/layer_kind.h"
#include "layers/picture_stack.h"
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
  shape.filters_on_chip = where.filters.has_value();
  shape.ifmap_plane_rows = where.ifmap ? where.ifmap_plane_rows : shape.ifmap_plane_rows;
  shape.ofmap_plane_rows = where.ofmap ? where.ofmap_plane_rows : shape.ofmap_plane_rows;
  shape.residual_plane_rows = where.residual ? where.residual_plane_rows : shape.residual_plane_rows;
}

/// Of the GLB, what the layer's regions may not take.
std::uint32_t kept_bytes(const LayerResidency& where) {
  return where.kept_front_bytes + where.kept_back_bytes + where.other_filters_bytes;
}

/// \param own  Of a command, where the form is of no products.
ShapeChoice choose_beside(const DeviceForm& form, dla_shape own, Mapper& mapper, const LayerResidency& where) {
  Mapper& smaller = mapper.beside(kept_bytes(where));
  if (!form.is_product) {
    put_on_chip(where, own);
    return where.depth_first
               ? ShapeChoice{own, choose_for_slices(own, where.depth_first->rows.at(where.place), smaller)}
               : smaller.choose(own);
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

/// Takes one command for all pictures, if there is one, unless as many for one each are better by the goal.
void choose_commands(const Layer& layer, Mapper& mapper, DlaWork& work) {
  const dla_shape own = picture_shape(layer, work.form);
  work.choice = mapper.choose(own);
  work.asked = to_text(own);
  const std::optional<dla_shape> all = stacked_shape(layer, work.form);
  if (!all || mapper.mode() == MappingMode::kLab) {
    return;
  }
  const ShapeChoice& stacked = mapper.choose(*all);
  if (!stacked.mapping.plan) {
    return;
  }
  const AccessEnergy energy = mapper.machine().access_energy();
  const auto figures_of = [&](const ShapeChoice& choice, std::uint64_t commands) {
    Figures figures = price_figures(mapper.machine().geometry, &energy, choice.shape, choice.mapping.plan->mapping);
    figures.cycles *= commands;
    figures.dram_bytes *= commands;
    figures.passes *= commands;
    figures.energy *= static_cast<double>(commands);
    return figures;
  };
  if (work.choice.mapping.plan) {
    const Figures each = figures_of(work.choice, work.commands), one = figures_of(stacked, 1);
    const Ranking ranking{mapper.goal().objective,
                          same_cycles_as(std::min(each.cycles, one.cycles), mapper.goal().slack_percent)};
    if (ranking.rank(each) < ranking.rank(one)) {
      return;
    }
  }
  work.choice = stacked;
  work.asked = to_text(*all);
  work.commands = 1;
}

}  // namespace

void prepare_depth_first(const std::vector<std::pair<const Layer*, LayerResidency>>& layers, Mapper& mapper) {
  std::map<std::uint32_t, std::vector<dla_shape>> shapes;  // By what is kept.
  for (const auto& [layer, where] : layers) {
    dla_shape shape = device_form_of(*layer)->shape;
    put_on_chip(where, shape);
    std::ranges::move(shapes_for_slices(shape, where.depth_first->rows.at(where.place)),
                      std::back_inserter(shapes[kept_bytes(where)]));
  }
  for (const auto& [kept, alike] : shapes) {
    mapper.beside(kept).prepare(alike, {});
  }
}

std::optional<DlaWork> find_dla_work(const Layer& layer, Mapper& mapper, const LayerResidency* where) {
  auto form = device_form_of(layer);
  if (!form) {
    return std::nullopt;
  }
  if (!form->refusal.empty()) {
    return DlaWork{*form, {{}, {std::nullopt, form->refusal}}, 1};
  }
  DlaWork work;
  work.form = std::move(*form);
  work.commands = static_cast<std::uint64_t>(work.form.pictures);
  if (where != nullptr && where->is_any()) {
    work.choice = choose_beside(work.form, picture_shape(layer, work.form), mapper, *where);
  } else if (work.form.is_product) {
    work.choice = mapper.choose_linear(linear_layer(work.form));
    work.asked = to_text(linear_layer(work.form));
  } else {
    choose_commands(layer, mapper, work);
  }
  work.form.sum = joined_sum(work.form, work.choice.shape);
  return work;
}

}  // namespace fovea
