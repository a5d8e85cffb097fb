// SPDX-License-Identifier: Apache-2.0
/// \file
/// A reshape, of integers or of floats at the network's ends, which moves nothing: its output is its input's bytes,
/// wherever they are.
#include "on_integers.h"

namespace fovea {
namespace in_flatten {

LayerBody make(const Match& match, std::vector<NodeId>& inputs) {
  inputs = {integers_of(match, "reshape")};
  return View{};
}

}  // namespace in_flatten

LayerKind flatten_kind() {
  using namespace in_flatten;
  const Pattern of_floats = op("reshape", {any()}).as("reshape");
  return {"flatten", "reshape", false, {{"dla.flatten", either({on_integers("reshape", any(), "reshape"), of_floats})}},
          make,      ""};
}

}  // namespace fovea
