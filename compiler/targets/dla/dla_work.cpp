// SPDX-License-Identifier: Apache-2.0
/// \file
/// Asks a mapper for what layers are on the accelerator.
#include "dla_work.h"

#include "layers/layer_kind.h"

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

std::optional<DlaWork> find_dla_work(const Layer& layer, Mapper& mapper) {
  auto form = device_form_of(layer);
  if (!form) {
    return std::nullopt;
  }
  if (!form->refusal.empty()) {
    return DlaWork{*form, {{}, {std::nullopt, form->refusal}}};
  }
  const ShapeChoice& choice = form->is_product ? mapper.choose_linear(linear_layer(*form)) : mapper.choose(form->shape);
  form->sum = joined_sum(*form, choice.shape);
  return DlaWork{std::move(*form), choice};
}

}  // namespace fovea
