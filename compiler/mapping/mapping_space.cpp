// SPDX-License-Identifier: Apache-2.0
/// \file
/// Nested loops over the letters of a pass, each up to what ends it; and the GLB: the least is planned, then what is
/// left divided, as regions are whole banks, and so is what they leave.
#include "mapping_space.h"

#include <algorithm>

#include "spec/dla_schedule.h"

namespace fovea {
std::uint32_t output_rows(const dla_shape& shape) { return dla_computed_rows(&shape); }

namespace {

/// Rows of the lowest strip there is: a pool's window, or all for a mean.
std::uint32_t lowest_strip(const dla_shape& shape) { return shape.mean ? output_rows(shape) : dla_pool_size(&shape); }

/// PEs of the largest array whose mappings are all walked.
constexpr std::uint32_t kMostWalkedPes = 512;

/// The value of a letter behind `value`, which cuts `total`. On a large array, of those that make as many pieces only
/// the least: a larger one leaves more of its last piece empty.
std::uint32_t next_value(const dla_machine& machine, std::uint32_t total, std::uint32_t value) {
  const std::uint32_t pieces = dla_ceil_div(total, value);
  const bool walks_all = machine.rows * machine.cols <= kMostWalkedPes;
  return walks_all || pieces <= 1 ? value + 1 : dla_ceil_div(total, pieces - 1);
}

/// The same of a strip's rows, in whole windows.
std::uint32_t next_strip(const dla_machine& machine, const dla_shape& shape, std::uint32_t e) {
  const std::uint32_t windows = dla_pooled(&shape, output_rows(shape));
  return dla_pool_rows(&shape, next_value(machine, windows, dla_pooled(&shape, e)));
}

/// Where PEs hold whole groups: as many as fit, and no more than there are. Each is a family of its own.
void add_group_families(const dla_machine& machine, const dla_shape& shape, std::uint32_t fold_rows,
                        std::vector<ArrayFamily>& found) {
  const std::uint32_t E = output_rows(shape), groups = dla_groups(&shape);
  const std::uint32_t most_g = std::min({machine.ifmap_spad_bytes / shape.S / shape.C, machine.max_pe_filters / shape.M,
                                         std::uint32_t{DLA_MAPPING_G_MAX}, groups});
  for (std::uint32_t e = lowest_strip(shape); e <= std::min(E, machine.cols); e = next_strip(machine, shape, e)) {
    for (std::uint32_t g = 1; g <= most_g; g = next_value(machine, groups, g)) {
      const std::uint32_t sets = dla_ceil_div(groups, g);
      for (std::uint32_t t = 1; t <= sets; t = next_value(machine, sets, t)) {
        const std::uint32_t p = g * shape.M, q = g * shape.C;
        const dla_mapping mapping = {p * t, 1, e,        p, q, 1, t, E, false, 2, kDlaLoopOrderRowsFiltersChannels,
                                     g,     0, fold_rows};
        if (dla_check_mapping(&machine, &shape, &mapping) != kDlaErrorNone) {
          break;  // A larger t does not fit either.
        }
        found.push_back({mapping, t, 1});
      }
    }
  }
}

/// The largest legal t of a mapping, up to `most`; 0 where none is. What breaks a limit breaks it with any larger t.
std::uint32_t most_filter_sets(const dla_machine& machine, const dla_shape& shape, dla_mapping mapping,
                               std::uint32_t most) {
  std::uint32_t legal = 0, illegal = most + 1;
  for (mapping.t = 1; legal + 1 < illegal; mapping.t = (legal + illegal) / 2) {
    (dla_check_mapping(&machine, &shape, &mapping) == kDlaErrorNone ? legal : illegal) = mapping.t;
  }
  return legal;
}

/// The same with all values of t.
ArrayFamily family_of(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping,
                      std::uint32_t filter_sets) {
  const std::uint32_t legal = most_filter_sets(machine, shape, mapping, filter_sets);
  ArrayFamily family = {mapping, 0, 0};
  for (std::uint32_t t = 1; t <= legal; t = next_value(machine, filter_sets, t)) {
    family.most_t = t;
    ++family.count;
  }
  return family;
}

void add_array_families(const dla_machine& machine, const dla_shape& shape, std::uint32_t fold_rows,
                        std::vector<ArrayFamily>& found) {
  const std::uint32_t E = output_rows(shape);
  const std::uint32_t most_q = std::min(shape.C, machine.ifmap_spad_bytes / shape.S);
  for (std::uint32_t e = lowest_strip(shape); e <= std::min(E, machine.cols); e = next_strip(machine, shape, e)) {
    for (std::uint32_t q = 1; q <= most_q; q = next_value(machine, shape.C, q)) {
      const std::uint32_t channel_sets = dla_ceil_div(shape.C, q), most_p = std::min(shape.M, machine.max_pe_filters);
      for (std::uint32_t p = 1; p <= most_p; p = next_value(machine, shape.M, p)) {
        const std::uint32_t filter_sets = dla_ceil_div(shape.M, p), most_r = std::min(channel_sets, machine.rows);
        for (std::uint32_t r = 1; r <= most_r; r = next_value(machine, channel_sets, r)) {
          const ArrayFamily family = family_of(
              machine, shape,
              {shape.M, 1, e, p, q, r, 1, E, true, 2, kDlaLoopOrderRowsFiltersChannels, 0, 0, fold_rows}, filter_sets);
          if (family.count == 0) {
            break;  // Nor does a larger r fit.
          }
          found.push_back(family);
        }
      }
    }
  }
}

/// Of filters that stay, by whatever p and t: all their chunks, each with its parameters and whole words in each PE.
std::uint32_t least_filter_bytes(const dla_machine& machine, const dla_shape& s, const dla_mapping& m,
                                 const dla_passes& passes) {
  const std::uint64_t word = dla_filter_word_bytes(&machine), row = std::uint64_t{m.q} * s.S;
  const std::uint64_t chunks = std::uint64_t{dla_group_turns(&s, &m)} * passes.c_chunks * passes.folds;
  const std::uint64_t filters = chunks * dla_tiled_filters(&s, &m);
  std::uint64_t least = UINT32_MAX;
  for (std::uint64_t p = 1; p <= machine.max_pe_filters; ++p) {
    const std::uint64_t words = (p * row + word - 1) / word;
    least = std::min(least, filters * m.r * passes.fold_rows * words * word / p);
  }
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(least + (s.filter_scales ? 8 : 4) * filters, UINT32_MAX));
}

}  // namespace

