// SPDX-License-Identifier: Apache-2.0
/// \file
/// Draws where a layer's tensors lie.
#include "drawn_places.h"

#include <algorithm>
#include <numeric>

#include "chip_copy.h"
#include "random_layer.h"

namespace fovea {

namespace {

uint32_t round_up(uint32_t number, uint32_t to) { return (number + to - 1) / to * to; }

uint32_t output_rows(const dla_shape& s) { return dla_pooled(&s, dla_unpooled_rows(&s)); }

/// Rows of the ofmap behind which another begins at the same byte of a word.
uint32_t word_rows(const dla_machine& machine, const dla_shape& s) {
  const uint32_t cols = dla_pooled(&s, dla_unpooled_cols(&s));
  return machine.bus_bytes / std::gcd(cols, machine.bus_bytes);
}

uint32_t& address(dla_layer& layer, dla_layer_tensor tensor) {
  return tensor == kDlaIfmap ? layer.ifmap_addr : tensor == kDlaOfmap ? layer.ofmap_addr : layer.residual_addr;
}

}  // namespace

/// Of a tensor in DRAM; 0: its own.
uint32_t PlaceDraw::draw_plane_rows(uint32_t rows) { return random_.one_in(2) ? rows + random_.between(1, 5) : 0; }

/// Of a tensor on chip: often as small as it may be, and any row the first.
PlaceDraw::Rows PlaceDraw::draw_ring(uint32_t rows) {
  Rows ring;
  ring.plane = random_.one_in(3) ? 0 : rows + random_.between(0, 6);
  ring.first = random_.one_in(3) ? 0 : random_.between(0, std::max(ring.plane, rows) - 1);
  return ring;
}

/// The same of what is written or added, which goes on at the plane's begin only where a word ends.
/// \param step  Rows that are whole words.
PlaceDraw::Rows PlaceDraw::draw_output_ring(uint32_t rows, uint32_t step) {
  Rows ring = draw_ring(rows);
  const uint32_t plane = std::max(ring.plane, rows);
  if (ring.first + rows > plane && plane % step != 0) {
    ring.plane = round_up(plane, step);
  }
  return ring;
}

void PlaceDraw::draw_ifmap_rows(dla_shape& s) {
  if (s.ifmap_on_chip) {
    const Rows ring = draw_ring(s.H);
    s.ifmap_plane_rows = ring.plane;
    s.ifmap_first_row = ring.first;
  } else {
    s.ifmap_plane_rows = draw_plane_rows(s.H);
  }
}

/// Of a residual in DRAM: planes are as far apart as the ofmap's but for whole words.
uint32_t PlaceDraw::draw_residual_rows(const dla_shape& s, uint32_t rows, uint32_t step) {
  const uint32_t more = step * random_.between(0, 1);
  return s.ofmap_on_chip ? round_up(rows, step) + more : std::max(s.ofmap_plane_rows, rows) + more;
}

/// Makes two rings begin at the same byte of a word.
void PlaceDraw::match_rings(dla_shape& s, uint32_t rows, uint32_t step) {
  const uint32_t plane = std::max(s.residual_plane_rows, rows);
  const uint32_t first = s.residual_first_row = s.residual_first_row / step * step + s.ofmap_first_row % step;
  if (first >= plane || (first + rows > plane && plane % step != 0)) {
    s.residual_plane_rows = round_up(std::max(plane, first + 1), step);
  }
}

void PlaceDraw::draw_output_rows(const LayerCase& test, dla_shape& s) {
  const uint32_t rows = output_rows(s), step = word_rows(machine_, s);
  if (s.mean) {
    return;
  }
  if (s.ofmap_on_chip) {
    const Rows ring = draw_output_ring(rows, step);
    s.ofmap_plane_rows = ring.plane;
    s.ofmap_first_row = ring.first;
  } else {
    s.ofmap_plane_rows = draw_plane_rows(rows);
  }
  if (!s.residual) {
    return;
  }
  if (test.residual_in_place) {
    s.residual_plane_rows = s.ofmap_plane_rows;
    s.residual_first_row = s.ofmap_first_row;
  } else if (!s.residual_on_chip) {
    s.residual_plane_rows = draw_residual_rows(s, rows, step);
  } else {
    const Rows ring = draw_output_ring(rows, step);
    s.residual_plane_rows = ring.plane;
    s.residual_first_row = ring.first;
    if (s.ofmap_on_chip) {
      match_rings(s, rows, step);
    } else {
      // Planes on chip begin with words.
      s.ofmap_plane_rows = round_up(std::max(s.ofmap_plane_rows, rows), step);
    }
  }
}

void PlaceDraw::draw_planes(LayerCase& test) {
  dla_shape& s = test.layer.shape;
  test.residual_in_place = s.residual && random_.one_in(3);
  draw_ifmap_rows(s);
  draw_output_rows(test, s);
}

/// Which of the tensors are on chip, at least one.
void PlaceDraw::draw_tensors(LayerCase& test) {
  dla_shape& s = test.layer.shape;
  do {
    s.ifmap_on_chip = random_.one_in(2);
    s.ofmap_on_chip = random_.one_in(2);
    s.residual_on_chip = s.residual && random_.one_in(2);
  } while (!s.ifmap_on_chip && !s.ofmap_on_chip && !s.residual_on_chip);
  test.residual_in_place = s.residual && s.ofmap_on_chip == s.residual_on_chip && random_.one_in(2);
}

/// Puts a tensor into the columns behind byte `end`, beginning in any of them. \return the byte behind it.
uint32_t PlaceDraw::put(dla_layer& layer, dla_layer_tensor tensor, uint32_t end) {
  const uint32_t column = random_.one_in(2) ? 0 : random_.between(0, dla_ifmap_columns(&machine_) - 1);
  address(layer, tensor) = column << kDlaColumnLsb | end;
  const dla_planes planes = dla_planes_of(&machine_, &layer, tensor);
  return end + (column + planes.channels + planes.columns - 1) / planes.columns * planes.stride;
}

/// One behind another in any order, in the same banks where they may be: a residual and the ifmap's region may not.
/// Then all of them to any banks.
bool PlaceDraw::lay_out(LayerCase& test) {
  dla_layer& layer = test.layer;
  const dla_shape& s = layer.shape;
  const bool has_residual = s.residual_on_chip && !test.residual_in_place;
  std::vector<dla_layer_tensor> tensors;
  for (const auto& [is_there, tensor] : {std::pair{s.ifmap_on_chip, kDlaIfmap}, std::pair{s.ofmap_on_chip, kDlaOfmap},
                                         std::pair{has_residual, kDlaResidual}}) {
    if (is_there) {
      tensors.insert(tensors.begin() + random_.between(0, static_cast<uint32_t>(tensors.size())), tensor);
    }
  }
  const uint32_t bank = machine_.glb_bank_bytes, bus_bytes = machine_.bus_bytes;
  uint32_t end = random_.one_in(2) ? 0 : random_.between(0, bank / bus_bytes - 1) * bus_bytes;
  for (const dla_layer_tensor tensor : tensors) {
    const bool is_apart = (s.ifmap_on_chip && s.residual_on_chip) || random_.one_in(3);
    end = is_apart ? round_up(end, bank) : end + random_.between(0, 3) * bus_bytes;
    end = put(layer, tensor, end);
  }
  const uint32_t rows = dla_column_bytes(&machine_) / bank, used = (end + bank - 1) / bank;
  if (used > rows) {
    return false;
  }
  const uint32_t last = rows - used, row = random_.one_in(3) ? random_.between(0, last) : random_.one_in(2) ? 0 : last;
  for (const dla_layer_tensor tensor : tensors) {
    address(layer, tensor) += row * bank;
  }
  if (test.residual_in_place) {
    layer.residual_addr = layer.ofmap_addr;
  }
  kept_ = {row * bank * dla_ifmap_columns(&machine_), used * bank * dla_ifmap_columns(&machine_)};
  return true;
}

bool PlaceDraw::draw_on_chip(LayerCase& test) {
  draw_tensors(test);
  draw_ifmap_rows(test.layer.shape);
  draw_output_rows(test, test.layer.shape);
  if (!lay_out(test)) {
    return false;
  }
  // There has to be room for the layers that bring and fetch them.
  for (const dla_layer_tensor tensor : {kDlaIfmap, kDlaOfmap, kDlaResidual}) {
    const dla_planes planes = dla_planes_of(&machine_, &test.layer, tensor);
    if (planes.on_chip &&
        (!plan_copy(machine_, planes, CopyTo::kChip, kept_) || !plan_copy(machine_, planes, CopyTo::kDram, kept_))) {
      return false;
    }
  }
  return true;
}

dla_region PlaceDraw::ifmap_region(const dla_layer& layer) {
  const dla_planes ifmap = dla_planes_of(&machine_, &layer, kDlaIfmap);
  return !layer.shape.residual_on_chip && random_.one_in(3) ? kept_ : dla_banks_of(&machine_, &ifmap);
}

}  // namespace fovea
