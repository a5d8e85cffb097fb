// SPDX-License-Identifier: Apache-2.0
/// \file
/// From what is typed of a network to a folder and a device.
#include "place_network.h"

#include "files/read_file.h"
#include "store/compiled_network.h"
#include "store/device_library.h"
#include "subcommand.h"

namespace fovea {

PlacedNetwork place_network(NetworkRequest network, const std::string& backend) {
  check_exists(network.model);
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
