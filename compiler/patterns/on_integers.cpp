// SPDX-License-Identifier: Apache-2.0
/// \file
/// Both forms in which exporters write an operator that keeps its input's scale.
#include "on_integers.h"

#include "ir/operator.h"
#include "ir/qdq.h"

namespace fovea {
namespace {

bool is_integer(const Match& match, const std::string& capture) {
  return match[capture].type.element != ElementType::kFloat32;
}

}  // namespace

Pattern activation() { return op("qnn.dequantize", {any()}).or_copied(); }

Pattern parameter() { return op("qnn.dequantize", {constant()}).or_copied(); }

Pattern on_integers(const std::string& name, const Pattern& input, const std::string& capture) {
  const std::string before = capture + " before", after = capture + " after";
  const auto keeps_scale = [before, after](const Match& match) {
    return read_qdq(match.graph(), match[before]) == read_qdq(match.graph(), match[after]);
  };
  return either({op(name, {input}).as(capture).where([capture](const Match& m) { return is_integer(m, capture); }),
                 op("qnn.quantize", {op(name, {op("qnn.dequantize", {input}).as(before)}).as(capture)})
                     .as(after)
                     .where(keeps_scale)});
}

std::string composite_name(const std::string& stem, Epilogue epilogue) {
  return stem + (epilogue.relu ? "_relu" : "") + (epilogue.pool ? "_maxpool" : "");
}

}  // namespace fovea
