// SPDX-License-Identifier: Apache-2.0
/// \file
/// What is said of the mappings of a layer: the best of them, what bounds them, and why the others lost.
#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>

#include "mapping/mapper.h"
#include "spec/machine_json.h"

namespace fovea {

/// A layer whose mappings are asked for.
struct LayerToMap {
  std::string name;
  dla_shape shape{};
};

/// Prints the best mappings as a table, the roofline figures of the best one, and what became of the others.
/// \pre found.best is not empty.
void print_mappings(const MachineFile& machine, const LayerToMap& layer, const SearchResult& found, std::ostream& out);

/// The same as an object: "layer", its "shape"; "best", of each its letters, figures_of() and its cycles by cause;
/// "roofline", and "fates", each with its "step". \pre found.best is not empty.
nlohmann::ordered_json mappings_json(const MachineFile& machine, const LayerToMap& layer, const SearchResult& found);

}  // namespace fovea
