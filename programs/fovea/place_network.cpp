// SPDX-License-Identifier: Apache-2.0
/// \file
/// From what is typed of a network to a folder and a device.
#include "place_network.h"

#include <algorithm>

#include "common/backend.h"
#include "common/join_names.h"
#include "store/compiled_network.h"
#include "store/device_library.h"
#include "subcommand.h"
#include "tensor/error.h"

namespace fovea {
namespace {

void check_backend(const std::string& name) {
  std::vector<std::string> names = backend_names();
  names.emplace_back("cpu");
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    throw UsageError("backend " + name + ": unknown; " + join_names(names, " or ") + " work");
  }
}

}  // namespace

PlacedNetwork place_network(NetworkRequest network, const std::string& backend) {
  check_backend(backend);
  if (!std::filesystem::exists(network.model)) {
    user_error(network.model.string() + ": no such file or folder");
  }
  PlacedNetwork placed{network.model, {}};
  if (!std::filesystem::is_directory(network.model)) {
    network.placement.target = backend == "cpu" ? "cpu" : "dla";
    placed.folder = compiled_network(network, say_line);
  }
  placed.place.backend = backend;
  if (backend != "cpu") {
    BackendOptions& device = placed.place.device;
    device.machine = read_machine(network.placement.machine);
    device.library_dir = device_library_folder(backend, network.placement.machine, device, say_line);
  }
  return placed;
}

}  // namespace fovea
