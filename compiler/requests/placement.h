// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a request for a network says: which, where its layers run, and how they are mapped.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "mapping/mapper.h"
#include "onnx/import_options.h"
#include "passes/pass_context.h"
#include "spec/dla_requant.h"
#include "targets/added_target.h"

namespace fovea {

/// Where layers run and how they are mapped.
struct Placement {
  std::string target = "dla";     ///< A row of targets().
  std::filesystem::path machine;  ///< A machine file.
  MappingMode mapping = MappingMode::kSearch;
  Goal goal;
  dla_rounding rounding = kDlaNearestEven;
  std::filesystem::path records;                  ///< File of tuning records; "" for none.
  std::filesystem::path schedules;                ///< File of schedules for layers that are loops; "" for none.
  std::vector<std::filesystem::path> intrinsics;  ///< C functions that schedules may name (loops/intrinsic.h).
  std::string dram;                               ///< The memory that records are for, for memory_of().
  std::filesystem::path tuning;                   ///< Database of what was searched for before; "" for none.
  bool keeps_tensors = false;                     ///< Activations may stay on chip between layers.
  std::uint32_t residency_seed = 0;               ///< If not 0, which ones do is drawn: for tests.
};

/// A network, and how it is to be placed.
struct NetworkRequest {
  std::filesystem::path model;  ///< ONNX, or an IR (ir_form.h).
  Placement placement;
  std::size_t tune = 0;  ///< Of layers without a record, the best so many mappings are ranked anew; 0: none are.
  ImportOptions import;  ///< How the file is read.
  PassContext passes;    ///< Which passes run.
  std::vector<AddedTarget> targets = {};  ///< A user's, before the placement's own in the order of preference.

  /// What the network is called.
  std::string name() const { return model.stem().string(); }
};

}  // namespace fovea
