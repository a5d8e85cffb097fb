// SPDX-License-Identifier: Apache-2.0
/// \file
/// The CPUs that emitted C is built for. The C is the same for all; which kernels its calls get follows from how it and
/// the driver are compiled.
#pragma once

#include <string>
#include <vector>

namespace fovea {

/// A row of cpus.def.
struct Cpu {
  std::string name;
  std::string compiler;  ///< A gcc for it, and
  std::string flags;     ///< all that it is told.

  /// Whether functions take no more of the stack than a microcontroller has.
  bool has_short_stack() const { return flags.find("-DDLA_SMALL_TILES") != std::string::npos; }
};

/// All CPUs; the first is the one that foveac runs on.
const std::vector<Cpu>& cpus();

}  // namespace fovea
