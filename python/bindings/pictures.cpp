// SPDX-License-Identifier: Apache-2.0
/// \file
/// Pictures as networks take them, and what their outputs are called: as test_dla does both.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bindings.h"
#include "dataset/labels.h"
#include "dataset/pictures.h"
#include "program/answer.h"

namespace py = pybind11;

namespace fovea {
namespace {

py::array_t<float> picture(const std::string& path, std::uint32_t height, std::uint32_t width, const Labels& labels) {
  std::vector<float> planes;
  {
    const py::gil_scoped_release unlocked;
    planes = normalize(stretch_picture(read_picture(path), {height, width}).planes, 3, labels);
  }
  py::array_t<float> array({std::size_t{3}, std::size_t{height}, std::size_t{width}});
  std::copy(planes.begin(), planes.end(), array.mutable_data());
  return array;
}

std::vector<double> softmax_of(const py::array_t<float, py::array::c_style | py::array::forcecast>& logits) {
  return softmax({logits.data(), static_cast<std::size_t>(logits.size())});
}

}  // namespace

void bind_pictures(py::module_& module) {
  py::class_<Labels>(module, "Labels")
      .def(py::init([](const std::string& model, std::size_t outputs) { return read_labels(model, outputs); }),
           py::arg("model"), py::arg("outputs"))
      .def_readonly("names", &Labels::names)
      .def_readonly("mean", &Labels::mean)
      .def_readonly("deviation", &Labels::deviation);
  module.def("picture", picture, py::arg("path"), py::arg("height"), py::arg("width"), py::arg("labels"));
  module.def("softmax", softmax_of, py::arg("logits"));
}

}  // namespace fovea
