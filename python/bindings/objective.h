// SPDX-License-Identifier: Apache-2.0
/// \file
/// The objectives of the mapping search by their names.
#ifndef FOVEA_PYTHON_BINDINGS_OBJECTIVE_H_
#define FOVEA_PYTHON_BINDINGS_OBJECTIVE_H_

#include <pybind11/pybind11.h>

#include <string>

#include "mapping/objective.h"

namespace fovea {

/// \throws pybind11::value_error where there is none; Python has checked that before.
inline Objective objective_of(const std::string& name) {
  for (const Objective each : kObjectives) {
    if (to_text(each) == name) {
      return each;
    }
  }
  throw pybind11::value_error(name);
}

}  // namespace fovea

#endif  // FOVEA_PYTHON_BINDINGS_OBJECTIVE_H_
