// SPDX-License-Identifier: Apache-2.0
/// \file
/// Patterns that are written in Python, what they match, and fusions of them.
#include "patterns/pattern.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings.h"
#include "graph_handle.h"
#include "held.h"
#include "ir_values.h"
#include "passes/eliminate_dead_code.h"
#include "passes/merge_composites.h"
#include "spec/near_name.h"

namespace py = pybind11;

namespace fovea {
namespace {

/// A match, and the graph that its nodes are of.
struct MatchHandle {
  Match match;
  std::shared_ptr<GraphSource> source;

  NodeHandle node(NodeId id) const { return {source, id}; }

  template <typename Ids>
  std::vector<NodeHandle> nodes(const Ids& ids) const {
    std::vector<NodeHandle> all;
    for (const NodeId id : ids) {
      all.push_back(node(id));
    }
    return all;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& capture : match.captures()) {
      all.push_back(capture.first);
    }
    return all;
  }
};

/// Calls a function of Python with a match, whose nodes live as long as the call.
template <typename Call>
auto with_match(const Match& match, Call call) {
  const py::gil_scoped_acquire lock;
  const auto source = std::make_shared<GraphSource>();
  source->finished = {std::shared_ptr<const Graph>(), &match.graph()};
  struct Guard {
    GraphSource& source;
    ~Guard() { source.finished.reset(); }
  } const guard{*source};
  return call(MatchHandle{match, source});
}

NodeHandle capture(const MatchHandle& self, const py::object& key) {
  if (py::hasattr(key, "key")) {
    if (const NodeId* id = self.match.once(key.attr("key").cast<int>())) {
      return self.node(*id);
    }
    throw UsageError("match: that pattern is no part of what was matched");
  }
  const auto name = key.cast<std::string>();
  if (!self.match.has(name)) {
    const std::vector<std::string> names = self.names();
    std::string text = "match[\"" + name + "\"]: nothing of this name was matched";
    for (const std::string& each : names) {
      text += (&each == &names.front() ? "; there is " : ", ") + each;
    }
    throw UsageError(text + did_you_mean(name, names));
  }
  return self.node(self.match.place_of(name));
}

// Conditions.

/// A shape, whose sizes may be None.
using ShapePattern = std::vector<std::optional<int64_t>>;

Pattern of_type(const Pattern& self, const std::optional<ShapePattern>& shape,
                const std::optional<std::string>& dtype) {
  const auto element = dtype ? parse_element_type(*dtype) : std::nullopt;
  if (dtype && !element) {
    throw UsageError("dtype=" + *dtype + ": unknown; float32, uint8, int8, int32, int64 and bool work");
  }
  return self.of([shape, element](const Graph& graph, NodeId id) {
    const TensorType& type = graph[id].type;
    const auto is_size = [](const std::optional<int64_t>& wanted, int64_t size) { return !wanted || *wanted == size; };
    return (!element || type.element == *element) && (!shape || std::ranges::equal(*shape, type.shape, is_size));
  });
}

/// The attributes of one operator. \throws UsageError for those that it lacks, and values of another kind.
Attributes attributes_of(const Operator& op, const py::dict& wanted) {
  Attributes attributes;
  for (const auto& [key, value] : wanted) {
    const auto name = key.cast<std::string>();
    const auto spec = std::ranges::find(op.attributes, name, &AttributeSpec::name);
    if (spec == op.attributes.end()) {
      std::vector<std::string> names;
      for (const AttributeSpec& each : op.attributes) {
        names.push_back(each.name);
      }
      throw UsageError(name + ": " + op.name + " has no such attribute, so the pattern can never match" +
                       did_you_mean(name, names));
    }
    attributes[name] = attribute_of(name, spec->kind, value);
  }
  return attributes;
}

/// What calls of some operators, or "" of any, must have. \throws UsageError where none can have it.
std::map<const Operator*, Attributes> wanted_of(const std::vector<std::string>& names, const py::dict& wanted) {
  std::map<const Operator*, Attributes> all;
  std::ranges::for_each(names, operator_of);
  for (const Operator& op : operators()) {
    const bool is_named = std::ranges::count(names, op.name) != 0;
    const auto has = [&](const auto& item) {
      return std::ranges::count(op.attributes, item.first.template cast<std::string>(), &AttributeSpec::name) != 0;
    };
    if (is_named || (names.empty() && std::all_of(wanted.begin(), wanted.end(), has))) {
      all[&op] = attributes_of(op, wanted);
    }
  }
  if (all.empty()) {
    throw UsageError("has_attr(" + py::repr(wanted).cast<std::string>() +
                     "): no operator has such attributes, so the pattern can never match");
  }
  return all;
}

Pattern::ValueCondition has_attributes(const std::vector<std::string>& names, const py::dict& wanted) {
  return [all = wanted_of(names, wanted)](const Graph& graph, NodeId id) {
    const Node& node = graph[id];
    const auto found = node.kind == NodeKind::kCall ? all.find(node.op) : all.end();
    return found != all.end() && std::ranges::all_of(found->second, [&](const auto& attribute) {
             return node.attributes.at(attribute.first) == attribute.second;
           });
  };
}

Pattern where(const Pattern& self, const py::function& predicate) {
  return self.where([kept = held(predicate)](const Match& match) {
    return with_match(match, [&](const MatchHandle& handle) { return (*kept)(handle).template cast<bool>(); });
  });
}

Pattern op_pattern(const std::string& name, const std::optional<std::vector<Pattern>>& inputs) {
  if (name.empty()) {
    return inputs ? any_call(*inputs) : any_call();
  }
  const Operator& row = operator_of(name);
  if (row.is_variadic && !inputs) {
    return op_of_all(name, anything());
  }
  std::vector<Pattern> all = inputs.value_or(std::vector<Pattern>());
  all.resize(row.is_variadic ? all.size() : std::max(all.size(), row.inputs.size()), anything());
  return op(name, std::move(all));
}

/// Links are calls of these operators, or with none of any.
Pattern path_of(const std::vector<std::string>& names, const py::dict& wanted, const Pattern& end) {
  return path(has_attributes(names, wanted), end);
}

// Fusions.

AddedFusion fusion_of(const std::string& name, const Pattern& pattern, const std::vector<Pattern>& results,
                      const std::string& place, const std::optional<py::function>& refuse) {
  AddedFusion fusion{name, pattern, place, {}, results};
  if (refuse) {
    fusion.refuse = [kept = held(*refuse)](const Match& match) {
      return with_match(match, [&](const MatchHandle& handle) {
        return (*kept)(handle).template cast<std::optional<std::string>>();
      });
    };
  }
  return fusion;
}

std::optional<MatchHandle> match_at(const Pattern& pattern, const NodeHandle& node, bool alone) {
  auto found = match(pattern, node.graph(), node.id, alone ? Sharing::kRefused : Sharing::kCopied);
  if (!found) {
    return std::nullopt;
  }
  found->drop_inner_inputs();
  return MatchHandle{std::move(*found), node.source};
}

}  // namespace

