// SPDX-License-Identifier: Apache-2.0
/// \file
/// Writes the output tensor of every layer of a run to a folder (DUMP_LAYERS).
#pragma once

#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "files/output_folder.h"
#include "runtime/dla_runtime.h"

namespace fovea {

/// Files `00_conv1.u8`, ... (uint8 or float32, dense, little endian) and `index.json`: [{"file", "name", "type",
/// "shape"}]. They get their names together, so that of several runs that dump there, one's are all there.
class LayerDump {
 public:
  /// Makes the folder. \throws UserError naming it where that fails.
  explicit LayerDump(std::filesystem::path folder);

  /// Writes one tensor. Called from C, so a failure waits for finish(); nothing is written after it.
  void write(const dla_tensor& tensor) noexcept;

  /// Writes index.json, once the run is over, and gives the files their names. \throws UserError naming the first that
  /// could not be written.
  void finish();

 private:
  void write_now(const dla_tensor& tensor);

  std::exception_ptr failure_;
  OutputFolder files_;
  nlohmann::json index_ = nlohmann::json::array();
};

}  // namespace fovea
