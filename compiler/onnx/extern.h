// SPDX-License-Identifier: Apache-2.0
/// \file
/// Operators that are C functions of the user's: what binds one, and how the types of its outputs are known.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "ops/extern.h"

namespace fovea {

/// A node of the user's operator, of which the types of the outputs are asked.
struct ExternNode {
  std::string op, name;
  std::vector<OptionalType> inputs;
  /// Value of an input, where it depends on constants only.
  std::function<std::optional<Tensor>(std::size_t input)> constant;
  nlohmann::ordered_json attributes;  ///< Numbers and texts by name, and lists of them.
  std::size_t outputs = 0;            ///< That the node names.
};

/// An operator bound to a C function (driver/runtime/dla_extern.h).
struct Extern {
  std::string op;              ///< "Det", or with its domain "com.microsoft.Inverse".
  std::filesystem::path file;  ///< As the user named it, for messages.
  std::string source;          ///< Its text.
  /// Types of a node's outputs; where it is empty, the rule in the source says them, or the model.
  std::function<std::vector<TensorType>(const ExternNode& node)> types;

  /// The C function's name: the operator's without its domain.
  std::string function() const { return op.substr(op.rfind('.') + 1); }
};

/// Reads the file. UsageError, beginning with "extern <op>=<file>", where there is none, or no function can have the
/// operator's name.
Extern read_extern(const std::string& op, const std::filesystem::path& file);

/// The binding of an operator, or null.
const Extern* find_extern(const std::vector<Extern>& externs, const std::string& op);

/// Types of a node's outputs by the rules in a source: a comment line for each output, `// output: TYPE [SIZES]`, or in
/// a file of several functions `// output of RNN: ...`. TYPE is an element type, or x0, that of the first input. A size
/// is computed with + - * / % and parentheses, from integers, x0[1] (a size of the first input; -1 is its last), v1 or
/// v1[0] (elements of the second input, a constant), and attributes (k, pads[1]). Without brackets the shape is that of
/// the input that is the type, or of the first one. Nothing where there is no such line. \throws UserError, with the
/// file and the line, where a rule makes no sense for the node.
std::optional<std::vector<TensorType>> types_by_rule(const Extern& binding, const ExternNode& node);

}  // namespace fovea
