// SPDX-License-Identifier: Apache-2.0
/// \file
/// Writes and reads by the table of fields.
#include "command_json.h"

#include "command_fields.h"
#include "spec/json_file.h"

namespace fovea {
namespace {

using Json = nlohmann::ordered_json;

bool is_said(const dla_field& field) { return field.kind != kDlaFieldChoice || field.choice_count > 1; }

Json value_of(const dla_field& field, const void* of) {
  if (field.kind == kDlaFieldRegion) {
    const dla_region& region = region_of(field, of);
    return {region.base_bytes, region.size_bytes};
  }
  const std::uint32_t value = dla_get_field(&field, of);
  return field.kind == kDlaFieldFlag ? Json(value != 0) : Json(value);
}

template <typename Struct>
Json write(const Struct& value) {
  Json json;
  for (const dla_field& field : fields_of(group_of(value))) {
    if (is_said(field) && !is_left_out(field, &value)) {
      json[field.name] = value_of(field, &value);
    }
  }
  return json;
}

/// \pre Struct has no regions.
template <typename Struct>
Struct read(const Json& object) {
  Struct value{};
  for (const dla_field& field : fields_of(group_of(value))) {
    if (field.is_quiet && !object.contains(field.name)) {
      dla_set_field(&field, &value, field.otherwise);
    } else if (is_said(field)) {
      const bool is_flag = field.kind == kDlaFieldFlag;
      dla_set_field(&field, &value,
                    is_flag ? object.at(field.name).template get<bool>()
                            : static_cast<std::uint32_t>(read_count(object, field.name, UINT32_MAX)));
    }
  }
  return value;
}

}  // namespace

Json to_json(const dla_shape& shape) { return write(shape); }
Json to_json(const dla_mapping& mapping) { return write(mapping); }
Json to_json(const dla_glb_plan& glb) { return write(glb); }

dla_shape shape_from_json(const Json& object) { return read<dla_shape>(object); }
dla_mapping mapping_from_json(const Json& object) { return read<dla_mapping>(object); }

}  // namespace fovea
