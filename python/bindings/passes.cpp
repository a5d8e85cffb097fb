// SPDX-License-Identifier: Apache-2.0
/// \file
/// Passes of Python among the compiler's, and which of them run.
#include <pybind11/stl.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings.h"
#include "graph_handle.h"
#include "held.h"
#include "passes/pipeline.h"
#include "requests/compile.h"

namespace py = pybind11;

namespace fovea {
namespace {

void add(PassContext& self, const PassInfo& info, const std::string& after, const std::string& place,
         const py::function& function) {
  const auto run = [kept = held(function)](const Graph& graph) {
    const py::gil_scoped_acquire lock;
    return (*kept)(GraphHandle(graph)).cast<const GraphHandle&>().graph();
  };
  self.added.push_back({info, after, place, run});
}

void listen(PassContext& self, const py::function& function) {
  self.on_pass = [kept = held(function)](const PassReport& report) {
    const py::gil_scoped_acquire lock;
    (*kept)(report.pass.name, report.milliseconds, report.nodes_before, report.graph.size(), report.changed,
            GraphHandle(report.graph));
  };
}

void listen_to_fusions(PassContext& self, const py::function& function) {
  self.on_fusion = [kept = held(function)](const FusionReport& report) {
    const py::gil_scoped_acquire lock;
    (*kept)(report.fusion, report.node, report.why);
  };
}

std::vector<std::tuple<std::string, int, bool, std::string>> rows(const PassContext& self) {
  std::vector<std::tuple<std::string, int, bool, std::string>> all;
  for (const PassInfo& pass : list_passes(self)) {
    all.emplace_back(pass.name, pass.level, self.runs(pass), pass.summary);
  }
  return all;
}

GraphHandle run(const PassContext& self, const GraphHandle& graph, const std::string& until, const std::string& target,
                const std::string& machine) {
  const py::gil_scoped_release unlocked;
  NetworkRequest request;
  request.placement.target = target;
  request.placement.machine = machine;
  request.passes = self;
  return GraphHandle(run_passes(request, graph.graph(), until));
}

}  // namespace

void bind_passes(py::module_& module) {
  module.attr("most_pass_level") = int{kMostLevel};
  py::class_<PassContext>(module, "PassContext")
      .def(py::init([](int level, std::vector<std::string> required, std::vector<std::string> disabled) {
             PassContext context;
             context.level = level;
             context.required = std::move(required);
             context.disabled = std::move(disabled);
             return context;
           }),
           py::arg("level"), py::arg("required"), py::arg("disabled"))
      .def(
          "add",
          [](PassContext& self, const std::string& name, const std::string& summary, int level,
             const std::string& after, const std::string& place, const py::function& function) {
            add(self, {name, summary, level}, after, place, function);
          },
          py::arg("name"), py::arg("summary"), py::arg("level"), py::arg("after"), py::arg("place"),
          py::arg("function"))
      .def("listen", listen, py::arg("function"))
      .def("listen_to_fusions", listen_to_fusions, py::arg("function"))
      .def("rows", rows)
      .def("run", run, py::arg("graph"), py::arg("until"), py::arg("target"), py::arg("machine"));
}

}  // namespace fovea
