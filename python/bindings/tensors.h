// SPDX-License-Identifier: Apache-2.0
/// \file
/// Tensors as numpy's arrays.
#pragma once

#include <pybind11/numpy.h>

#include <memory>
#include <string>

#include "tensor/error.h"
#include "tensor/tensor.h"

namespace fovea {

/// The tensor's own memory, which the array keeps alive and nobody can write.
pybind11::array array_of(const std::shared_ptr<const Tensor>& tensor);

/// A copy of an array. \throws UsageError, beginning with `place`, for elements that no tensor has.
Tensor tensor_of(const pybind11::handle& value, const std::string& place = "constant");

/// The type of that shape. \throws UsageError where there are no such elements, UserError where no tensor is so large.
TensorType type_of(const Shape& shape, const std::string& dtype);

}  // namespace fovea
