// SPDX-License-Identifier: Apache-2.0
/// \file
/// Fusions of a user, which are tried before the compiler's own.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "patterns/pattern.h"

namespace fovea {

/// A user's fusion: what matches becomes one composite.
///
/// Its name is one of the compiler's composites ("dla.qconv2d_relu", or "qconv2d_relu"), and then a match must be what
/// that computes. Any other name is a composite of the user's own ("mine.swish"), which a target may look for. Where
/// its operators are one of the compiler's layers, it is that; else they are one nest on the CPU. With further results,
/// it is a layer of a user's target, and left out where none takes it.
struct AddedFusion {
  std::string name;
  Pattern pattern;
  std::string place;  ///< Where it is written, for messages: "mine.py:12". May be "".
  /// Why a match is left out, a sentence; nothing where it is taken. May be empty.
  std::function<std::optional<std::string>(const Match& match)> refuse;
  std::vector<Pattern> results = {};  ///< Further ones: match().
};

/// What became of a match of a user's fusion.
struct FusionReport {
  std::string fusion, node;  ///< Its name; the ONNX name of the value that it ends with, "" where nothing matches.
  std::string why;           ///< Why it was left out, by refuse() or as no layer computes it; "" where it is fused.
};

/// \throws UsageError for names that are none, and those of composites that the compiler doesn't have.
void check_fusions(const std::vector<AddedFusion>& fusions);

}  // namespace fovea
