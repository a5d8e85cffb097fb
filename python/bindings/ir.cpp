// SPDX-License-Identifier: Apache-2.0
/// \file
/// The IR: graphs that are read, built and rewritten in Python.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings.h"
#include "emit/visu.h"
#include "files/digest.h"
#include "graph_handle.h"
#include "ir/evaluate.h"
#include "ir/quantization.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "ir_values.h"
#include "ops/operator.h"
#include "passes/rewrite.h"
#include "passes/same_graph.h"
#include "requests/compile.h"
#include "requests/graph_file.h"
#include "spec/near_name.h"
#include "store/cache.h"
#include "tensors.h"

namespace py = pybind11;
namespace fs = std::filesystem;

namespace fovea {

py::array array_of(const std::shared_ptr<const Tensor>& tensor) {
  const TensorType& type = tensor->type();
  const py::capsule owner(new std::shared_ptr<const Tensor>(tensor),
                          [](void* kept) { delete static_cast<std::shared_ptr<const Tensor>*>(kept); });
  py::array array(py::dtype(std::string(to_text(type.element))), type.shape, tensor->bytes().data(), owner);
  array.attr("setflags")(py::arg("write") = false);
  return array;
}

Tensor tensor_of(const py::handle& value, const std::string& place) {
  const auto array = py::array::ensure(value, py::array::c_style);
  if (!array) {
    throw py::error_already_set();
  }
  const auto dtype = py::str(array.dtype()).cast<std::string>();
  const auto element = parse_element_type(dtype);
  if (!element) {
    throw UsageError(place + ": its elements are " + dtype +
                     "; float32, uint8, int8, int32, int64 and bool work, such as numpy.float32(0.5)");
  }
  Tensor tensor({Shape(array.shape(), array.shape() + array.ndim()), *element});
  std::memcpy(tensor.bytes().data(), array.data(), tensor.bytes().size());
  return tensor;
}

TensorType type_of(const Shape& shape, const std::string& dtype) {
  const auto element = parse_element_type(dtype);
  if (!element) {
    throw UsageError("dtype=" + dtype + ": unknown; float32, uint8, int8, int32, int64 and bool work");
  }
  check_shape(shape, "shape");
  return {shape, *element};
}

namespace {

using Nodes = std::vector<NodeHandle>;

struct BuilderHandle {
  std::shared_ptr<GraphSource> source = std::make_shared<GraphSource>();