void bind_patterns(py::module_& module) {
  py::class_<MatchHandle>(module, "Match", "What a pattern found: nodes of a graph.")
      .def("__getitem__", capture, py::arg("key"), "The node that a name, or a part of the pattern, stands for.")
      .def("__contains__", [](const MatchHandle& self, const std::string& name) { return self.match.has(name); })
      .def_property_readonly("names", &MatchHandle::names, "What `named` has named.")
      .def_property_readonly("root", [](const MatchHandle& self) { return self.node(self.match.root()); })
      .def_property_readonly(
          "results", [](const MatchHandle& self) { return self.nodes(self.match.results()); },
          "The root, and further results of a fusion.")
      .def_property_readonly(
          "inputs", [](const MatchHandle& self) { return self.nodes(self.match.inputs()); },
          "What it reads of the rest of the graph.")
      .def_property_readonly(
          "nodes", [](const MatchHandle& self) { return self.nodes(self.match.inside()); },
          "Operators and constants in it, in the graph's order.");
  py::class_<Pattern>(module, "Pattern")
      .def("named", &Pattern::as, py::arg("name"))
      .def("where", where, py::arg("predicate"))
      .def("of_type", of_type, py::arg("shape"), py::arg("dtype"))
      .def(
          "of_attributes",
          [](const Pattern& self, const std::vector<std::string>& names, const py::dict& wanted) {
            return self.of(has_attributes(names, wanted));
          },
          py::arg("names"), py::arg("attributes"))
      .def("or_copied", &Pattern::or_copied)
      .def("once", &Pattern::once, py::arg("key"))
      .def("match", match_at, py::arg("node"), py::arg("alone"));
  module.def("anything", anything);
  module.def("constant", constant);
  module.def("input", any);
  module.def("op", op_pattern, py::arg("name"), py::arg("inputs"));
  module.def("composite", composite, py::arg("name"), py::arg("inputs"));
  module.def("either", either, py::arg("alternatives"));
  module.def("path", path_of, py::arg("names"), py::arg("attributes"), py::arg("end"));
  module.def(
      "partition",
      [](const GraphHandle& graph, const std::string& name, const Pattern& pattern, const std::vector<Pattern>& results,
         const std::optional<py::function>& refuse) {
        const AddedFusion fusion = fusion_of(name, pattern, results, "", refuse);
        check_fusions({fusion});
        return GraphHandle(merge_matches(graph.graph(), fusion));
      },
      py::arg("graph"), py::arg("name"), py::arg("pattern"), py::arg("results"), py::arg("refuse"));
  module.def(
      "without_dead_code", [](const GraphHandle& graph) { return GraphHandle(eliminate_dead_code(graph.graph())); },
      py::arg("graph"));
  module.def(
      "add_fusion",
      [](PassContext& context, const std::string& name, const Pattern& pattern, const std::vector<Pattern>& results,
         const std::string& place, const std::optional<py::function>& refuse) {
        context.fusions.push_back(fusion_of(name, pattern, results, place, refuse));
      },
      py::arg("context"), py::arg("name"), py::arg("pattern"), py::arg("results"), py::arg("place"), py::arg("refuse"));
}

}  // namespace fovea
