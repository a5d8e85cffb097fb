// SPDX-License-Identifier: Apache-2.0
/// \file
/// Chooses by mode, and finds the words for a shape that no mapping fits; factors the inputs of fully connected layers.
#include "mapping.h"

#include <algorithm>
#include <span>
#include <tuple>

#include "lab_mapping.h"
#include "mapping_space.h"
#include "search_mapping.h"

namespace fovea {
namespace {

std::optional<PlannedMapping> search_best(const dla_machine& machine, const dla_shape& shape, const Goal& goal,
                                          const AccessEnergy& costs, std::uint64_t most_cycles) {
  const std::vector<PlannedMapping> found = find_mappings(machine, costs, shape, goal, 1, most_cycles);
  return found.empty() ? std::nullopt : std::optional(found.front());
}

/// A field of the machine file that is too small for the least demanding mapping.
std::string describe_spad(const char* field, std::uint32_t has, std::uint32_t needs) {
  return "a filter row needs " + std::to_string(needs) + " bytes in a PE; the machine's " + field + " is " +
         std::to_string(has) + ", and " + std::to_string(needs) + " would do";
}

/// The limit that the least demanding mapping breaks, with the bytes where it is the GLB's or a spad's.
std::string describe_limit(const dla_machine& machine, const dla_shape& shape) {
  const dla_mapping least = smallest_mapping(machine, shape);
  const enum dla_error mapping_error = dla_check_mapping(&machine, &shape, &least);
  if (mapping_error == kDlaErrorIfmapSpadFull) {
    return describe_spad("ifmap_spad_bytes", machine.ifmap_spad_bytes, least.q * shape.S);
  }
  if (mapping_error == kDlaErrorFilterSpadFull) {
    return describe_spad("filter_spad_bytes", machine.filter_spad_bytes,
                         least.p * dla_filter_channels(&least) * shape.S);
  }
  if (mapping_error != kDlaErrorNone) {
    return dla_error_text(mapping_error);
  }
  const dla_passes passes = dla_derive_passes(&machine, &shape, &least);
  const std::string glb = " of the GLB's " + std::to_string(machine.glb_bytes) + " bytes";
  dla_glb_plan plan;
  switch (dla_plan_glb(&machine, &shape, &least, &plan)) {
    case kDlaErrorGlbIfmapSmall:
      return "the ifmap rows of one pass need " +
             std::to_string(std::uint64_t{passes.ifmap_columns} * passes.ifmap_column_bytes) + glb;
    case kDlaErrorGlbFilterSmall:
      return "two filter chunks need " + std::to_string(2 * passes.filter_chunk_bytes) + glb + ", beside the ifmap";
    case kDlaErrorGlbPsumSmall:
      return "the psums of one filter need " + std::to_string(passes.psum_bytes) + glb + ", beside ifmap and filters";
    case kDlaErrorGlbOutSmall:
      return "two output tiles need " + std::to_string(2 * passes.out_lane_bytes * machine.psum_lanes) + glb +
             ", beside ifmap, filters and psums";
    case kDlaErrorGlbResidualSmall:
      return "the residuals of two output tiles need " + std::to_string(2 * passes.residual_tile_bytes) + glb +
             ", beside ifmap, filters, psums and output tiles";
    default:
      return "the requested mapping does not fit; --mapping search finds another";
  }
}

/// What a layer command holds.
constexpr std::uint32_t kMostChannels = 65535, kMostRows = DLA_SHAPE_R_MAX, kMostColumns = DLA_SHAPE_S_MAX;

/// A matrix's inputs have factors enough: higher windows take seconds to search and save nothing.
std::uint32_t most_rows(const LinearLayer& layer) { return layer.groups == 0 ? kMostColumns : kMostRows; }

/// Which of the command's limits no factoring keeps; "" where one may.
std::string describe_sizes(const std::vector<dla_shape>& shapes, const LinearLayer& layer) {
  if (layer.outputs > kMostChannels) {
    return std::to_string(layer.outputs) + " outputs; the accelerator takes up to " + std::to_string(kMostChannels);
  }
  if (shapes.empty()) {
    return std::to_string(layer.inputs) + " inputs; the accelerator takes products C * R * S with C up to " +
           std::to_string(kMostChannels) + ", R up to " + std::to_string(most_rows(layer)) + " and S up to " +
           std::to_string(kMostColumns);
  }
  return "";
}

/// Whether the first of two choices is the better one. Of two without a plan, the first is as good.
bool is_better(const ShapeChoice& one, const ShapeChoice& other) {
  if (!one.mapping.plan || !other.mapping.plan) {
    return one.mapping.plan.has_value();
  }
  const auto price = [](const MappingChoice& choice) {
    return std::tuple(!choice.is_recorded, choice.plan->cost.cycles, choice.plan->cost.dram_bytes.read());
  };
  return price(one.mapping) < price(other.mapping);
}

/// Groups that one command's group may join: each takes as many more weights, almost all of them 0.
constexpr std::uint32_t kMostJoinedGroups = 8;

/// Of C channels in windows of R x S, one or several under each other.
dla_shape linear_shape(const LinearLayer& layer, std::uint32_t joined, std::uint32_t stacked, std::uint32_t C,
                       std::uint32_t R, std::uint32_t S) {
  dla_shape shape{};
  shape.C = C;
  shape.H = stacked * R;
  shape.W = S;
  shape.M = layer.outputs * joined;
  shape.R = R;
  shape.S = S;
  shape.U = stacked == 1 ? 1 : R;
  shape.V = 1;
  shape.scaled = layer.scaled;
  shape.filter_scales = layer.filter_scales;
  shape.G = layer.groups / joined / stacked;
  shape.lookup = layer.lookup;
  return shape;
}

void add_linear_shapes(const LinearLayer& layer, std::uint32_t joined, std::vector<dla_shape>& shapes) {
  const std::uint64_t inputs = std::uint64_t{layer.inputs} * joined;
  for (std::uint32_t R = 1; R <= most_rows(layer); ++R) {
    for (std::uint32_t S = 1; S <= kMostColumns; ++S) {
      const std::uint64_t C = inputs / (R * S);
      if (C * R * S == inputs && C >= 1 && C <= kMostChannels) {
        shapes.push_back(linear_shape(layer, joined, 1, static_cast<std::uint32_t>(C), R, S));
      }
    }
  }
}

/// Windows that one group may have under each other. With 16 the filters are a 16th of what they were, and there is a
/// window for each PE column of the widest machine; more save at most 2 % of the cycles and take seconds to search.
constexpr std::uint32_t kMostStackedWindows = 16;
static_assert(kMostStackedWindows * DLA_SHAPE_U_MAX <= DLA_SHAPE_H_MAX);

/// Whether the planes that the tensors are part of are so many of theirs.
bool has_whole_planes(const dla_shape& s) {
  return s.ifmap_plane_rows % s.H == 0 && s.ofmap_plane_rows % s.H == 0 && s.residual_plane_rows % s.H == 0 &&
         (s.ifmap_first_row | s.ofmap_first_row | s.residual_first_row) == 0;
}

/// Pixels that filters of 1x1 see alone, in other rows. \pre has_whole_planes()
dla_shape with_rows(dla_shape shape, std::uint32_t rows) {
  const std::uint32_t pixels = shape.H * shape.W;
  shape.ifmap_plane_rows = shape.ifmap_plane_rows / shape.H * rows;
  shape.ofmap_plane_rows = shape.ofmap_plane_rows / shape.H * rows;
  shape.residual_plane_rows = shape.residual_plane_rows / shape.H * rows;
  shape.H = rows;
  shape.W = pixels / rows;
  return shape;
}

/// The pixels of each window in other rows. \pre The windows are as wide as the ifmap and share no row.
void add_other_windows(const dla_shape& shape, std::vector<dla_shape>& shapes) {
  const std::uint32_t pixels = shape.R * shape.S, windows = shape.H / shape.R;
  for (std::uint32_t R = 1; R <= std::min(pixels, DLA_SHAPE_U_MAX); ++R) {
    const std::uint32_t S = pixels / R;
    const bool is_legal = S * R == pixels && S <= DLA_SHAPE_S_MAX && windows * R <= DLA_SHAPE_H_MAX;
    if (is_legal && R != shape.R && shape.ifmap_plane_rows % shape.R == 0 && shape.ifmap_first_row == 0) {
      dla_shape& other = shapes.emplace_back(shape);
      other.ifmap_plane_rows = shape.ifmap_plane_rows / shape.R * R;
      other.H = windows * R;
      other.R = other.U = R;
      other.W = other.S = S;
    }
  }
}

/// Windows that share no row: R is the stride too.
void add_stacked_shapes(const LinearLayer& layer, std::vector<dla_shape>& shapes) {
  for (std::uint32_t R = 1; R <= DLA_SHAPE_U_MAX; ++R) {
    const std::uint32_t S = layer.inputs / R;
    if (S * R != layer.inputs || S > kMostColumns) {
      continue;
    }
    for (std::uint32_t stacked = 2; stacked <= std::min(layer.groups, kMostStackedWindows); ++stacked) {
      if (layer.groups % stacked == 0) {
        shapes.push_back(linear_shape(layer, 1, stacked, 1, R, S));
      }
    }
  }
}

}  // namespace

MappingChoice choose_mapping(const dla_machine& machine, const dla_shape& shape, MappingMode mode, const Goal& goal,
                             const AccessEnergy& costs, std::uint64_t most_cycles) {
  const dla_mapping least = smallest_mapping(machine, shape);
  MappingChoice choice;
  if (dla_check_mapping(&machine, &shape, &least) == kDlaErrorNone) {
    choice.plan =
        mode == MappingMode::kLab ? lab_mapping(machine, shape) : search_best(machine, shape, goal, costs, most_cycles);
  }
  if (!choice.plan) {
    choice.reason = describe_limit(machine, shape);
  }
  return choice;
}

std::vector<dla_shape> equal_shapes(const dla_shape& shape) {
  std::vector<dla_shape> shapes{shape};
  const bool is_padded = (shape.pad_top | shape.pad_left | shape.pad_bottom | shape.pad_right) != 0;
  const bool is_by_pixel = shape.R == 1 && shape.S == 1 && shape.U == 1 && shape.V == 1 && !shape.pool && !is_padded;
  if (is_by_pixel && shape.H > 1 && shape.H * shape.W <= kMostJoinedPixels && has_whole_planes(shape)) {
    shapes.push_back(with_rows(shape, 1));
  }
  if (!is_by_pixel && shape.U == shape.R && shape.S == shape.W && shape.H % shape.R == 0 && !shape.pool && !is_padded) {
    add_other_windows(shape, shapes);
  }
  return shapes;
}

ShapeChoice choose_shape(const dla_machine& machine, const AccessEnergy& costs, const Goal& goal,
                         const std::vector<ShapeChoice>& choices) {
  Ranking ranking{goal.objective, UINT64_MAX};
  for (const ShapeChoice& choice : choices) {
    if (choice.mapping.plan) {
      ranking.same_cycles =
          std::min(ranking.same_cycles, same_cycles_as(choice.mapping.plan->cost.cycles, goal.slack_percent));
    }
  }
  const auto rank = [&](const ShapeChoice& choice) {
    const MappingChoice& mapping = choice.mapping;
    return std::pair(!mapping.is_recorded,
                     ranking.rank(price_figures(machine, &costs, choice.shape, mapping.plan->mapping)));
  };
  const ShapeChoice* best = &choices.front();
  for (const ShapeChoice& choice : choices) {
    if (choice.mapping.plan && (!best->mapping.plan || rank(choice) < rank(*best))) {
      best = &choice;
    }
  }
  return *best;
}

std::string to_text(const LinearLayer& layer) {
  const auto flag = [](bool is_set, const char* word) { return is_set ? std::string(word) : ""; };
  return "linear inputs=" + std::to_string(layer.inputs) + " outputs=" + std::to_string(layer.outputs) +
         (layer.groups == 0 ? "" : " groups=" + std::to_string(layer.groups)) + flag(layer.scaled, " scaled") +
         flag(layer.filter_scales, " filter_scales") + flag(layer.lookup, " lookup") + flag(layer.alike, " alike");
}

std::vector<dla_shape> linear_shapes(const LinearLayer& layer) {
  std::vector<dla_shape> shapes;
  for (std::uint32_t joined = 1; joined == 1 || joined <= std::min(layer.groups, kMostJoinedGroups); ++joined) {
    if (joined == 1 || layer.groups % joined == 0) {
      add_linear_shapes(layer, joined, shapes);
    }
  }
  if (layer.alike) {
    add_stacked_shapes(layer, shapes);
  }
  return shapes;
}

ShapeChoice choose_linear(const LinearLayer& layer, const std::function<MappingChoice(const dla_shape&)>& choose) {
  const std::vector<dla_shape> shapes = linear_shapes(layer);
  ShapeChoice best;
  best.mapping.reason = describe_sizes(shapes, layer);
  if (!best.mapping.reason.empty()) {
    return best;
  }
  best = {shapes.front(), choose(shapes.front())};
  for (const dla_shape& shape : std::span(shapes).subspan(1)) {
    ShapeChoice choice{shape, choose(shape)};
    if (is_better(choice, best)) {
      best = std::move(choice);
    }
  }
  return best;
}

}  // namespace fovea
