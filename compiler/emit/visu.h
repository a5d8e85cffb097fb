// SPDX-License-Identifier: Apache-2.0
/// \file
/// Draws a network before and after fusion, as SVG, through the `dot` program.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace fovea {

/// Writes `name`_before.svg, `name`_after.svg and, both side by side, `name`.svg into `folder`, with the .dot texts
/// they were drawn from. \param layers  Names of the composites of `after`, in order.
/// \throws UserError where the folder can't be written or `dot` is not installed or fails.
void write_drawings(const Graph& before, const Graph& after, const std::vector<std::string>& layers,
                    const std::string& name, const std::filesystem::path& folder);

/// A graph as SVG. \throws UserError where `dot` is not installed or fails.
std::string draw_graph(const Graph& graph);

}  // namespace fovea
