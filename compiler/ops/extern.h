// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a call of "extern" says in the graph: an ONNX node that a C function of the user's computes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "call.h"
#include "tensor/tensor.h"

namespace fovea {

/// A tensor that a node may leave out.
using OptionalType = std::optional<TensorType>;

/// Whether a C function can be called so.
bool is_c_identifier(const std::string& name);

/// Name of what points to the function in emitted C: "extern_com_microsoft_Inverse".
std::string extern_symbol(const std::string& op);

/// An output of a call of "extern", or a result of a function. Several are packed, bytes one behind another.
struct ExternOutput {
  OptionalType type;
  int64_t offset = 0;
};
std::vector<ExternOutput> extern_outputs(const Call& call);

/// Tensors of these types, packed.
std::vector<ExternOutput> packed(const std::vector<OptionalType>& types);

/// Type of the value that has these: of one its own, of several that of their bytes. \pre There is one.
TensorType type_of_packed(const std::vector<ExternOutput>& outputs);

/// Attributes of the call of "extern_output" that is one of several. \pre It is not left out.
Attributes extern_output_attributes(const ExternOutput& output);

/// Attributes of a call of "extern". \param inputs  Whether each of the node's is given.
/// \param attributes  The node's, as a JSON object: numbers and texts by name, and lists of them.
Attributes extern_attributes(const std::string& op, const std::vector<int64_t>& inputs,
                             const std::vector<OptionalType>& outputs, std::string attributes);

}  // namespace fovea
