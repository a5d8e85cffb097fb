// SPDX-License-Identifier: Apache-2.0
/// \file
/// Writes the drawings, and calls `dot`.
#include "visu.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>

#include "dot_text.h"
#include "files/output_folder.h"
#include "files/scratch_folder.h"
#include "tensor/error.h"

namespace fovea {
namespace {

/// Runs `dot -Tsvg`. \throws UserError where it is missing or fails.
void run_dot(const std::filesystem::path& input, const std::filesystem::path& output) {
  std::vector<std::string> words = {"dot", "-Tsvg", "-o", output.string(), input.string()};
  std::vector<char*> arguments;
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawnp(&child, "dot", nullptr, nullptr, arguments.data(), environ);
  if (error != 0) {
    user_error("dot: not found; drawing needs Graphviz; apt-get install graphviz");
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    user_error("dot: failed to draw " + input.string() + " (its own message is above)");
  }
}

}  // namespace

void write_drawings(const Graph& before, const Graph& after, const std::vector<std::string>& layers,
                    const std::string& name, const std::filesystem::path& folder) {
  OutputFolder files(folder);
  const DrawnGraph first{before, name + ", before fusion", {}}, second{after, name + ", after fusion", layers};
  const std::pair<std::string, std::vector<DrawnGraph>> drawings[] = {
      {name + "_before", {first}}, {name + "_after", {second}}, {name, {first, second}}};
  for (const auto& [base, graphs] : drawings) {
    files.add(base + ".dot", graphs_to_dot(graphs));
    run_dot(files.place_of(base + ".dot"), files.reserve(base + ".svg"));
  }
  files.commit();
}

std::string draw_graph(const Graph& graph) {
  const ScratchFolder scratch;
  write_file(scratch / "graph.dot", graphs_to_dot({{graph, "graph", {}}}));
  run_dot(scratch / "graph.dot", scratch / "graph.svg");
  std::ifstream file(scratch / "graph.svg");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace fovea
