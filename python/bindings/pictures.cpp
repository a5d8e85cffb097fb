// SPDX-License-Identifier: Apache-2.0
/// \file
/// Pictures as networks take them, and what their outputs are called: as test_dla does both.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
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

using Pixels = py::array_t<std::uint8_t, py::array::c_style | py::array::forcecast>;

/// \param shape  Of the input, without the batch. \throws UserError where it is no picture's.
py::array_t<float> to_input(const Picture& picture, const std::vector<std::uint32_t>& shape, PictureSize size,
                            const Labels& labels) {
  std::vector<float> numbers;
  {
    const py::gil_scoped_release unlocked;
    numbers = picture_input(stretch_picture(picture, size).planes, shape, labels);
  }
  py::array_t<float> array(std::vector<std::size_t>(shape.begin(), shape.end()));
  std::copy(numbers.begin(), numbers.end(), array.mutable_data());
  return array;
}

PictureSize size_of_input(const std::string& picture, const std::vector<std::uint32_t>& shape) {
  const std::optional<PictureForm> form = picture_form(shape);
  if (!form) {
    user_error(picture + ": the network does not take pictures of one or three channels; give it an array");
  }
  return form->size;
}

py::array_t<float> picture_of_file(const std::string& path, const std::vector<std::uint32_t>& shape,
                                   const Labels& labels) {
  const PictureSize size = size_of_input(path, shape);
  Picture picture;
  {
    const py::gil_scoped_release unlocked;
    picture = read_picture(path);
  }
  return to_input(picture, shape, size, labels);
}

/// \param pixels  [3, H, W]. \param name  What errors call them. \throws UserError where H or W is 0.
py::array_t<float> picture_of_pixels(const Pixels& pixels, const std::string& name,
                                     const std::vector<std::uint32_t>& shape, const Labels& labels) {
  const PictureSize size = size_of_input(name, shape);
  if (pixels.ndim() != 3 || pixels.shape(0) != 3 || pixels.size() == 0) {
    user_error(name + ": a picture without pixels; at least one row and one column work");
  }
  Picture picture{{static_cast<std::uint32_t>(pixels.shape(1)), static_cast<std::uint32_t>(pixels.shape(2))}, {}};
  std::transform(pixels.data(), pixels.data() + pixels.size(), std::back_inserter(picture.planes),
                 [](std::uint8_t pixel) { return static_cast<float>(pixel) / 255; });
  return to_input(picture, shape, size, labels);
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
  module.def("picture_of_file", picture_of_file, py::arg("path"), py::arg("shape"), py::arg("labels"));
  module.def("picture_of_pixels", picture_of_pixels, py::arg("pixels"), py::arg("name"), py::arg("shape"),
             py::arg("labels"));
  module.def("takes_pictures", [](const std::vector<std::uint32_t>& shape) { return picture_form(shape).has_value(); });
  module.def("softmax", softmax_of, py::arg("logits"));
}

}  // namespace fovea
