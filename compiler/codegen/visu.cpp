// SPDX-License-Identifier: Apache-2.0
/// \file
/// Graphviz text by recursion over regions and composites, and the call of `dot`.
#include "visu.h"

#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <sstream>
#include <vector>

#include "error.h"
#include "output_folder.h"

extern char** environ;

namespace fovea {
namespace {

/// A DOT string, quotes included; '\n' becomes a line break.
std::string dot_string(const std::string& text) {
  std::string out = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') {
      out += '\\';
    }
    if (letter == '\n') {
      out += "\\n";
    } else {
      out += letter;
    }
  }
  return out + "\"";
}

std::string attributes_text(const Node& node) {
  struct Printer {
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const {
      std::ostringstream out;
      out << value;
      return out.str();
    }
    std::string operator()(const std::string& value) const { return value; }
    std::string operator()(const std::vector<std::int64_t>& values) const {
      std::string text;
      for (const std::int64_t value : values) {
        text += (text.empty() ? "" : ", ") + std::to_string(value);
      }
      return "[" + text + "]";
    }
  };
  std::string text;
  for (const auto& [name, value] : node.attributes) {
    text += "\n" + name + "=" + std::visit(Printer{}, value);
  }
  return text;
}

/// A device function is green, a host function orange.
const char* colour_of(const Function& function) {
  if (!function.target) {
    return "gray40";
  }
  return *function.target == Target::kDla ? "#1b7f3b" : "#b35c00";
}

class DotWriter {
 public:
  explicit DotWriter(std::ostream& out) : out_(out) {}

  /// Writes the nodes of a graph whose inputs are already drawn as `arguments` (none: they are drawn here).
  /// \return the names of its outputs.
  std::vector<std::string> draw(const Graph& graph, const std::vector<std::string>& arguments) {
    std::vector<std::string> names(graph.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      names[graph.inputs()[i]] = arguments[i];
    }
    for (NodeId id = 0; id < graph.size(); ++id) {
      if (names[id].empty()) {
        names[id] = draw_node(graph[id], names);
      }
    }
    std::vector<std::string> outputs;
    for (const NodeId id : graph.outputs()) {
      outputs.push_back(names[id]);
    }
    return outputs;
  }

 private:
  std::string draw_node(const Node& node, const std::vector<std::string>& names) {
    std::vector<std::string> arguments;
    for (const NodeId input : node.inputs) {
      arguments.push_back(names[input]);
    }
    if (node.kind == NodeKind::kFunction) {
      return draw_function(*node.function, arguments);
    }
    const bool is_constant = node.kind == NodeKind::kConstant;
    if (is_constant && node.type.shape.empty()) {
      return kHidden;
    }
    const std::string name = "n" + std::to_string(next_++);
    std::string label = std::string(operation_of(node)) + attributes_text(node) + "\n" + to_text(node.type);
    if (!node.origin.empty()) {
      label = node.origin + "\n" + label;
    }
    out_ << name << " [label=" << dot_string(label)
         << (is_constant                     ? ", shape=box, style=dashed, fontsize=8"
             : node.kind == NodeKind::kInput ? ", shape=oval"
                                             : "")
         << "];\n";
    for (const std::string& argument : arguments) {
      if (argument != kHidden) {
        out_ << argument << " -> " << name << ";\n";
      }
    }
    return name;
  }

  std::string draw_function(const Function& function, const std::vector<std::string>& arguments) {
    std::string label = function.layer.empty() ? function.name : function.layer + ": " + function.name;
    if (function.target) {
      label += " (" + std::string(to_text(*function.target)) + ")";
    }
    if (!function.reason.empty()) {
      label += "\n" + function.reason;
    }
    out_ << "subgraph cluster_" << next_++ << " {\nlabel=" << dot_string(label)
         << ";\ncolor=" << dot_string(colour_of(function)) << ";\nfontcolor=" << dot_string(colour_of(function))
         << ";\nstyle=" << (function.is_region ? "dashed" : "bold") << ";\n";
    const std::vector<std::string> outputs = draw(function.body, arguments);
    out_ << "}\n";
    return outputs.at(0);
  }

  static constexpr const char* kHidden = "-";
  std::ostream& out_;
  std::size_t next_ = 0;
};

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
    user_error("dot: not found; drawing needs Graphviz (apt install graphviz)");
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    user_error("dot: failed to draw " + input.string() + " (its own message is above)");
  }
}

}  // namespace

std::string graph_to_dot(const Graph& graph, const std::string& title) {
  std::ostringstream out;
  out << "digraph network {\nlabel=" << dot_string(title)
      << ";\nlabelloc=t;\nfontname=\"Helvetica\";\nnode [shape=box, style=rounded, fontname=\"Helvetica\", "
         "fontsize=10];\n"
      << "edge [arrowsize=0.7];\n";
  DotWriter(out).draw(graph, {});
  out << "}\n";
  return out.str();
}

void write_drawings(const Graph& before, const Graph& after, const std::string& name,
                    const std::filesystem::path& folder) {
  OutputFolder files(folder);
  const std::pair<const Graph&, std::string> drawings[] = {{before, "before"}, {after, "after"}};
  for (const auto& [graph, when] : drawings) {
    const std::string base = name + "_" + when;
    files.add(base + ".dot", graph_to_dot(graph, name + ", " + when + " fusion"));
    run_dot(files.place_of(base + ".dot"), files.reserve(base + ".svg"));
  }
  files.commit();
}

}  // namespace fovea
