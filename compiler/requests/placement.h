// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a request for a network says: which, where its layers run, and how they are mapped.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "mapping/mapper.h"
#include "spec/dla_requant.h"

namespace fovea {

/// Where layers run and how they are mapped.
struct Placement {
  std::string target = "dla";     ///< A row of targets().
  std::filesystem::path machine;  ///< A machine file.
  MappingMode mapping = MappingMode::kSearch;
  Goal goal;
  dla_rounding rounding = kDlaNearestEven;
  std::filesystem::path records;  ///< File of tuning records; "" for none.
};

/// What is measured before a network is compiled.
struct Tuning {
  std::size_t count = 0;               ///< Mappings of a layer to measure; 0: none.
  std::filesystem::path measure_with;  ///< Program; "" for measure_layers beside foveac.
  std::string backend = "systemc";     ///< What the program measures on.
};

/// A network, and how it is to be placed.
struct NetworkRequest {
  std::filesystem::path model;  ///< ONNX, or the text of an IR (.txt, .fovea).
  Placement placement;
  Tuning tuning;

  /// What the network is called.
  std::string name() const { return model.stem().string(); }
};

}  // namespace fovea
