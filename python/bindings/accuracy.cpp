// SPDX-License-Identifier: Apache-2.0
/// \file
/// What networks know of pictures whose class is known.
#include "accuracy/accuracy.h"

#include <pybind11/stl.h>

#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "bindings.h"
#include "progress.h"
#include "store/device_library.h"

namespace py = pybind11;

namespace fovea {
namespace {

/// A compiled network, and on what it is asked.
struct NetworkToAsk {
  std::string name, folder, backend;
  std::optional<MachineFile> machine;  ///< None for "cpu".
  std::string machine_file;
};

AskedNetwork place(const NetworkToAsk& network) {
  AskedNetwork asked{network.name, network.folder, {}};
  asked.place.backend = network.backend;
  if (network.machine) {
    BackendOptions& device = asked.place.device;
    device.machine = *network.machine;
    device.library_dir = device_library_folder(network.backend, network.machine_file, device, {});
  }
  return asked;
}

/// \param data, pictures, labels, keep  As in AccuracyTask. \return all of it as JSON, and for a person.
std::pair<std::string, std::string> accuracy(const std::vector<NetworkToAsk>& networks, const std::string& model,
                                             const std::string& data, const std::string& pictures,
                                             const std::string& labels, const std::string& keep, unsigned jobs,
                                             std::size_t misses, const py::object& progress) {
  const py::gil_scoped_release unlocked;
  AccuracyTask task{{}, model, data, pictures, labels, {}, keep, jobs};
  for (const NetworkToAsk& network : networks) {
    task.networks.push_back(place(network));
  }
  const Accuracy found =
      measure_accuracy(task, [&](std::size_t done, std::size_t all) { tell_python(progress, done, all); });
  std::ostringstream json, text;
  print_accuracy_json(json, found.pictures, found.labels, found.judged);
  print_accuracy(text, found.pictures, found.labels, found.judged, misses);
  return {json.str(), text.str()};
}

}  // namespace

void bind_accuracy(py::module_& module) {
  py::class_<NetworkToAsk>(module, "NetworkToAsk")
      .def(py::init([](const std::string& name, const std::string& folder, const std::string& backend,
                       const std::optional<MachineFile>& machine, const std::string& machine_file) {
             return NetworkToAsk{name, folder, backend, machine, machine_file};
           }),
           py::arg("name"), py::arg("folder"), py::arg("backend"), py::arg("machine"), py::arg("machine_file"));
  module.def("accuracy", accuracy, py::arg("networks"), py::arg("model"), py::arg("data"), py::arg("pictures"),
             py::arg("labels"), py::arg("keep"), py::arg("jobs"), py::arg("misses"), py::arg("progress"));
}

}  // namespace fovea
