// SPDX-License-Identifier: Apache-2.0
/// \file
/// One table of fields for writing and reading.
#include "layer_json.h"

namespace fovea {
namespace {

using Json = nlohmann::ordered_json;

template <typename Struct>
struct Field {
  const char* name;
  std::uint32_t Struct::*member;
};

constexpr Field<dla_shape> kShape[] = {{"C", &dla_shape::C}, {"H", &dla_shape::H},    {"W", &dla_shape::W},
                                       {"M", &dla_shape::M}, {"R", &dla_shape::R},    {"S", &dla_shape::S},
                                       {"U", &dla_shape::U}, {"PAD", &dla_shape::PAD}};
constexpr Field<dla_mapping> kMapping[] = {
    {"m", &dla_mapping::m}, {"n", &dla_mapping::n},         {"e", &dla_mapping::e},
    {"p", &dla_mapping::p}, {"q", &dla_mapping::q},         {"r", &dla_mapping::r},
    {"t", &dla_mapping::t}, {"e_glb", &dla_mapping::e_glb}, {"filter_buffers", &dla_mapping::filter_buffers}};

template <typename Struct, std::size_t n>
Json write(const Field<Struct> (&fields)[n], const Struct& value) {
  Json json;
  for (const Field<Struct>& field : fields) {
    json[field.name] = value.*field.member;
  }
  return json;
}

template <typename Struct, std::size_t n>
void read(const Field<Struct> (&fields)[n], const Json& json, Struct& value) {
  for (const Field<Struct>& field : fields) {
    value.*field.member = json.at(field.name).template get<std::uint32_t>();
  }
}

}  // namespace

Json to_json(const dla_shape& shape) {
  Json json = write(kShape, shape);
  json["pool"] = shape.pool;
  return json;
}

Json to_json(const dla_mapping& mapping) {
  Json json = write(kMapping, mapping);
  json["ifmap_resident"] = mapping.ifmap_resident;
  return json;
}

dla_shape shape_from_json(const Json& object) {
  dla_shape shape{};
  read(kShape, object, shape);
  shape.pool = object.at("pool").get<bool>();
  return shape;
}

dla_mapping mapping_from_json(const Json& object) {
  dla_mapping mapping{};
  read(kMapping, object, mapping);
  mapping.ifmap_resident = object.at("ifmap_resident").get<bool>();
  mapping.order = kDlaLoopOrderRowsFiltersChannels;
  return mapping;
}

}  // namespace fovea
