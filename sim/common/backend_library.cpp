// SPDX-License-Identifier: Apache-2.0
/// \file
/// A device as a shared library: its name, its one entry, and how it is found and loaded.
#include "backend_library.h"

#include <dlfcn.h>

#include "files/file_tree.h"

namespace fovea {

namespace {

/// What brings the library of CMake's `target` up to date.
std::string advice(const std::string& target) {
  return file_tree().checkout.empty() ? "install Fovea again"
                                      : "build it with: cmake --build <build folder> --target " + target;
}

/// \throws BackendError unless the library was built for what this program opens it with.
void check_version(void* handle, const std::filesystem::path& library, const std::string& target) {
  const auto* version = static_cast<const uint32_t*>(dlsym(handle, "fovea_backend_version"));
  if (version == nullptr || *version != DLA_BACKEND_VERSION) {
    throw BackendError(library.string() + " is of " +
                       (version == nullptr ? "no version" : "version " + std::to_string(*version)) +
                       " of the backends, and this program takes version " + std::to_string(DLA_BACKEND_VERSION) +
                       "; " + advice(target));
  }
}

/// The entry of a loaded library. Never unloaded: its backends may live as long as the process.
BackendOpenFunction* load_entry(const std::filesystem::path& library, const std::string& target,
                                const std::string& symbol) {
  if (!std::filesystem::exists(library)) {
    throw BackendError(library.string() + " is missing; " + advice(target));
  }
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    throw BackendError(library.string() + " cannot be loaded: " + dlerror());
  }
  check_version(handle, library, target);
  void* entry = dlsym(handle, symbol.c_str());
  if (entry == nullptr) {
    throw BackendError(library.string() + " has no function " + symbol + "; " + advice(target));
  }
  return reinterpret_cast<BackendOpenFunction*>(entry);
}

/// Opens the library that CMake's `target` builds.
std::unique_ptr<Backend> open_target(const std::string& backend, const std::string& target,
                                     const BackendOptions& options) {
  const std::filesystem::path folder = options.library_dir.empty() ? file_tree().libraries : options.library_dir;
  const auto entry = load_entry(folder / ("lib" + target + ".so"), target, "fovea_" + backend + "_open");
  return std::unique_ptr<Backend>(entry(options));
}

}  // namespace

std::string library_variant(const BackendOptions& options) {
  const std::filesystem::path& waves = options.waves.path;
  if (waves.empty()) {
    return options.checked ? "_checked" : "";
  }
  if (options.checked) {
    throw BackendError(waves.string() + ": waves are dumped without assertions; choose one");
  }
  return "_" + waves.extension().string().substr(1);
}

std::unique_ptr<Backend> open_machine_library(const std::string& backend, const BackendOptions& options) {
  return open_target(backend, "fovea_" + backend + "_" + options.machine.name + library_variant(options), options);
}

std::unique_ptr<Backend> open_common_library(const std::string& backend, const BackendOptions& options) {
  return open_target(backend, "fovea_" + backend, options);
}

}  // namespace fovea
