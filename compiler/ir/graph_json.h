// SPDX-License-Identifier: Apache-2.0
/// \file
/// The JSON form of the IR, for programs that are not ours: what goes out comes back the same.
///
/// The schema is graph.schema.json; docs/graph_json.md explains it. All constants are in one file beside the text, each
/// at a multiple of 64 bytes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "graph.h"
#include "ops/operator.h"

namespace fovea {

/// A graph's text, and the bytes of the file that it names.
struct GraphJson {
  std::string text;
  std::vector<std::byte> constants;
};

/// \param constants_name  Of the file of constants.
GraphJson print_graph_json(const Graph& graph, const std::string& constants_name);

/// Reads a graph. \param file  Name of the text, for messages.   \param folder  Where the file of constants is.
/// \throws UserError "<file>: nodes[3]: ..." where the text is no such graph, the operators don't fit, or the file of
///         constants is not the one that was written with the text.
Graph parse_graph_json(const std::string& text, const std::string& file, const std::filesystem::path& folder = ".",
                       const std::vector<OwnOperator>& operators = {});

}  // namespace fovea
