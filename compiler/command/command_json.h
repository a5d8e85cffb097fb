// SPDX-License-Identifier: Apache-2.0
/// \file
/// The parts of a layer command as JSON objects whose fields are the structs' members.
#pragma once

#include <nlohmann/json.hpp>

#include "spec/dla_command.h"

namespace fovea {

/// A region is [base_bytes, size_bytes]. An enum with one value is left out.
nlohmann::ordered_json to_json(const dla_shape& shape);
nlohmann::ordered_json to_json(const dla_mapping& mapping);
nlohmann::ordered_json to_json(const dla_glb_plan& glb);

/// The other way. \throws JsonError or nlohmann::json::exception for a missing field, one of another type, or a number
/// that is none of 32 bits.
dla_shape shape_from_json(const nlohmann::ordered_json& object);
dla_mapping mapping_from_json(const nlohmann::ordered_json& object);

}  // namespace fovea
