// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a user says of how a network's file is read.
#pragma once

#include <map>
#include <string>

#include "tensor/tensor.h"

namespace fovea {

struct ImportOptions {
  std::map<std::string, Shape> shapes;  ///< Of inputs by their names: sizes of dimensions that the file leaves open.
};

}  // namespace fovea
