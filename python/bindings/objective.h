// SPDX-License-Identifier: Apache-2.0
/// \file
/// The objectives of the mapping search by their names.
#pragma once

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
