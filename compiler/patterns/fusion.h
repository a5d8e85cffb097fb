// SPDX-License-Identifier: Apache-2.0
/// \file
/// A fusion: a pattern, the composite that it becomes, and why the accelerator may refuse it.
#ifndef FOVEA_COMPILER_PATTERNS_FUSION_H_
#define FOVEA_COMPILER_PATTERNS_FUSION_H_

#include <optional>
#include <string>

#include "ir/composite.h"
#include "pattern.h"

namespace fovea {

/// Why the accelerator can't run a match, in one clause; nothing where it can.
using Refuse = std::optional<std::string> (*)(const Match& match, const MachineLimits& limits);

/// A row of the table in table.h.
struct Fusion {
  std::string composite;  ///< "dla.qconv2d_relu"; "cpu." in front of what no accelerator takes.
  Pattern pattern;
  std::string anchor;  ///< The captured value whose ONNX node the composite is called after.
  Refuse refuse;
};

}  // namespace fovea

#endif  // FOVEA_COMPILER_PATTERNS_FUSION_H_
