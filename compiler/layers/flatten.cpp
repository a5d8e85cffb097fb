// SPDX-License-Identifier: Apache-2.0
/// \file
/// A reshape on integers, which moves nothing: its output is its input's bytes, wherever they are.
#include "on_integers.h"

namespace fovea {
namespace {

LayerBody make(const Match& match, std::vector<NodeId>& inputs) {
  inputs = {integers_of(match, "reshape")};
  return View{};
}

}  // namespace

LayerKind flatten_kind() {
  return {"flatten", "reshape", false, {{"dla.flatten", on_integers("reshape", any(), "reshape")}}, make, ""};
}

}  // namespace fovea
