// SPDX-License-Identifier: Apache-2.0
/// \file
/// Applies rules.
#include "nest_rules.h"

#include "tensor/error.h"

namespace fovea {

Nest scheduled(const Nest& nest, const std::vector<NestRule>& rules) {
  Nest result = nest;
  for (const NestRule& rule : rules) {
    try {
      result = rule.apply(result);
    } catch (const UserError&) {  // The nest is as it was.
    }
  }
  return result;
}

}  // namespace fovea
