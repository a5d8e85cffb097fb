// SPDX-License-Identifier: Apache-2.0
/// \file
/// Results of composites and regions. The value of a function with several is their bytes, packed; a call of the
/// operator "extern_output" reads each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph.h"
#include "ops/extern.h"

namespace fovea {

/// The results of a body, in order, as they lie in its function's value.
std::vector<ExternOutput> results_of(const Graph& body);

/// Adds what reads one of several results. \param function  The value that has them.
NodeId add_result(GraphBuilder& builder, NodeId function, const ExternOutput& result, std::string origin);

/// Of a call that reads one of several results of a function: which one. Nothing of any other node.
std::optional<std::size_t> result_read(const Graph& graph, NodeId id);

}  // namespace fovea
