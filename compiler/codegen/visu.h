// SPDX-License-Identifier: Apache-2.0
/// \file
/// Draws graphs: Graphviz text, and SVG through the `dot` program.
#ifndef FOVEA_COMPILER_CODEGEN_VISU_H_
#define FOVEA_COMPILER_CODEGEN_VISU_H_

#include <filesystem>
#include <string>

#include "graph.h"

namespace fovea {

/// DOT text of a graph: each value with its operator, shape and type; composites and regions as boxes, coloured by
/// target, with what they hold inside. Scalar constants are left out; other constants are shown by shape.
std::string graph_to_dot(const Graph& graph, const std::string& title);

/// Writes `name`_before.svg and `name`_after.svg (and the .dot texts they were drawn from) into `folder`.
/// \throws UserError where the folder can't be written or `dot` is not installed or fails.
void write_drawings(const Graph& before, const Graph& after, const std::string& name,
                    const std::filesystem::path& folder);

}  // namespace fovea

#endif  // FOVEA_COMPILER_CODEGEN_VISU_H_
