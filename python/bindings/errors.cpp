// SPDX-License-Identifier: Apache-2.0
/// \file
/// C++ exceptions as those of fovea.errors.
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "bindings.h"
#include "common/backend.h"
#include "program/network.h"
#include "results/sqlite_file.h"
#include "spec/json_file.h"
#include "spec/machine_json.h"
#include "tensor/error.h"

namespace py = pybind11;

namespace fovea {
namespace {

template <typename... Arguments>
void raise(const char* name, const Arguments&... arguments) {
  const py::object type = py::module_::import("fovea.errors").attr(name);
  const py::object error = type(arguments...);
  PyErr_SetObject(type.ptr(), error.ptr());
}

void translate(std::exception_ptr thrown) {
  try {
    std::rethrow_exception(std::move(thrown));
  } catch (const StoreError& error) {
    raise("StoreError", error.what());
  } catch (const UserError& error) {
    raise("NetworkError", error.what());
  } catch (const UsageError& error) {
    raise("UsageError", error.what());
  } catch (const MachineError& error) {
    raise("MachineError", error.what());
  } catch (const BackendError& error) {
    raise("BackendError", error.what());
  } catch (const RunError& error) {
    raise("RunError", error.what(), error.layer());
  } catch (const JsonError& error) {
    raise("UsageError", error.what());
  } catch (const nlohmann::json::exception&) {
    raise("UsageError", "a text in JSON has a part that is missing, or of another type");
  } catch (const std::filesystem::filesystem_error& error) {
    raise("Error", failure_text(error));
  }
}

}  // namespace

void bind_errors() { py::register_exception_translator(translate); }

}  // namespace fovea
