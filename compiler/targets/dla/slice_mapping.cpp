// SPDX-License-Identifier: Apache-2.0
/// \file
/// Searches for two slices, and prices all of them.
#include "slice_mapping.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "spec/dla_planes.h"
#include "spec/dla_slice.h"
#include "tensor/error.h"

namespace fovea {
namespace {

/// Calls visit(first, count) with the rows of each slice that has some.
template <class Visit>
void for_slices(const std::vector<std::uint32_t>& rows, Visit visit) {
  std::uint32_t first = 0;
  for (const std::uint32_t count : rows) {
    if (count != 0) {
      visit(first, count);
    }
    first += count;
  }
}

std::vector<dla_shape> slices_of(const dla_shape& shape, const std::vector<std::uint32_t>& rows) {
  std::vector<dla_shape> slices;
  for_slices(
      rows, [&](std::uint32_t first, std::uint32_t count) { slices.push_back(dla_slice_shape(&shape, first, count)); });
  return slices;
}

/// The slice as a search sees it: it does not matter with which row of a plane on chip it begins, and how many rows
/// there are. One more than it has says that they are not all, so that its pixels are not joined (equal_shapes).
dla_shape to_search(dla_shape slice) {
  slice.ifmap_first_row = slice.ofmap_first_row = slice.residual_first_row = 0;
  if (slice.ifmap_on_chip) {
    slice.ifmap_plane_rows = slice.H + 1;
  }
  const std::uint32_t rows = dla_pooled(&slice, dla_unpooled_rows(&slice));
  if (slice.ofmap_on_chip) {
    slice.ofmap_plane_rows = rows + 1;
  }
  if (slice.residual_on_chip) {
    slice.residual_plane_rows = rows + 1;
  }
  return slice;
}

/// The most frequent slice and the largest one; one of them where they are alike. A slice of padding alone has none.
std::vector<dla_shape> shapes_to_search(const std::vector<dla_shape>& slices) {
  const auto kind_of = [](const dla_shape& slice) {
    return std::tuple(dla_computed_rows(&slice), slice.H, slice.pad_top, slice.pad_bottom);
  };
  std::map<decltype(kind_of(slices.front())), int> counts;
  for (const dla_shape& slice : slices) {
    ++counts[kind_of(slice)];
  }
  const dla_shape& frequent =
      *std::ranges::max_element(slices, {}, [&](const dla_shape& slice) { return counts.at(kind_of(slice)); });
  const dla_shape& largest = *std::ranges::max_element(slices, {}, kind_of);
  std::vector<dla_shape> shapes = {to_search(frequent)};
  if (kind_of(largest) != kind_of(frequent)) {
    shapes.push_back(to_search(largest));
  }
  return shapes;
}

bool are_legal(const dla_machine& machine, const std::vector<dla_shape>& slices, const dla_mapping& mapping) {
  return std::ranges::all_of(slices, [&](const dla_shape& slice) {
    const dla_mapping fitted = dla_fit_rows(&slice, &mapping);
    return dla_check_mapping(&machine, &slice, &fitted) == kDlaErrorNone;
  });
}

/// By what search_mappings() compares, as far as a sum has it.
std::pair<double, double> rank_of(const Mapper& mapper, const PlannedMapping& plan) {
  const double bytes = static_cast<double>(plan.cost.dram_bytes.total());
  const double cycles = static_cast<double>(plan.cost.cycles);
  switch (mapper.goal().objective) {
    case Objective::kDram:
      return {bytes, cycles};
    case Objective::kEnergy:
      return {price_energy(mapper.machine().access_energy(), plan.accesses).total(), cycles};
    default:
      return {cycles, bytes};
  }
}

/// The GLB of a layer's slices: each region as large as the slice that needs most of it.
/// \param rows          Of the ofmap, of each slice; 0 where it has none.
/// \param kept_bytes    Of the GLB's front, which are left to what stays on chip.
/// \param filters_stay  In front of that: the filter region is planned without any banks.
/// \return kDlaErrorNone, or what does not fit.
dla_error plan_glb_of_slices(const dla_machine& machine, const dla_shape& shape, const std::vector<std::uint32_t>& rows,
                             const dla_mapping& mapping, std::uint32_t kept_bytes, bool filters_stay,
                             dla_glb_plan& glb) {
  dla_passes most{};
  for (const dla_shape& slice : slices_of(shape, rows)) {
    const dla_mapping fitted = dla_fit_rows(&slice, &mapping);
    const dla_passes passes = dla_derive_passes(&machine, &slice, &fitted);
    most.ifmap_columns = passes.ifmap_columns;
    most.filter_chunk_bytes = filters_stay ? 0 : passes.filter_chunk_bytes;
    most.ifmap_column_bytes = std::max(most.ifmap_column_bytes, passes.ifmap_column_bytes);
    most.psum_bytes = std::max(most.psum_bytes, passes.psum_bytes);
    most.out_lane_bytes = std::max(most.out_lane_bytes, passes.out_lane_bytes);
    most.residual_tile_bytes = std::max(most.residual_tile_bytes, passes.residual_tile_bytes);
  }
  return dla_plan_passes(&machine, &most, mapping.filter_buffers, kept_bytes, &glb);
}

}  // namespace

PlannedMapping plan_slices(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping,
                           const DramPreset& dram, const std::vector<std::uint32_t>& rows) {
  dla_layer layer{};  // Its tensors begin at address 0: a slice's say how far behind it begins.
  layer.shape = shape;
  layer.mapping = mapping;
  PlannedMapping sum;
  sum.mapping = mapping;
  for_slices(rows, [&](std::uint32_t first, std::uint32_t count) {
    const dla_layer slice = dla_slice_of(&layer, first, count);
    const LayerCost cost = predict_layer(machine, slice.shape, slice.mapping, dram,
                                         {slice.ifmap_addr % machine.bus_bytes, slice.ofmap_addr % machine.bus_bytes});
    sum.cost += cost;
    sum.accesses += count_accesses(machine, slice.shape, slice.mapping, cost.dram_bytes);
  });
  return sum;
}

std::vector<dla_shape> shapes_for_slices(const dla_shape& shape, const std::vector<std::uint32_t>& rows) {
  const std::vector<dla_shape> slices = slices_of(shape, rows);
  const bool is_possible = std::ranges::none_of(slices, [](const dla_shape& slice) { return slice.H == 0; });
  std::vector<dla_shape> shapes = is_possible ? shapes_to_search(slices) : std::vector<dla_shape>();
  for (dla_shape& searched : shapes) {
    searched.filters_on_chip = shape.filters_on_chip;
  }
  return shapes;
}

MappingChoice choose_for_slices(const dla_shape& shape, const std::vector<std::uint32_t>& rows, Mapper& mapper) {
  const dla_machine& machine = mapper.machine().geometry;
  const std::vector<dla_shape> slices = slices_of(shape, rows);
  MappingChoice best;
  best.reason = "no mapping is legal for all slices of it";
  for (const dla_shape& searched : shapes_for_slices(shape, rows)) {
    const MappingChoice& found = mapper.choose(searched).mapping;
    dla_glb_plan glb;
    if (!found.plan || !are_legal(machine, slices, found.plan->mapping) ||
        plan_glb_of_slices(machine, shape, rows, found.plan->mapping, 0, false, glb) != kDlaErrorNone) {
      continue;
    }
    PlannedMapping plan = plan_slices(machine, shape, found.plan->mapping, mapper.machine().dram, rows);
    plan.glb = glb;
    if (!best.plan || rank_of(mapper, plan) < rank_of(mapper, *best.plan)) {
      best.plan = plan;
    }
  }
  return best;
}

dla_glb_plan plan_glb_beside(const dla_machine& machine, const dla_shape& shape, const PlannedMapping& plan,
                             const LayerResidency& where) {
  dla_machine in_front = machine;
  in_front.glb_bytes -= where.kept_back_bytes;
  const std::uint32_t kept_bytes = where.kept_front_bytes + where.filters_bytes;
  dla_glb_plan glb;
  const dla_error error = where.depth_first
                              ? plan_glb_of_slices(in_front, shape, where.depth_first->rows.at(where.place),
                                                   plan.mapping, kept_bytes, where.filters.has_value(), glb)
                              : dla_plan_glb_behind(&in_front, &shape, &plan.mapping, kept_bytes, &glb);
  internal_check(error == kDlaErrorNone, "what was planned beside tensors on chip does not fit");
  if (where.filters) {
    glb.filter = {*where.filters, plan.glb.filter.size_bytes};
  }
  if (where.ifmap) {
    dla_layer layer{};
    layer.shape = shape;
    layer.mapping = plan.mapping;
    layer.ifmap_addr = *where.ifmap;
    const dla_planes planes = dla_planes_of(&machine, &layer, kDlaIfmap);
    glb.ifmap = dla_banks_of(&machine, &planes);
  }
  return glb;
}

}  // namespace fovea
