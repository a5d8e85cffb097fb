// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compiled networks that are open, and their runs.
#include "session/session.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <chrono>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings.h"
#include "progress.h"
#include "spec/dla_regs.h"
#include "spec/machine_json.h"
#include "store/device_library.h"
#include "target_layer.h"

namespace py = pybind11;

namespace fovea {
namespace {

using Array = py::array_t<float, py::array::c_style>;

/// What a run says of the device's layers, made into cells when they are asked for.
struct DeviceLayers {
  RunInfo run;
  std::vector<LayerInfo> layers;
  std::vector<TargetRun> targets;

  /// (layer, target, cycles) of layers on a user's targets.
  std::vector<std::tuple<std::string, std::string, std::uint64_t>> target_rows() const {
    std::vector<std::tuple<std::string, std::string, std::uint64_t>> rows;
    for (const TargetRun& layer : targets) {
      rows.emplace_back(layer.name, layer.target, layer.cycles);
    }
    return rows;
  }

  /// Columns of dla_info.csv, a row a layer.
  std::vector<std::vector<std::pair<std::string_view, std::string>>> cells() const {
    std::vector<std::vector<std::pair<std::string_view, std::string>>> rows;
    for (const LayerInfo& layer : layers) {
      rows.push_back(dla_info_cells(run, layer));
    }
    return rows;
  }

  std::uint64_t cycles() const {
    std::uint64_t sum = 0;
    for (const LayerInfo& layer : layers) {
      sum += layer.counters.cycles;
    }
    return sum;
  }

  std::vector<std::uint32_t> lists() const {
    std::vector<std::uint32_t> numbers;
    for (const LayerInfo& layer : layers) {
      numbers.push_back(layer.list);
    }
    return numbers;
  }
};

/// Whether what a DRAM does depends on what it did before: on the rows that are open, on the seed's next gap.
bool remembers(const MachineFile& machine, const std::string& memory) {
  const DramPreset& preset = memory_of(machine, memory);
  return preset.rows.banks != 0 || preset.gap_seed != 0;
}

/// Sets what is written of a device, by the names that Traces.as_dict() gives.
void set_traces(const py::dict& traces, BackendOptions& device) {
  const auto text = [&](const char* name) { return traces.contains(name) ? traces[name].cast<std::string>() : ""; };
  const auto number = [&](const char* name) { return traces.contains(name) ? traces[name].cast<uint64_t>() : 0; };
  device.timeline = text("trace");
  device.transactions = {text("transactions"), text("transactions_layer")};
  device.waves = {text("waves"), text("waves_layer"), number("waves_first_cycle"), number("waves_cycles"),
                  text("waves_trigger")};
}

/// A session that Python can interrupt.
class PythonSession {
 public:
  /// \param machine_file  Of `machine`, for a backend whose library has to be built for it first. \param say  Told so.
  /// \param traces        What is written of it (set_traces()).
  PythonSession(const std::string& folder, const std::string& backend, const std::optional<MachineFile>& machine,
                const std::string& machine_file, const std::string& memory, bool lists, bool checked,
                const py::dict& traces, const py::object& say) {
    SessionOptions options;
    options.backend = backend;
    options.lists = lists;
    if (machine) {
      options.device.machine = *machine;
    }
    options.device.dram = memory;
    options.device.checked = checked;
    set_traces(traces, options.device);
    options.device.on_progress = [this](uint64_t cycles) { cycles_ = cycles; };
    options.device.is_stopped = [this] { return is_stopped(); };
    const py::gil_scoped_release unlocked;
    if (backend != "cpu") {
      const auto tell = [&](const std::string& text) { tell_python(say, text); };
      options.device.library_dir = device_library_folder(backend, machine_file, options.device, tell);
    }
    session_.emplace(folder, options);
  }

  static std::vector<std::pair<std::string, std::vector<uint32_t>>> ports(const std::vector<Port>& ports) {
    std::vector<std::pair<std::string, std::vector<uint32_t>>> named;
    for (const Port& port : ports) {
      named.emplace_back(port.name, port.shape);
    }
    return named;
  }
  const Session& session() const { return *session_; }

  /// What computes layers of targets that are written in Python: of each layer's name what it is, and a function of
  /// its inputs.
  void compute_with(const py::dict& functions) {
    computed_ = functions;
    const auto compute_layer = [](void* self, const dla_target_call* call) {
      return static_cast<PythonSession*>(self)->compute(*call);
    };
    session_->compute_with(functions.empty() ? dla_target_functions{} : dla_target_functions{this, compute_layer});
  }

  /// Completes the traces.
  void finish() {
    const py::gil_scoped_release unlocked;
    session_->finish();
  }

