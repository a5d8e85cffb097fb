// SPDX-License-Identifier: Apache-2.0
/// \file
/// The table of ONNX operators: how each becomes operators of the IR.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "extern.h"
#include "import.h"
#include "import_context.h"
#include "onnx_node.h"
#include "ops/operator.h"

namespace fovea {

/// Elements of an axis that is listed place by place; more pads than that on a side make no sense either.
inline constexpr int64_t kMostPlaces = 1 << 20;

/// Adds what computes the node's first output and returns that value; defines other outputs itself. UserError where the
/// node can't be converted.
using Converter = NodeId (*)(ImportContext& context, OnnxNode& node);

struct ConverterRow {
  OnnxOperator about;
  Converter convert;
};

/// The row of an operator (OnnxNode::op()), or null.
const ConverterRow* find_converter(std::string_view op);

/// What would work instead of an operator without a row: rows with a name like its own, and where all are listed.
std::string advise_operator(std::string_view op);

/// Adds a call of a C function of the user's, and defines the outputs. UserError where their types are not known.
void convert_extern(ImportContext& context, const OnnxNode& node, const onnx::NodeProto& proto, const Extern& binding);

/// The operator of the user's that an ONNX operator is imported as, or null.
const OwnOperator* find_own(const std::vector<OwnOperator>& operators, std::string_view onnx);

/// Adds a call of it, as a Converter does.
NodeId convert_own(ImportContext& context, OnnxNode& node, const OwnOperator& own);

#define FOVEA_ONNX(op, function, ...) NodeId function(ImportContext& context, OnnxNode& node);
#define FOVEA_ONNX_AS(op, name, ...)
#include "converters.def"
#undef FOVEA_ONNX
#undef FOVEA_ONNX_AS

}  // namespace fovea