std::vector<std::uint32_t> fold_choices(const dla_machine& machine, const dla_shape& shape) {
  const std::uint32_t usual = dla_fold_rows(&machine, &shape, 0), usual_sets = machine.rows / usual;
  std::vector<std::uint32_t> choices = {0};
  for (std::uint32_t rows = 1; rows <= std::min({shape.R, machine.rows, DLA_MAPPING_FOLD_ROWS_MAX}); ++rows) {
    const std::uint32_t busy = machine.rows / rows * dla_ceil_div(shape.R, usual);
    const std::uint32_t usually_busy = usual_sets * dla_ceil_div(shape.R, rows);
    if (busy > usually_busy || (busy == usually_busy && usual_sets == 1 && rows != usual)) {
      choices.push_back(rows);
    }
  }
  return choices;
}

dla_mapping ArrayFamily::widest() const {
  dla_mapping widest = mapping;
  widest.t = most_t;
  return widest;
}

std::vector<ArrayFamily> array_families(const dla_machine& machine, const dla_shape& shape) {
  std::vector<ArrayFamily> found;
  for (const std::uint32_t fold_rows : fold_choices(machine, shape)) {
    add_array_families(machine, shape, fold_rows, found);
    if (dla_groups(&shape) > 1) {
      add_group_families(machine, shape, fold_rows, found);
    }
  }
  return found;
}

std::vector<dla_mapping> members_of(const dla_machine& machine, const dla_shape& shape, const ArrayFamily& family) {
  std::vector<dla_mapping> members;
  const std::uint32_t filter_sets = dla_ceil_div(shape.M, family.mapping.p);
  dla_mapping member = family.mapping;
  for (; member.t <= family.most_t; member.t = next_value(machine, filter_sets, member.t)) {
    members.push_back(member);
  }
  return members;
}

std::vector<dla_mapping> array_mappings(const dla_machine& machine, const dla_shape& shape) {
  std::vector<dla_mapping> found;
  for (const ArrayFamily& family : array_families(machine, shape)) {
    const std::vector<dla_mapping> members = members_of(machine, shape, family);
    found.insert(found.end(), members.begin(), members.end());
  }
  return found;
}

/// A region takes more with larger e, p, t and e_glb. It may take less with larger q and r: psums of fewer chunks are
/// added in the GLB.
bool may_fit(const dla_machine& machine, const dla_shape& shape) {
  const std::uint32_t e = lowest_strip(shape);
  const auto fits = [&](dla_mapping mapping) {
    for (const bool resident : {true, false}) {
      mapping.ifmap_resident = resident;
      dla_passes passes = dla_derive_passes(&machine, &shape, &mapping);
      if (shape.filters_on_chip) {
        passes.filter_chunk_bytes =
            std::max(passes.filter_chunk_bytes, least_filter_bytes(machine, shape, mapping, passes) / 2);
      }
      dla_glb_plan plan;
      if (dla_plan_passes(&machine, &passes, 2, 0, &plan) == kDlaErrorNone) {
        return true;
      }
    }
    return false;
  };
  for (const std::uint32_t fold_rows : fold_choices(machine, shape)) {
    dla_mapping mapping = {1, 1, e, 1, 1, 1, 1, e, true, 2, kDlaLoopOrderRowsFiltersChannels, 0, 0, fold_rows};
    for (mapping.q = 1; mapping.q <= std::min(shape.C, machine.ifmap_spad_bytes / shape.S); ++mapping.q) {
      for (mapping.r = 1; mapping.r <= std::min(dla_ceil_div(shape.C, mapping.q), machine.rows); ++mapping.r) {
        if (fits(mapping)) {
          return true;
        }
      }
    }
    mapping.m = mapping.p = shape.M;
    mapping.q = shape.C;
    mapping.r = mapping.g = 1;
    if (dla_groups(&shape) > 1 && fits(mapping)) {
      return true;
    }
  }
  return false;
}