  /// Reads the inputs where they lie, and gives new arrays. \pre They are of the network's shapes.
  py::tuple run(const std::vector<Array>& inputs, const py::object& progress) {
    std::vector<Array> outputs;
    std::vector<const float*> from;
    std::vector<float*> to;
    for (const Array& input : inputs) {
      from.push_back(input.data());
    }
    for (const Port& port : session_->outputs()) {
      to.push_back(outputs.emplace_back(std::vector<py::ssize_t>(port.shape.begin(), port.shape.end())).mutable_data());
    }
    progress_ = progress;
    raised_ = nullptr;
    first_cycle_ = cycles_;
    asked_ = Clock::now();
    try {
      const py::gil_scoped_release unlocked;
      session_->run(from.data(), to.data());
    } catch (const RunError&) {
      progress_ = py::none();
      if (raised_) {  // The layer failed because it was stopped.
        std::rethrow_exception(std::exchange(raised_, nullptr));
      }
      throw;
    }
    progress_ = py::none();
    return py::make_tuple(outputs, DeviceLayers{session_->run_info(), session_->layers(), session_->target_layers()});
  }

 private:
  using Clock = std::chrono::steady_clock;

  /// Asks Python now and then. Called below C code, which no exception may pass.
  bool is_stopped() {
    const Clock::time_point now = Clock::now();
    if (raised_ || now - asked_ < std::chrono::milliseconds(50)) {
      return raised_ != nullptr;
    }
    asked_ = now;
    const py::gil_scoped_acquire lock;
    try {
      tell_python(progress_, cycles_ - first_cycle_);
    } catch (const py::error_already_set&) {
      raised_ = std::current_exception();
    }
    return raised_ != nullptr;
  }

  /// Called below C code, which no exception may pass.
  dla_status_t compute(const dla_target_call& call) {
    const py::gil_scoped_acquire lock;
    try {
      const auto [handle, function] = computed_[call.layer].cast<std::pair<py::object, py::function>>();
      const Layer& layer = handle.cast<const TargetLayer&>().layer;
      py::tuple inputs(layer.input_types.size());
      for (std::size_t i = 0; i < layer.input_types.size(); ++i) {
        const TensorType& type = layer.input_types[i];
        const py::capsule nobody(call.inputs[i], [](void*) {});  // The memory outlives the call.
        py::array array(py::dtype(std::string(to_text(type.element))), type.shape, call.inputs[i], nobody);
        array.attr("setflags")(py::arg("write") = false);
        inputs[i] = std::move(array);
      }
      const auto output = function(inputs).cast<py::array>();
      std::memcpy(call.output, output.data(), static_cast<std::size_t>(size_bytes(layer.output_type)));
      return kDlaOk;
    } catch (...) {
      raised_ = std::current_exception();
      return kDlaNoTarget;
    }
  }

  std::optional<Session> session_;
  py::dict computed_;
  py::object progress_ = py::none();
  std::exception_ptr raised_;
  uint64_t cycles_ = 0, first_cycle_ = 0;
  Clock::time_point asked_;
};

}  // namespace

void bind_session(py::module_& module) {
#define FOVEA_NAME(name, in_python) in_python,
  module.attr("layer_columns") = std::vector<std::string>{DLA_FOR_EACH_CSV_COLUMN(FOVEA_NAME)};
#undef FOVEA_NAME
  module.def("remembers", remembers, py::arg("machine"), py::arg("memory"));
  py::class_<DeviceLayers>(module, "DeviceLayers")
      .def("cells", &DeviceLayers::cells)
      .def("lists", &DeviceLayers::lists)
      .def("target_rows", &DeviceLayers::target_rows)
      .def_property_readonly("cycles", &DeviceLayers::cycles)
      .def("__len__", [](const DeviceLayers& layers) { return layers.layers.size(); });
  py::class_<PythonSession>(module, "Session")
      .def(py::init<const std::string&, const std::string&, const std::optional<MachineFile>&, const std::string&,
                    const std::string&, bool, bool, const py::dict&, const py::object&>(),
           py::arg("folder"), py::kw_only(), py::arg("backend"), py::arg("machine"), py::arg("machine_file"),
           py::arg("memory"), py::arg("lists"), py::arg("checked"), py::arg("traces"), py::arg("say"))
      .def("inputs", [](const PythonSession& self) { return PythonSession::ports(self.session().inputs()); })
      .def("outputs", [](const PythonSession& self) { return PythonSession::ports(self.session().outputs()); })
      .def("compute_with", &PythonSession::compute_with, py::arg("functions"))
      .def("finish", &PythonSession::finish)
      .def("run", &PythonSession::run, py::arg("inputs"), py::arg("progress"));
}

}  // namespace fovea
