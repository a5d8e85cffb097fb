// SPDX-License-Identifier: Apache-2.0
/// \file
/// Shapes and mappings as JSON objects whose fields are the paper's letters.
#ifndef FOVEA_COMPILER_TUNING_LAYER_JSON_H_
#define FOVEA_COMPILER_TUNING_LAYER_JSON_H_

#include <nlohmann/json.hpp>

#include "spec/dla_layer.h"

namespace fovea {

nlohmann::ordered_json to_json(const dla_shape& shape);
nlohmann::ordered_json to_json(const dla_mapping& mapping);

/// The other way. \throws nlohmann::json::exception for a missing field, or one of another type.
dla_shape shape_from_json(const nlohmann::ordered_json& object);
dla_mapping mapping_from_json(const nlohmann::ordered_json& object);

}  // namespace fovea

#endif  // FOVEA_COMPILER_TUNING_LAYER_JSON_H_
