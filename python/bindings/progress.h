// SPDX-License-Identifier: Apache-2.0
/// \file
/// How a long call without the interpreter's lock speaks with Python: progress, and Ctrl-C.
#pragma once

#include <pybind11/pybind11.h>

namespace fovea {

/// Takes the lock, lets Python handle its signals, and calls `progress` with the arguments unless it is None.
/// \throws pybind11::error_already_set where either raises: KeyboardInterrupt after Ctrl-C.
template <typename... Arguments>
void tell_python(const pybind11::object& progress, const Arguments&... arguments) {
  const pybind11::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) {
    throw pybind11::error_already_set();
  }
  if (!progress.is_none()) {
    progress(arguments...);
  }
}

}  // namespace fovea
