// SPDX-License-Identifier: Apache-2.0
/// \file
/// Decides for each composite where it runs.
#ifndef FOVEA_COMPILER_PASSES_ANNOTATE_TARGET_H_
#define FOVEA_COMPILER_PASSES_ANNOTATE_TARGET_H_

#include "ir/composite.h"
#include "ir/graph.h"

namespace fovea {

/// Sets Function::target, and Function::reason where that is the CPU: `target` is the CPU, the composite's fusion
/// refuses (patterns/fusion.h), or the machine does (`limits`). Run after merge_composites.
Graph annotate_target(const Graph& graph, Target target, const MachineLimits& limits);

}  // namespace fovea

#endif  // FOVEA_COMPILER_PASSES_ANNOTATE_TARGET_H_
