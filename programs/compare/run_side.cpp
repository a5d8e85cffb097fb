// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs a network under an observer.
#include "run_side.h"

#include <algorithm>
#include <exception>
#include <map>

#include "common/backend.h"
#include "files/file_tree.h"
#include "network_notes.h"
#include "program/host_memory.h"
#include "program/input_file.h"
#include "program/network.h"
#include "program/port_files.h"
#include "session/session.h"
#include "tensor/error.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

/// Keeps the tensors of a run. Called from C, so a failure waits until the run is over.
class Recorder {
 public:
  explicit Recorder(Side& side) : side_(side) {
    for (const Layer& layer : side.network->network.layers) {
      layers_.emplace(layer.name, layers_.size());
    }
  }

  static void on_tensor(void* recorder, const dla_tensor* tensor) {
    auto* self = static_cast<Recorder*>(recorder);
    try {
      self->keep(*tensor);
    } catch (...) {
      self->failure_ = std::current_exception();
    }
  }

  void finish() const {
    if (failure_) {
      std::rethrow_exception(failure_);
    }
  }

 private:
  /// What is no layer's name, or of another size, is a step within one; of several the last is the output.
  void keep(const dla_tensor& tensor) {
    const auto layer = layers_.find(tensor.name);
    if (layer == layers_.end()) {
      return;
    }
    // The accelerator may compute rows and columns as one row: the shape is the network's.
    const TensorType& type = side_.network->network.layers[layer->second].output_type;
    Tensor values({without_batch(type.shape), type.element});
    if (values.bytes().size() != tensor.bytes) {
      return;
    }
    std::ranges::copy(bytes_of(tensor), values.bytes().begin());
    std::erase_if(side_.values, [&](const LayerValue& value) { return value.layer == layer->second; });
    side_.values.push_back({tensor.name, side_.network->layers.at(layer->second), std::move(values), layer->second});
  }

  Side& side_;
  std::map<std::string, std::size_t> layers_;
  std::exception_ptr failure_;
};

Tensors read_inputs(Side& side, const LoadedNetwork& network, const std::string& text) {
  if (text.empty()) {
    user_error(side.label + ": no input to run this network on; give --input " +
               (network.inputs().size() == 1 ? "FILE" : form_of_port_files(network.inputs())));
  }
  Tensors numbers;
  const std::vector<fs::path> files = read_port_files("--input", text, network.inputs());
  for (std::size_t i = 0; i < files.size(); ++i) {
    const Port& port = network.inputs()[i];
    numbers.push_back(read_port(files[i], port, "the network's input " + port.name));
    side.inputs.push_back(Tensor::of<float>({port.shape.begin(), port.shape.end()}, numbers.back()));
  }
  return numbers;
}

void run(const CompiledNetwork& compiled, const dla_hal_t& hal, const std::string& input, Side& side) {
  LoadedNetwork network(compiled, hal);
  const Tensors numbers = read_inputs(side, network, input);
  Recorder recorder(side);
  network.observe({&recorder, nullptr, Recorder::on_tensor});
  network.run(numbers);
  recorder.finish();
}

void run_on_host(const CompiledNetwork& compiled, const std::string& input, Side& side) {
  const HostMemory memory(compiled.memory_bytes());
  run(compiled, memory.hal(), input, side);
}

void run_on_device(const CompiledNetwork& compiled, const RunPlace& place, Side& side) {
  BackendOptions options;
  options.machine = read_machine(place.machine.empty() ? machine_file(compiled.model().machine) : place.machine);
  check_machine(compiled, options.machine.name);
  options.memory_bytes = compiled.memory_bytes();
  options.library_dir = place.library_dir;
  const std::unique_ptr<Backend> backend = open_backend(place.backend, options);
  run(compiled, backend->hal(), place.input, side);
  backend->finish();
}

}  // namespace

Side run_side(const fs::path& folder, const std::string& label, const RunPlace& place) {
  const CompiledNetwork compiled(folder);
  const bool is_for_device = std::string_view(compiled.model().target) == "dla";
  if (is_for_device && place.backend == "cpu") {
    user_error(label + ": compiled for the accelerator; name a simulator, or compile it for the CPU");
  }
  auto notes = std::make_shared<NetworkNotes>(read_network_notes(folder, compiled.model().name));
  notes->rounding = compiled.model().rounding;
  Side side;
  side.label = label;
  side.network = notes;
  if (is_for_device) {
    run_on_device(compiled, place, side);
  } else {
    run_on_host(compiled, place.input, side);
  }
  return side;
}

}  // namespace fovea
