// SPDX-License-Identifier: Apache-2.0
/// \file
/// Builds the table of ONNX operators.
#include "converters.h"

#include <algorithm>
#include <iterator>

#include "ir/operator.h"

namespace fovea {
namespace {

/// A call with the node's inputs, all of which must be given.
NodeId convert_as(ImportContext& context, OnnxNode& node, const std::string& name) {
  std::vector<NodeId> inputs;
  for (std::size_t place = 0; place < find_operator(name)->inputs.size(); ++place) {
    inputs.push_back(context.input(node, static_cast<int>(place)));
  }
  return context.call(node, name, inputs);
}

constexpr ConverterRow kConverters[] = {
#define FOVEA_ONNX(op, function) {#op, function},
#define FOVEA_ONNX_AS(op, name) \
  {#op, [](ImportContext& context, OnnxNode& node) { return convert_as(context, node, name); }},
#include "converters.def"
#undef FOVEA_ONNX
#undef FOVEA_ONNX_AS
};

}  // namespace

const ConverterRow* find_converter(std::string_view op) {
  const auto row =
      std::find_if(std::begin(kConverters), std::end(kConverters), [&](const ConverterRow& r) { return r.op == op; });
  return row == std::end(kConverters) ? nullptr : row;
}

std::string list_converters() {
  std::string text;
  for (const ConverterRow& row : kConverters) {
    text += (text.empty() ? "" : ", ") + std::string(row.op);
  }
  return text;
}

}  // namespace fovea
