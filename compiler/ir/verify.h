// SPDX-License-Identifier: Apache-2.0
/// \file
/// What must hold for a graph after every pass.
#pragma once

#include <string>
#include <string_view>

#include "graph.h"

namespace fovea {

/// Why a function's body may not hold another function, or, where `inner` is null, an operator; "" where it may.
/// \param around  Null: the graph itself, which holds both.
std::string nesting_problem(const Function* around, const Function* inner);

/// Checks a graph and the bodies of its functions: inputs come before their readers, types are those that the operator
/// table infers, parameters and results are listed, functions are applied to what their bodies take, composites hold
/// operators only, and regions hold composites of their own target only.
/// InternalError "after <pass>: %12 (conv1): ..." where something does not hold.
void verify(const Graph& graph, std::string_view pass);

/// The same, of a graph that a user made. UserError "conv1: ... (<place>)" where something does not hold.
void refuse_broken(const Graph& graph, const std::string& place);

/// UserError with a line for each reason in "unsupported" calls, where there are any.
void refuse_unsupported(const Graph& graph);

}  // namespace fovea
