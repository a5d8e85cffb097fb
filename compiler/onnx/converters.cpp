// SPDX-License-Identifier: Apache-2.0
/// \file
/// Builds the table of ONNX operators.
#include "converters.h"

#include <algorithm>
#include <iterator>

#include "ops/operator.h"

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

/// A row whose text is "operators; notes", either of which may be missing.
constexpr ConverterRow make_row(std::string_view op, Converter convert, std::string_view text) {
  const std::size_t cut = text.find(';');
  const std::string_view notes = cut == std::string_view::npos ? "" : text.substr(cut + 1);
  return {{op, text.substr(0, cut), notes.substr(notes.starts_with(' ') ? 1 : 0)}, convert};
}

constexpr ConverterRow kConverters[] = {
#define FOVEA_ONNX(op, function, ...) make_row(#op, function, "" __VA_ARGS__),
#define FOVEA_ONNX_AS(op, name, ...)                                                               \
  make_row(                                                                                        \
      #op, [](ImportContext& context, OnnxNode& node) { return convert_as(context, node, name); }, \
      name "; " __VA_ARGS__),
#include "converters.def"
#undef FOVEA_ONNX
#undef FOVEA_ONNX_AS
};

}  // namespace

std::vector<OnnxOperator> list_onnx_operators() {
  std::vector<OnnxOperator> all;
  for (const ConverterRow& row : kConverters) {
    all.push_back(row.about);
  }
  return all;
}

const ConverterRow* find_converter(std::string_view op) {
  const auto row = std::find_if(std::begin(kConverters), std::end(kConverters),
                                [&](const ConverterRow& r) { return r.about.name == op; });
  return row == std::end(kConverters) ? nullptr : row;
}

std::string advise_operator(std::string_view op) {
  const std::string_view name = op.substr(op.rfind('.') + 1);
  std::string like;
  for (const ConverterRow& row : kConverters) {
    const std::string_view known = row.about.name.substr(row.about.name.rfind('.') + 1);
    const bool is_like = name.find(known) != std::string_view::npos || known.find(name) != std::string_view::npos;
    const std::size_t shorter = std::min(name.size(), known.size());
    if (is_like && shorter > 2 && 2 * shorter >= std::max(name.size(), known.size())) {
      like += (like.empty() ? "" : ", ") + std::string(row.about.name);
    }
  }
  const char* all = "foveac --list-operators lists those that are";
  return like.empty() ? all : "like it there is " + like + "; " + all;
}

}  // namespace fovea
