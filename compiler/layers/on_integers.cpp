// SPDX-License-Identifier: Apache-2.0
/// \file
/// Both forms in which exporters write an operator that keeps its input's scale.
#include "on_integers.h"

#include "ops/operator.h"

namespace fovea {
namespace {

bool is_integer(const Match& match, const std::string& capture) {
  return match[capture].type.element != ElementType::kFloat32;
}

}  // namespace

Pattern activation(const std::string& capture) { return op("qnn.dequantize", {any()}).or_copied().as(capture); }

Pattern parameter(const std::string& capture) { return op("qnn.dequantize", {constant()}).or_copied().as(capture); }

Pattern on_integers(const std::string& name, const Pattern& input, const std::string& capture) {
  const std::string before = capture + " before", after = capture + " after";
  const auto keeps_scale = [before, after](const Match& match) {
    return read_quantization(match.graph(), match[before]) == read_quantization(match.graph(), match[after]);
  };
  return either({op(name, {input}).as(capture).where([capture](const Match& m) { return is_integer(m, capture); }),
                 op("qnn.quantize", {op(name, {op("qnn.dequantize", {input}).as(before)}).as(capture)})
                     .as(after)
                     .where(keeps_scale)});
}

NodeId integers_of(const Match& match, const std::string& capture) {
  const std::string before = capture + " before";
  return (match.has(before) ? match[before] : match[capture]).inputs[0];
}

}  // namespace fovea
