// SPDX-License-Identifier: Apache-2.0
/// \file
/// Max-pools that no convolution takes along.
#include "families.h"
#include "on_integers.h"

namespace fovea {
namespace {

std::optional<std::string> refuse_pool(const Match&, const MachineLimits&) {
  return "the accelerator pools only behind a convolution that nothing else reads, 2x2 with stride 2, no pads";
}

}  // namespace

Fusion max_pool() { return {"cpu.maxpool", on_integers("nn.max_pool2d", any(), "pool"), "pool", refuse_pool}; }

}  // namespace fovea
