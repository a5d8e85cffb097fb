// SPDX-License-Identifier: Apache-2.0
/// \file
/// Measures mappings on a simulator, which is a program of its own: the compiler links none.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "spec/dla_layer.h"

namespace fovea {

/// The program and how it is called: `<program> --machine <file> --backend <backend> --input <json> --output <json>`.
struct MeasureWith {
  std::filesystem::path program;
  std::filesystem::path machine;
  std::string backend = "systemc";
  std::chrono::seconds limit{600};  ///< For one call.
};

/// Cycles of a shape under each mapping, in order.
/// \throws UserError where the program is missing, fails, or takes longer than the limit.
std::vector<std::uint64_t> measure_cycles(const MeasureWith& with, const dla_shape& shape,
                                          const std::vector<dla_mapping>& mappings);

}  // namespace fovea
