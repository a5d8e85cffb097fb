// SPDX-License-Identifier: Apache-2.0
/// \file
/// Functions of Python's in the compiler's hands.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

namespace fovea {

/// A function of Python's that the compiler may copy and forget without the interpreter's lock.
inline std::shared_ptr<const pybind11::function> held(const pybind11::function& function) {
  return {new pybind11::function(function), [](const pybind11::function* kept) {
            const pybind11::gil_scoped_acquire lock;
            delete kept;
          }};
}

}  // namespace fovea
