// SPDX-License-Identifier: Apache-2.0
/// \file
/// Two runs beside each other, layer by layer.
#include <pybind11/stl.h>

#include <sstream>
#include <string>
#include <vector>

#include "bindings.h"
#include "compare/comparison.h"
#include "compare/explanation.h"
#include "compare/layer_dump_reader.h"
#include "compare/print_comparison.h"
#include "compare/run_side.h"

namespace py = pybind11;

namespace fovea {
namespace {

using namespace py::literals;

/// A compiled network, which runs, or a folder of layers.
struct SideToCompare {
  std::string folder, label, backend, machine, input;
};

Side read_side(const SideToCompare& side) {
  return side.backend.empty() ? read_layer_dump(side.folder, side.label)
                              : run_side(side.folder, side.label, {side.backend, side.machine, side.input});
}

py::dict compare_two(const SideToCompare& first, const SideToCompare& second, double tolerance) {
  Comparison comparison;
  std::ostringstream text;
  py::list rows;
  std::vector<std::pair<std::string, std::string>> names;
  {
    const py::gil_scoped_release unlocked;
    const Side a = read_side(first), b = read_side(second);
    comparison = compare_sides(a, b, tolerance);
    print_layers(a, b, comparison, text);
    if (comparison.first) {
      print_explanation(explain(a, b, comparison, *comparison.first), text);
    }
    for (const ComparedLayer& layer : comparison.layers) {
      names.emplace_back(a.values[layer.a].name, b.values[layer.b].name);
    }
  }
  for (std::size_t i = 0; i < comparison.layers.size(); ++i) {
    const Difference& difference = comparison.layers[i].difference;
    rows.append(py::dict("layer"_a = names[i].first, "in_b"_a = names[i].second, "elements"_a = difference.elements,
                         "equal"_a = difference.equal, "largest"_a = difference.largest, "mean"_a = difference.mean,
                         "sqnr_db"_a = difference.noise_ratio, "is_equal"_a = difference.is_none()));
  }
  return py::dict("layers"_a = rows, "first"_a = comparison.first, "only_a"_a = comparison.only_a,
                  "only_b"_a = comparison.only_b, "text"_a = text.str());
}

}  // namespace

void bind_compare(py::module_& module) {
  py::class_<SideToCompare>(module, "Side")
      .def(py::init([](const std::string& folder, const std::string& label, const std::string& backend,
                       const std::string& machine, const std::string& input) {
             return SideToCompare{folder, label, backend, machine, input};
           }),
           py::arg("folder"), py::arg("label"), py::arg("backend"), py::arg("machine"), py::arg("input"));
  module.def("compare", compare_two, py::arg("a"), py::arg("b"), py::arg("tolerance"));
}

}  // namespace fovea
