// SPDX-License-Identifier: Apache-2.0
/// \file
/// unsupported: what can't be compiled, in its place and with its type, so that all else can be looked at.
#include "operator.h"
#include "ops.h"
#include "tensor/error.h"

namespace fovea {

TensorType unsupported_type(const Call& call, const std::vector<TensorType>&) {
  const auto element = parse_element_type(text_attribute(call, "dtype", ""));
  check_call(element.has_value(), call, "there is no element type " + text_attribute(call, "dtype", ""));
  return {ints_attribute(call, "shape", {}), *element};
}

Tensor evaluate_unsupported(const Call& call, const std::vector<const Tensor*>&) {
  throw InternalError("internal error: evaluates " + call_name(call) + ", which is not supported");
}

Attributes unsupported_attributes(std::string op, std::string why, const TensorType& type) {
  return {{"op", std::move(op)},
          {"why", std::move(why)},
          {"shape", type.shape},
          {"dtype", std::string(to_text(type.element))}};
}

}  // namespace fovea
