// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which rows of the field table (spec/dla_fields.h) are those of a struct.
#pragma once

#include <span>

#include "spec/dla_fields.h"

namespace fovea {

inline const dla_field_group& group_of(const dla_shape&) { return dla_layer_groups[kDlaLayerShape]; }
inline const dla_field_group& group_of(const dla_mapping&) { return dla_layer_groups[kDlaLayerMapping]; }
inline const dla_field_group& group_of(const dla_glb_plan&) { return dla_layer_groups[kDlaLayerGlb]; }
inline const dla_field_group& group_of(const dla_quant&) { return dla_layer_groups[kDlaLayerQuant]; }

inline std::span<const dla_field> fields_of(const dla_field_group& group) { return {group.fields, group.count}; }

/// The region that `field` is in the struct at `of`.
inline const dla_region& region_of(const dla_field& field, const void* of) {
  return *reinterpret_cast<const dla_region*>(static_cast<const char*>(of) + field.offset);
}

/// Whether nothing is written of the field in the struct at `of`: of a region, an empty one.
inline bool is_left_out(const dla_field& field, const void* of) {
  const bool is_otherwise = field.kind == kDlaFieldRegion ? region_of(field, of).size_bytes == 0
                                                          : dla_get_field(&field, of) == field.otherwise;
  return field.is_quiet && is_otherwise;
}

}  // namespace fovea