dla_mapping smallest_mapping(const dla_machine& machine, const dla_shape& shape) {
  const std::uint32_t e = lowest_strip(shape);
  // As many channels as the region has columns share a plane, and streaming needs two planes.
  return {1, 1, e, 1, 1, 1, 1, e, shape.C <= dla_ifmap_columns(&machine), 2, kDlaLoopOrderRowsFiltersChannels, 0, 0, 0};
}

namespace {

/// What a region of so many columns can have of `room` bytes: whole banks of each.
std::uint32_t whole_columns(const dla_machine& machine, std::uint32_t room, std::uint32_t columns) {
  return room - room % (machine.glb_bank_bytes * columns);
}

dla_mapping with_places(dla_mapping mapping, std::uint32_t buffers, std::uint32_t stay) {
  mapping.filter_buffers = buffers;
  mapping.stay = stay;
  return mapping;
}

}  // namespace

std::uint32_t most_filters(const dla_machine& machine, const dla_shape& shape, dla_mapping mapping, dla_error* error) {
  const bool holds_groups = mapping.g != 0;
  const std::uint32_t pass_filters = mapping.p * mapping.t, all_filters = holds_groups ? pass_filters : shape.M;
  mapping.m = holds_groups ? pass_filters : 1;
  const dla_passes passes = dla_derive_passes(&machine, &shape, &mapping);
  dla_glb_plan plan;
  const dla_error failure = dla_plan_passes(&machine, &passes, 2, 0, &plan);
  if (failure != kDlaErrorNone) {
    if (error != nullptr) {
      *error = failure;
    }
    return 0;
  }
  // With m = 1 the psum region holds one group of p*t filters.
  const std::uint64_t group_bytes = passes.psum_bytes;
  if (group_bytes == 0 || holds_groups) {
    return all_filters;
  }
  const std::uint32_t room = whole_columns(machine,
                                           machine.glb_bytes - plan.ifmap.size_bytes - plan.filter.size_bytes -
                                               plan.out.size_bytes - plan.residual.size_bytes,
                                           dla_psum_columns(&machine));
  const std::uint64_t filters = room / group_bytes * mapping.p * mapping.t;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(filters, shape.M));
}

std::uint32_t filter_tile_step(const dla_shape& shape, const dla_mapping& mapping) {
  const std::uint32_t group = mapping.p * mapping.t;
  return (output_rows(shape) == 1 && dla_computed_cols(&shape) == 1) || shape.M % group == 0 ? group : 1;
}

std::uint32_t filter_room(const dla_machine& machine, const dla_passes& passes) {
  dla_glb_plan plan;
  dla_plan_passes(&machine, &passes, 2, 0, &plan);
  return whole_columns(
      machine,
      machine.glb_bytes - plan.ifmap.size_bytes - plan.psum.size_bytes - plan.out.size_bytes - plan.residual.size_bytes,
      dla_filter_columns(&machine));
}

std::uint32_t most_filter_buffers(const dla_machine& machine, const dla_shape& shape, dla_mapping mapping) {
  const dla_passes passes = dla_derive_passes(&machine, &shape, &mapping);
  return std::min(filter_buffers_in(passes, filter_room(machine, passes)), kMostFilterBuffers);
}

std::vector<dla_mapping> filter_places(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping) {
  const dla_passes passes = dla_derive_passes(&machine, &shape, &mapping);
  const std::uint32_t most = filter_buffers_in(passes, filter_room(machine, passes));
  const std::uint64_t chunks = dla_filter_chunks(&shape, &mapping, &passes);
  if ((passes.e_tiles > 1 || shape.filters_on_chip) && chunks <= most) {
    const auto buffers = std::max(2u, static_cast<std::uint32_t>(chunks));
    return {with_places(mapping, buffers, buffers - 1)};
  }
  if (shape.filters_on_chip) {
    return {};
  }
  std::vector<dla_mapping> places = {with_places(mapping, std::min(most, kMostFilterBuffers), 0)};
  for (const std::uint32_t others : {2u, 4u, 8u}) {
    if (passes.e_tiles > 1 && most > others) {
      places.push_back(with_places(mapping, most, most - others));
    }
  }
  return places;
}

}  // namespace fovea
