// SPDX-License-Identifier: Apache-2.0
/// \file
/// The parts of the module _fovea, a file each. They are thin: what a person sees of them is python/fovea.
#pragma once

#include <pybind11/pybind11.h>

namespace fovea {

/// What a part throws becomes an exception of fovea.errors.
void bind_errors();

void bind_accuracy(pybind11::module_& module);
void bind_compile(pybind11::module_& module);
void bind_explore(pybind11::module_& module);
void bind_ir(pybind11::module_& module);
void bind_loops(pybind11::module_& module);
void bind_machine(pybind11::module_& module);
void bind_passes(pybind11::module_& module);
void bind_patterns(pybind11::module_& module);
void bind_operators(pybind11::module_& module);
void bind_mapping(pybind11::module_& module);
void bind_pictures(pybind11::module_& module);
void bind_results(pybind11::module_& module);
void bind_session(pybind11::module_& module);
void bind_quantize(pybind11::module_& module);
void bind_targets(pybind11::module_& module);
void bind_compare(pybind11::module_& module);

}  // namespace fovea