  GraphBuilder& builder() const {
    if (source->builder() == nullptr) {
      throw UsageError("builder: it has finished its graph; make another one");
    }
    return *source->builder();
  }
};

// Nodes.

Nodes nodes_of(const std::shared_ptr<GraphSource>& source, const std::vector<NodeId>& ids) {
  Nodes nodes;
  for (const NodeId id : ids) {
    nodes.push_back({source, id});
  }
  return nodes;
}

const char* kind_of(const NodeHandle& handle) {
  switch (const Node& node = handle.node(); node.kind) {
    case NodeKind::kInput:
      return "input";
    case NodeKind::kConstant:
      return "constant";
    case NodeKind::kCall:
      return "call";
    case NodeKind::kFunction:
      return node.function->is_region ? "region" : "composite";
  }
  return "";
}

Nodes users_of(const NodeHandle& handle) {
  if (!handle.source->finished) {
    throw UsageError("users: the graph is not finished; ask after Builder.finish()");
  }
  return nodes_of(handle.source, handle.graph().users()[handle.id]);
}

std::optional<py::array> value_of(const NodeHandle& handle) {
  const std::shared_ptr<const Tensor>& tensor = handle.node().constant;
  return tensor == nullptr ? std::nullopt : std::optional(array_of(tensor));
}

std::optional<Quantization> quantization_of(const NodeHandle& handle) {
  const Node& node = handle.node();
  const bool has_one = (is_call(node, "qnn.quantize") || is_call(node, "qnn.dequantize")) &&
                       has_constant_quantization(handle.graph(), node);
  return has_one ? std::optional(read_quantization(handle.graph(), node)) : std::nullopt;
}

std::optional<GraphHandle> body_of(const NodeHandle& handle) {
  const auto& function = handle.node().function;
  return function == nullptr ? std::nullopt : std::optional<GraphHandle>(GraphHandle(function->body));
}

/// A text of a composite or a region; "" of any other node.
template <std::string Function::*kField>
std::string field_of(const NodeHandle& handle) {
  const auto& function = handle.node().function;
  return function == nullptr ? "" : (*function).*kField;
}

std::string text_of(const NodeHandle& handle) {
  return "<Node %" + std::to_string(handle.id) + " " + std::string(operation_of(handle.node())) + ": " +
         to_text(handle.node().type) + (handle.node().origin.empty() ? "" : ", " + handle.node().origin) + ">";
}

// Building.

/// A row of the table by its name, or an operator of Python's.
OwnOperator own_operator_of(const py::object& given) {
  if (py::hasattr(py::type::of(given), "native")) {
    return given.attr("native").cast<OwnOperator>();
  }
  return {{&operator_of(given.cast<std::string>()), [](const Operator*) {}}, "", {}};
}

/// Of this builder: its node, or a constant that is added.
NodeId input_of(const BuilderHandle& self, const py::handle& value) {
  if (!py::isinstance<NodeHandle>(value)) {
    return self.builder().constant(tensor_of(value));
  }
  const auto& node = value.cast<const NodeHandle&>();
  if (node.source != self.source) {
    throw UsageError("inputs: " + text_of(node) + " is of another graph; Builder.copy() brings it here");
  }
  return node.id;
}

std::vector<NodeId> inputs_of(const BuilderHandle& self, const py::iterable& values) {
  std::vector<NodeId> ids;
  for (const py::handle& value : values) {
    ids.push_back(input_of(self, value));
  }
  return ids;
}

NodeHandle call(const BuilderHandle& self, const py::object& which, const py::args& inputs, const py::kwargs& options) {
  const OwnOperator own = own_operator_of(which);
  const Operator& op = *own.op;
  Call call;
  call.op = &op;
  call.own = find_operator(op.name) == nullptr ? own.op : nullptr;
  call.attributes = own.defaults;
  for (const auto& [key, value] : options) {
    const auto attribute = key.cast<std::string>();
    const auto spec = std::find_if(op.attributes.begin(), op.attributes.end(),
                                   [&](const AttributeSpec& each) { return each.name == attribute; });
    if (spec != op.attributes.end()) {
      call.attributes[attribute] = attribute_of(attribute, spec->kind, value);
    } else if (attribute == "origin") {
      call.origin = std::get<std::string>(attribute_of(attribute, AttributeKind::kText, value));
    } else {
      throw UsageError(attribute + ": " + op.name + " has no such attribute; fovea.ir.operators lists them");
    }
  }
  GraphBuilder& builder = self.builder();
  std::vector<NodeId> ids = inputs_of(self, inputs);
  return {self.source, builder.call(call, std::move(ids))};
}

NodeHandle copy(const BuilderHandle& self, const NodeHandle& node, const std::optional<py::iterable>& inputs) {
  GraphBuilder& builder = self.builder();
  std::vector<NodeId> ids = inputs ? inputs_of(self, *inputs) : std::vector<NodeId>();
  if (ids.size() != node.node().inputs.size()) {
    throw UsageError("inputs: " + std::to_string(ids.size()) + " given for " + text_of(node) + "; it reads " +
                     std::to_string(node.node().inputs.size()));
  }
  return {self.source, builder.copy(node.node(), std::move(ids))};
}

GraphHandle finish(const BuilderHandle& self, const py::iterable& outputs, const std::vector<std::string>& names) {
  if (!self.source->own) {
    self.builder();
    throw UsageError("finish: Graph.rewrite() finishes this graph; return a node, or None");
  }
  Graph graph = self.source->own->finish(inputs_of(self, outputs), names);
  self.source->finish(std::move(graph));
  return GraphHandle(self.source);
}

/// What a rewriter gave for a node. \throws TypeError where that is no node.
std::optional<NodeId> replacement_of(const BuilderHandle& builder, const py::object& made, const NodeHandle& node) {
  if (made.is_none()) {
    return std::nullopt;
  }
  if (!py::isinstance<NodeHandle>(made)) {
    throw py::type_error("rewrite: a " + std::string(py::str(py::type::of(made).attr("__name__"))) +
                         " was returned for " + text_of(node) + "; return a node of the builder, or None");
  }
  return input_of(builder, made);
}

GraphHandle rewrite(const GraphHandle& self, const py::function& rewriter) {
  const BuilderHandle handle;
  Graph made = [&] {
    try {
      return rewrite_graph(self.graph(), [&](GraphBuilder& builder, NodeId id, const std::vector<NodeId>& inputs) {
        handle.source->rewriter = &builder;
        const NodeHandle node{self.source, id};
        return replacement_of(handle, rewriter(handle, node, nodes_of(handle.source, inputs)), node);
      });
    } catch (...) {
      handle.source->rewriter = nullptr;
      throw;
    }
  }();
  handle.source->finish(std::move(made));
  return GraphHandle(handle.source);
}

// Graphs.

GraphHandle load(const std::string& path, const std::map<std::string, Shape>& shapes, int64_t batch, bool exact_to_ort,
                 const std::vector<Extern>& externs, const std::vector<OwnOperator>& operators) {
  ImportOptions options;
  options.shapes = shapes;
  options.batch = batch;
  options.exact_to = exact_to_ort ? Exactness::kOnnxRuntime : Exactness::kIntegers;
  options.externs = externs;
  options.operators = operators;
  const py::gil_scoped_release unlocked;
  return GraphHandle(load_network(path, options));
}

/// The graph's file in the cache.
std::string kept(const GraphHandle& self) {
  ConstantFile constants("graph.constants.bin");
  const std::string text = print_graph(self.graph(), kShownElements, &constants);
  Digest digest;
  digest.add(text);
  digest.add({reinterpret_cast<const char*>(constants.bytes().data()), constants.bytes().size()});
  const auto make = [&](const fs::path& scratch) { write_graph_file(self.graph(), scratch / "graph.fovea"); };
  return (find_or_make("graphs", "graph-" + digest.text(), make, {}) / "graph.fovea").string();
}

std::vector<py::array> run_graph(const GraphHandle& self, const py::args& arguments) {
  const Graph& graph = self.graph();
  if (arguments.size() != graph.inputs().size()) {
    throw UsageError("inputs: " + std::to_string(arguments.size()) + " given; the graph takes " +
                     std::to_string(graph.inputs().size()));
  }
  std::vector<Tensor> tensors;
  for (const py::handle& argument : arguments) {
    const Node& input = graph[graph.inputs()[tensors.size()]];
    tensors.push_back(tensor_of(argument));
    if (tensors.back().type() != input.type) {
      throw UsageError("inputs: " + describe(graph, graph.inputs()[tensors.size() - 1]) + " is a " +
                       to_text(input.type) + "; a " + to_text(tensors.back().type()) + " was given");
    }
  }
  std::vector<py::array> results;
  for (Tensor& result : evaluate(graph, tensors)) {
    results.push_back(array_of(std::make_shared<const Tensor>(std::move(result))));
  }
  return results;
}

/// A drawing for a notebook; None where Graphviz is not there.
std::optional<std::string> svg_of(const GraphHandle& self) {
  const py::gil_scoped_release unlocked;
  try {
    return draw_graph(self.graph());
  } catch (const UserError&) {
    return std::nullopt;
  }
}

NodeHandle node_at(const GraphHandle& self, std::int64_t place) {
  const auto size = static_cast<std::int64_t>(self.graph().size());
  const std::int64_t id = place < 0 ? place + size : place;
  if (id < 0 || id >= size) {
    throw py::index_error("node " + std::to_string(place) + " of " + std::to_string(size));
  }
  return {self.source, static_cast<NodeId>(id)};
}

Nodes all_nodes(const GraphHandle& self) {
  Nodes nodes;
  for (NodeId id = 0; id < self.graph().size(); ++id) {
    nodes.push_back({self.source, id});
  }
  return nodes;
}

std::map<std::string, std::pair<std::vector<std::string>, std::vector<std::string>>> operator_rows() {
  std::map<std::string, std::pair<std::vector<std::string>, std::vector<std::string>>> rows;
  for (const Operator& op : operators()) {
    auto& [inputs, attributes] = rows[op.name];
    inputs = op.inputs;
    if (op.is_variadic) {
      inputs.back() += "...";
    }
    for (const AttributeSpec& spec : op.attributes) {
      attributes.push_back(spec.name);
    }
  }
  return rows;
}

void bind_node(py::module_& module) {
  py::class_<Quantization>(module, "Quantization", "How integers stand for real numbers: (q - zero_point) * scale.")
      .def_property_readonly("dtype", [](const Quantization& self) { return std::string(to_text(self.element)); })
      .def_readonly("scales", &Quantization::scales, "One, or one for each index of the axis.")
      .def_readonly("zero_points", &Quantization::zero_points, "As many as scales.")
      .def_readonly("axis", &Quantization::axis, "Of the tensor; 0 where there is one scale.");
  py::class_<NodeHandle>(module, "Node", "A node of a graph, and the value that it makes.")
      .def_readonly("id", &NodeHandle::id, "Place in the graph.")
      .def_property_readonly("kind", kind_of, "input, constant, call, composite or region.")
      .def_property_readonly("op", [](const NodeHandle& self) { return std::string(operation_of(self.node())); })
      .def_property_readonly("origin", [](const NodeHandle& self) { return self.node().origin; })
      .def_property_readonly("inputs", [](const NodeHandle& self) { return nodes_of(self.source, self.node().inputs); })
      .def_property_readonly("users", users_of, "Nodes that read it, each once for each time that it is read.")
      .def_property_readonly("attributes", [](const NodeHandle& self) { return self.node().attributes; })
      .def_property_readonly("shape",
                             [](const NodeHandle& self) { return py::tuple(py::cast(self.node().type.shape)); })
      .def_property_readonly("dtype",
                             [](const NodeHandle& self) { return std::string(to_text(self.node().type.element)); })
      .def_property_readonly("value", value_of,
                             "A constant's own memory as an array that can't be written; None of other nodes.")
      .def_property_readonly("quantization", quantization_of,
                             "Of qnn.quantize and qnn.dequantize with constant parameters; else None.")
      .def_property_readonly("body", body_of, "The graph inside a composite or a region; None of other nodes.")
      .def_property_readonly("target", field_of<&Function::target>, "Where a composite or region runs.")
      .def_property_readonly("reason", field_of<&Function::reason>, "Why a composite is not on the accelerator.")
      .def_property_readonly("note", field_of<&Function::note>, "Which of your fusions were left out of it, and why.")
      .def_property_readonly("layer", field_of<&Function::layer>, "Name of the layer that a composite is.")
      .def_property_readonly("region", field_of<&Function::region>, "Name of the region that a composite is part of.")
      .def(
          "__eq__", [](const NodeHandle& self, const NodeHandle& other) { return self == other; }, py::is_operator())
      .def("__hash__", [](const NodeHandle& self) { return std::hash<const void*>()(self.source.get()) + self.id; })
      .def("__repr__", text_of);
}

}  // namespace

Attribute attribute_of(const std::string& place, AttributeKind kind, const py::handle& value) {
  try {
    switch (kind) {
      case AttributeKind::kInt:
        return value.cast<int64_t>();
      case AttributeKind::kFloat:
        return value.cast<double>();
      case AttributeKind::kInts:
        return value.cast<std::vector<int64_t>>();
      case AttributeKind::kText:
        return value.cast<std::string>();
    }
  } catch (const py::cast_error&) {
  }
  const char* const kinds[] = {"an integer", "a number", "a list of integers", "a text"};
  throw UsageError(place + "=" + py::repr(value).cast<std::string>() + ": give " +
                   kinds[static_cast<std::size_t>(kind)]);
}

const Operator& operator_of(const std::string& name) {
  const Operator* op = find_operator(name);
  if (op == nullptr) {
    std::vector<std::string> names;
    for (const Operator& each : operators()) {
      names.push_back(each.name);
    }
    throw UsageError("op=" + name + ": there is no such operator; fovea.ir.operators lists them" +
                     did_you_mean(name, names));
  }
  return *op;
}

void bind_ir(py::module_& module) {
  bind_node(module);
  py::class_<GraphHandle>(module, "Graph", "A graph of the IR. It never changes.")
      .def("__len__", [](const GraphHandle& self) { return self.graph().size(); })
      .def("__getitem__", node_at, py::arg("place"))
      .def("__iter__", [](const GraphHandle& self) { return py::iter(py::cast(all_nodes(self))); })
      .def(
          "__eq__",
          [](const GraphHandle& self, const GraphHandle& other) { return is_same_graph(self.graph(), other.graph()); },
          py::is_operator())
      .def_property_readonly("inputs",
                             [](const GraphHandle& self) { return nodes_of(self.source, self.graph().inputs()); })
      .def_property_readonly("outputs",
                             [](const GraphHandle& self) { return nodes_of(self.source, self.graph().outputs()); })
      .def_property_readonly("output_names", [](const GraphHandle& self) { return self.graph().output_names(); })
      .def_property_readonly("text", [](const GraphHandle& self) { return print_graph(self.graph()); })
      .def("verify", [](const GraphHandle& self) { refuse_broken(self.graph(), "in the graph"); })
      .def("rewrite", rewrite, py::arg("rewriter"),
           "Another graph, where rewriter(builder, node, inputs) returns the node that replaces one, or None.")
      .def("run", run_graph,
           "Computes the graph for arrays, one an input, slowly and plainly. Returns arrays, one an output.")
      .def(
          "save", [](const GraphHandle& self, const fs::path& path) { write_graph_file(self.graph(), path); },
          py::arg("path"))
      .def("kept", kept, "Saves the graph in the cache, once. Returns the path.")
      .def("__str__", [](const GraphHandle& self) { return print_graph(self.graph(), kShownElements); })
      .def("__repr__",
           [](const GraphHandle& self) {
             return "<Graph: " + std::to_string(self.graph().size()) + " nodes, " +
                    std::to_string(self.graph().inputs().size()) + " inputs, " +
                    std::to_string(self.graph().outputs().size()) + " outputs>";
           })
      .def("_repr_svg_", svg_of)
      .def(py::pickle([](const GraphHandle& self) { return print_graph(self.graph()); },
                      [](const std::string& text) { return GraphHandle(parse_graph(text, "pickle")); }));
  py::class_<BuilderHandle>(module, "Builder", "Makes a graph, node by node.")
      .def(py::init([] {
        BuilderHandle builder;
        builder.source->own.emplace();
        return builder;
      }))
      .def(
          "input",
          [](const BuilderHandle& self, const std::string& name, const Shape& shape, const std::string& dtype) {
            return NodeHandle{self.source, self.builder().input(name, type_of(shape, dtype))};
          },
          py::arg("name"), py::arg("shape"), py::arg("dtype") = "float32")
      .def(
          "constant",
          [](const BuilderHandle& self, const py::object& value, const std::string& origin) {
            return NodeHandle{self.source, self.builder().constant(tensor_of(value), origin)};
          },
          py::arg("value"), py::arg("origin") = "")
      .def("call", call, "Adds a call of an operator, by its inputs and attributes. Arrays become constants.")
      .def("copy", copy, py::arg("node"), py::arg("inputs") = py::none(),
           "Adds a copy of a node of any graph that reads these inputs.")
      .def("finish", finish, py::arg("outputs"), py::arg("names") = std::vector<std::string>(),
           "Ends the graph, and returns it.");
  module.def("load_graph", load, py::arg("path"), py::arg("shapes"), py::arg("batch"), py::arg("exact_to_ort"),
             py::arg("externs"), py::arg("operators"));
  module.def(
      "parse_graph",
      [](const std::string& text, const std::string& name, const std::string& folder,
         const std::vector<OwnOperator>& operators) {
        const py::gil_scoped_release unlocked;
        return GraphHandle(parse_graph(text, name, folder, operators));
      },
      py::arg("text"), py::arg("name"), py::arg("folder"), py::arg("operators"));
  module.attr("operators") = operator_rows();
}

}  // namespace fovea
