// SPDX-License-Identifier: Apache-2.0
/// \file
/// Graphs in files, in the form that the file's name says.
#pragma once

#include <filesystem>
#include <vector>

#include "ir/graph.h"
#include "ops/operator.h"

namespace fovea {

/// Reads a graph. \pre ir_form_of(path). \param operators  Of the user, that it may call. \throws UserError naming what
/// can't be read, and where.
Graph read_graph_file(const std::filesystem::path& path, const std::vector<OwnOperator>& operators = {});

/// Writes a graph, and its long constants beside it: net.constants.bin of net.json. \throws UsageError where the name
/// is none of an IR; UserError where the files can't be written.
void write_graph_file(const Graph& graph, const std::filesystem::path& path);

}  // namespace fovea
