// SPDX-License-Identifier: Apache-2.0
/// \file
/// Layers that change nothing but where a tensor lies.
#include "chip_copy.h"

#include <algorithm>

#include "spec/dla_schedule.h"

namespace fovea {

namespace {

dla_layer depthwise_copy(const dla_planes& planes, CopyTo to) {
  dla_layer layer{};
  dla_shape& s = layer.shape;
  s.C = s.M = s.R = s.S = s.U = s.V = 1;
  s.G = planes.channels;
  s.H = planes.plane_rows;
  s.W = planes.cols;
  s.ofmap_on_chip = to == CopyTo::kChip;
  s.ifmap_on_chip = to == CopyTo::kDram;
  (s.ofmap_on_chip ? layer.ofmap_addr : layer.ifmap_addr) = planes.addr;
  return layer;
}

/// So many groups in a PE, and strips of so many rows.
dla_mapping copy_mapping(uint32_t g, uint32_t e) {
  return {g, 1, e, g, g, 1, 1, e, false, 2, kDlaLoopOrderRowsFiltersChannels, g, 0, 0};
}

/// Lays the regions out in the banks from `begin` to `end` - 1. \return whether there is room.
bool plan_between(const dla_machine& machine, uint32_t begin, uint32_t end, dla_layer& layer) {
  dla_machine front = machine;
  front.glb_bytes = end;
  if (begin >= end || dla_plan_glb_behind(&front, &layer.shape, &layer.mapping, begin, &layer.glb) != kDlaErrorNone) {
    return false;
  }
  if (layer.shape.ifmap_on_chip) {
    const dla_planes ifmap = dla_planes_of(&machine, &layer, kDlaIfmap);
    layer.glb.ifmap = dla_banks_of(&machine, &ifmap);
  }
  return dla_check_layer(&machine, &layer) == kDlaErrorNone;
}

/// The row of a plane that a tensor's row is.
uint32_t plane_row(const dla_planes& planes, uint32_t row) { return (planes.first_row + row) % planes.plane_rows; }

}  // namespace

std::optional<dla_layer> plan_copy(const dla_machine& machine, const dla_planes& planes, CopyTo to,
                                   const dla_region& kept) {
  dla_layer layer = depthwise_copy(planes, to);
  const uint32_t kept_end = kept.base_bytes + kept.size_bytes;
  for (uint32_t e = std::min(planes.plane_rows, machine.cols); e != 0; e /= 2) {
    for (uint32_t g = std::min(planes.channels, dla_ifmap_columns(&machine)); g != 0; g /= 2) {
      layer.mapping = copy_mapping(std::min(g, uint32_t{DLA_MAPPING_G_MAX}), e);
      if (dla_check_mapping(&machine, &layer.shape, &layer.mapping) == kDlaErrorNone &&
          (plan_between(machine, 0, kept.base_bytes, layer) ||
           plan_between(machine, kept_end, machine.glb_bytes, layer))) {
        return layer;
      }
    }
  }
  return std::nullopt;
}

dla_region chip_banks(const dla_machine& machine, const dla_layer& layer) {
  uint32_t begin = UINT32_MAX, end = 0;
  if (layer.shape.filters_on_chip) {
    begin = layer.glb.filter.base_bytes;
    end = begin + layer.glb.filter.size_bytes;
  }
  for (const dla_layer_tensor tensor : {kDlaIfmap, kDlaOfmap, kDlaResidual}) {
    const dla_planes planes = dla_planes_of(&machine, &layer, tensor);
    if (planes.on_chip && (tensor != kDlaResidual || layer.shape.residual)) {
      const dla_region banks = dla_banks_of(&machine, &planes);
      begin = std::min(begin, banks.base_bytes);
      end = std::max(end, banks.base_bytes + banks.size_bytes);
    }
  }
  return {begin, end - begin};
}

bool may_have_filters_on_chip(const dla_machine& machine, dla_layer layer) {
  const dla_passes passes = dla_derive_passes(&machine, &layer.shape, &layer.mapping);
  if (layer.shape.lookup || dla_filter_chunks(&layer.shape, &layer.mapping, &passes) > layer.mapping.filter_buffers) {
    return false;
  }
  layer.shape.filters_on_chip = true;
  const dla_region kept = chip_banks(machine, layer);
  for (const dla_layer_tensor tensor : {kDlaIfmap, kDlaOfmap, kDlaResidual}) {
    const dla_planes planes = dla_planes_of(&machine, &layer, tensor);
    if (planes.on_chip && !plan_copy(machine, planes, CopyTo::kChip, kept)) {
      return false;
    }
  }
  return true;
}

std::vector<uint8_t> put_into_planes(const dla_planes& planes, const std::vector<uint8_t>& tensor, uint8_t other) {
  const size_t plane = size_t{planes.plane_rows} * planes.cols;
  std::vector<uint8_t> bytes(planes.channels * plane, other);
  auto row_begin = tensor.begin();
  for (uint32_t channel = 0; channel < planes.channels; ++channel) {
    for (uint32_t row = 0; row < planes.rows; ++row, row_begin += planes.cols) {
      std::copy_n(row_begin, planes.cols, &bytes[channel * plane + size_t{plane_row(planes, row)} * planes.cols]);
    }
  }
  return bytes;
}

TensorOfPlanes take_out_of_planes(const dla_planes& planes, const std::vector<uint8_t>& bytes, uint8_t other) {
  const size_t plane = size_t{planes.plane_rows} * planes.cols;
  TensorOfPlanes of;
  for (uint32_t channel = 0; channel < planes.channels; ++channel) {
    for (uint32_t row = 0; row < planes.plane_rows; ++row) {
      const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(channel * plane) +
                         std::ptrdiff_t{plane_row(planes, row)} * planes.cols;
      if (row < planes.rows) {
        of.tensor.insert(of.tensor.end(), begin, begin + planes.cols);
      } else {
        of.others_kept =
            of.others_kept && std::all_of(begin, begin + planes.cols, [&](uint8_t byte) { return byte == other; });
      }
    }
  }
  return of;
}

}  // namespace fovea
