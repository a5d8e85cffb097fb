// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which operators on float32 values become one nest, without a buffer between them.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "ir/graph.h"

namespace fovea {

/// Inputs that a call of dla_nest_cpu() takes.
inline constexpr std::size_t kMostNestInputs = 8;

/// Whether a call is of an operator of which nests may be made: one that has a definition.
bool has_definition(const Node& node);

/// Whether a call's result is float32, and all that it reads.
bool is_of_floats(const Graph& graph, const Node& call);

/// The calls from `root` down that are one nest with it; none where they are fewer than two, or where a kernel of the
/// runtime does better. A call joins the one that alone reads its result, if no element of it is computed twice:
/// elementwise operators, moves, and reductions under those; below a reduction with several passes over its input
/// moves only. Functions such as exp join in place only, and no move below them: by themselves their loops are
/// vectors, which gains more than a buffer costs.
std::set<NodeId> nest_group(const Graph& graph, NodeId root);

/// Why the operators of a body, which are all calls, are not one nest; nothing where they are.
std::optional<std::string> why_no_nest(const Graph& body);

}  // namespace fovea
