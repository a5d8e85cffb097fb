// SPDX-License-Identifier: Apache-2.0
/// \file
/// Pictures as networks take them, and what their outputs are called: as test_dla does both.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "bindings.h"
#include "dataset/labels.h"
#include "dataset/picture_input.h"
#include "dataset/pictures.h"
#include "program/answer.h"
#include "tensor/error.h"

namespace py = pybind11;

namespace fovea {
namespace {

/// \param shape  Of the input, without the batch. \throws UserError where it is no picture's.
py::array_t<float> picture(const std::string& path, const std::vector<std::uint32_t>& shape, const Labels& labels) {
  const std::optional<PictureForm> form = picture_form(shape);
  if (!form) {
    user_error(path + ": the network does not take pictures of one or three channels; give it an array");
  }
  std::vector<float> numbers;
  {
    const py::gil_scoped_release unlocked;
    numbers = picture_input(stretch_picture(read_picture(path), form->size).planes, shape, labels);
  }
  py::array_t<float> array(std::vector<std::size_t>(shape.begin(), shape.end()));
  std::copy(numbers.begin(), numbers.end(), array.mutable_data());
  return array;
}

std::vector<double> softmax_of(const py::array_t<float, py::array::c_style | py::array::forcecast>& logits) {
  return probabilities({logits.data(), static_cast<std::size_t>(logits.size())});
}

}  // namespace

void bind_pictures(py::module_& module) {
  py::class_<Labels>(module, "Labels")
      .def(py::init([](const std::string& model, std::size_t outputs) { return read_labels(model, outputs); }),
           py::arg("model"), py::arg("outputs"))
      .def_readonly("names", &Labels::names)
      .def_readonly("mean", &Labels::mean)
      .def_readonly("deviation", &Labels::deviation);
  module.def("picture", picture, py::arg("path"), py::arg("shape"), py::arg("labels"));
  module.def("softmax", softmax_of, py::arg("logits"));
}

}  // namespace fovea
