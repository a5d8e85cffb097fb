// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads the inputs that a network is calibrated on.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "layerwise_run.h"

namespace fovea {

struct CalibrationSource {
  /// A folder of pictures or an input.bin (.bin), for networks of one input, a picture; or raw float32, little
  /// endian, the network's inputs in their order, again and again.
  std::filesystem::path path;
  /// Pictures become (pixel / 255 - mean) / deviation, a plane a channel; as the programs do it. They stay from 0
  /// to 1 where nothing is said.
  std::optional<std::array<float, 3>> mean, deviation;
  std::size_t most = 0;  ///< Of the inputs, the first so many; 0: all.
};

/// The inputs. UserError naming the file where there are none, where they are not of the network's shape, or where it
/// is damaged.
std::vector<CalibrationInput> read_calibration_inputs(const CalibrationSource& source, const Graph& graph);

/// What a person should know of a folder that can be used: that all its pictures are of one class. "" where nothing.
std::string note_on_pictures(const CalibrationSource& source);

}  // namespace fovea
