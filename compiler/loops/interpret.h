// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs nests.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "nest.h"
#include "tensor/tensor.h"

namespace fovea {

/// Runs a nest statement by statement, as the C made of it computes, bit for bit; loops that are vectors or parallel
/// backwards, as their turns come in any order. For tests and for reading.
/// \param inputs  One tensor for each input buffer, in order, of its shape and element type.
/// \param result  Type of the one output.
/// \param on_unit Called with the name of each unit when its body runs. May be empty.
/// \pre verify_nest() holds. \throws UserError where an integer is divided by 0.
Tensor interpret(const Nest& nest, const std::vector<const Tensor*>& inputs, const TensorType& result,
                 const std::function<void(const std::string&)>& on_unit = {});

}  // namespace fovea
