// SPDX-License-Identifier: Apache-2.0
/// \file
/// Targets that a user adds to a compilation, beside the rows of targets().
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "target.h"

namespace fovea {

/// A layer that a user's target is asked about, in a network of that rounding.
struct OfferedLayer {
  const Layer& layer;
  dla_rounding rounding;
};

/// What a user's target emits for a layer: an expression in C that is a dla_status_t.
struct EmittedCall {
  /// With fields, "$input" or "${input}", that call_fields() names; "$$" is a dollar. `rt` is the runtime.
  std::string text;
  std::map<std::string, std::shared_ptr<const Tensor>> constants;  ///< Of the call alone; fields of their names.
  std::string file;                                                ///< Where it is written, for messages. May be "".
  int line = 0;

  std::string place() const { return file + ":" + std::to_string(line); }
};

/// A user's target. Each function may be empty but refuse() and emit().
struct AddedTarget {
  std::string name;
  std::string place;                         ///< Where it is written, for messages. May be "".
  std::string header;                        ///< That the call needs, one of `files` or of the runtime; "" for none.
  std::map<std::string, std::string> files;  ///< Target::files().
  std::function<std::optional<std::string>(const OfferedLayer& offered)> refuse;
  std::function<std::optional<std::uint64_t>(const OfferedLayer& offered)> cost;
  std::function<std::uint64_t(const OfferedLayer& offered)> cycles;  ///< That a layer takes; 0 where that is unknown.
  std::function<EmittedCall(const OfferedLayer& offered)> emit;
};

/// The targets, ready to compile for, in their order. \throws UsageError for a name that is none, or is taken.
std::vector<NamedTarget> make_added_targets(const std::vector<AddedTarget>& added, dla_rounding rounding);

/// How a layer's inputs that are activations, and its output behind all, stand for real numbers: by "input" and
/// "input0", "input1", "output". Those that are no integers, or only move, are left out.
std::map<std::string, Quantization> quantizations_of(const Layer& layer);

/// Sizes of a layer by their letters: N, C, H, W of its input; M filters of C / groups, R, S; outputs E, F before a
/// pool; strides U, V. Those that it doesn't have are left out.
std::map<std::string, std::int64_t> letters_of(const Layer& layer);

}  // namespace fovea
