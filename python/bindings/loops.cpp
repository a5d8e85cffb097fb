// SPDX-License-Identifier: Apache-2.0
/// \file
/// Loops of layers as text and in numbers, their schedules, what is recorded of these, and the interpreter.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings.h"
#include "files/file_tree.h"
#include "layers/layer_kind.h"
#include "loops/c_nest.h"
#include "loops/interpret.h"
#include "loops/intrinsic.h"
#include "loops/nest_profile.h"
#include "loops/nest_text.h"
#include "loops/schedule_trace.h"
#include "loops/verify_nest.h"
#include "requests/compile.h"
#include "targets/nest_rules.h"
#include "tensor/error.h"
#include "tuning/records.h"

namespace py = pybind11;

namespace fovea {
namespace {

Nest checked_nest(const std::string& text, const std::vector<std::filesystem::path>& intrinsics = {}) {
  Nest nest = parse_nest(text, "nest");
  verify_nest(nest);
  nest.intrinsics = read_intrinsics(intrinsics);
  return nest;
}

/// Of each layer of a network on the CPU that is loops, its name and its nest before any schedule.
std::vector<std::pair<std::string, std::string>> nests_of(const std::string& model, const std::string& rounding,
                                                          const std::map<std::string, Shape>& shapes,
                                                          std::int64_t batch, const PassContext& passes) {
  const py::gil_scoped_release unlocked;
  NetworkRequest request;
  request.model = model;
  request.placement.target = "cpu";
  request.placement.rounding = rounding == "floor" ? kDlaFloor : kDlaNearestEven;
  request.import.shapes = shapes;
  request.import.batch = batch;
  request.passes = passes;
  std::vector<std::pair<std::string, std::string>> nests;
  for (const Layer& layer : import_network(request, nullptr).layers) {
    if (layer.kind->host_loops != nullptr) {
      nests.emplace_back(layer.name, to_text(layer.kind->host_loops(layer, request.placement.rounding).nest));
    }
  }
  return nests;
}

ElementType element_of(StoredType type) {
  const auto element = parse_element_type(type == StoredType::kUint8   ? "uint8"
                                          : type == StoredType::kInt8  ? "int8"
                                          : type == StoredType::kInt32 ? "int32"
                                          : type == StoredType::kInt64 ? "int64"
                                          : type == StoredType::kBool  ? "bool"
                                                                       : "float32");
  return element.value();
}

py::array interpreted(const std::string& text, const std::vector<py::array>& arrays) {
  const Nest nest = checked_nest(text);
  std::vector<Tensor> inputs;
  TensorType output;
  for (const NestBuffer& buffer : nest.buffers) {
    if (buffer.scope == MemoryScope::kOutput) {
      output = {buffer.shape, element_of(buffer.type)};
    } else if (buffer.scope == MemoryScope::kInput) {
      if (inputs.size() == arrays.size()) {
        throw UsageError("interpret: nothing is given for " + buffer.name);
      }
      Tensor tensor({buffer.shape, element_of(buffer.type)});
      const py::dtype dtype(std::string(to_text(tensor.type().element)));
      const auto array = py::array::ensure(arrays[inputs.size()].attr("astype")(dtype), py::array::c_style);
      if (static_cast<std::size_t>(array.nbytes()) != tensor.bytes().size()) {
        throw UsageError("interpret: " + buffer.name + " has " + std::to_string(count_elements(buffer.shape)) +
                         " elements, not " + std::to_string(array.size()));
      }
      std::memcpy(tensor.bytes().data(), array.data(), tensor.bytes().size());
      inputs.push_back(std::move(tensor));
    }
  }
  if (inputs.size() != arrays.size()) {
    throw UsageError("interpret: the nest has " + std::to_string(inputs.size()) + " inputs, not " +
                     std::to_string(arrays.size()));
  }
  std::vector<const Tensor*> pointers;
  for (const Tensor& each : inputs) {
    pointers.push_back(&each);
  }
  const Tensor result = interpret(nest, pointers, output);
  py::array array(py::dtype(std::string(to_text(output.element))), output.shape);
  std::memcpy(array.mutable_data(), result.bytes().data(), result.bytes().size());
  return array;
}

/// The buffers, the loops and the stores of a nest, as the classes of fovea.loops take them.
py::tuple profile(const std::string& text) {
  const Nest nest = checked_nest(text);
  const NestProfile all = profile_of(nest);
  py::list buffers, loops, stores;
  const auto name_of = [&](int buffer) { return nest.buffers[static_cast<std::size_t>(buffer)].name; };
  for (const NestBuffer& each : nest.buffers) {
    const std::string type(each.type == StoredType::kFloat64 ? "float64" : to_text(element_of(each.type)));
    buffers.append(py::make_tuple(each.name, to_text(each.scope), type, py::tuple(py::cast(each.shape))));
  }
  for (const LoopProfile& each : all.loops) {
    loops.append(py::make_tuple(each.name, each.turns, each.step, to_text(each.kind), each.depth, each.is_reduction));
  }
  for (const StoreProfile& each : all.stores) {
    py::list around, accesses;
    for (const int loop : each.loops) {
      around.append(all.loops[static_cast<std::size_t>(loop)].name);
    }
    for (const AccessProfile& access : each.accesses) {
      accesses.append(py::make_tuple(name_of(access.buffer), access.is_store, py::tuple(py::cast(access.strides)),
                                     py::tuple(py::cast(access.footprints))));
    }
    stores.append(
        py::make_tuple(py::tuple(around), each.runs, each.conditions, each.operations, each.functions, accesses));
  }
  return py::make_tuple(buffers, loops, stores);
}

/// The trace of a nest's record of this host, and the nanoseconds after it and by default.
std::optional<std::tuple<std::vector<std::string>, double, double>> find_schedule(const std::string& file,
                                                                                  const std::string& text) {
  const TuningRecords records(file);
  const ScheduleRecord* const found = records.find_schedule(nest_key(checked_nest(text)), this_host("cc"));
  return found == nullptr ? std::nullopt
                          : std::optional(std::tuple(found->trace, found->nanoseconds, found->default_nanoseconds));
}

void record_schedule(const std::string& file, const std::string& text, const std::vector<std::string>& trace,
                     double nanoseconds, double default_nanoseconds) {
  const ScheduleRecord record{nest_key(checked_nest(text)), this_host("cc"), trace, nanoseconds, default_nanoseconds};
  update_records(file, [&](TuningRecords& records) { records.add(record); });
}

}  // namespace

void bind_loops(py::module_& module) {
  module.def("nests_of", nests_of, py::arg("model"), py::kw_only(), py::arg("rounding"), py::arg("shapes"),
             py::arg("batch"), py::arg("passes"));
  module.def("checked_nest", [](const std::string& text) { return to_text(checked_nest(text)); });
  module.def("apply_step", [](const std::string& text, const std::string& step,
                              const std::vector<std::filesystem::path>& intrinsics) {
    return to_text(apply_step(checked_nest(text, intrinsics), step));
  });
  module.def("intrinsic_name",
             [](const std::filesystem::path& file) { return read_intrinsics({file}).front()->nest.name; });
  module.def("default_trace",
             [](const std::string& text) { return scheduled(checked_nest(text), cpu_nest_rules()).trace; });
  module.def("schedule_steps", [] {
    std::vector<std::pair<std::string, std::string>> steps;
    for (const StepRow& row : schedule_steps()) {
      steps.emplace_back(row.name, row.arguments);
    }
    return steps;
  });
  module.def("nest_profile", profile);
  module.def("nest_key", [](const std::string& text) { return nest_key(checked_nest(text)); });
  module.def("find_schedule", find_schedule);
  module.def("record_schedule", record_schedule);
  module.def("include_options", include_options);
  module.def("interpret_nest", interpreted);
  module.def("nest_code", [](const std::string& text, const std::vector<std::filesystem::path>& intrinsics) {
    const Nest nest = checked_nest(text, intrinsics);
    return c_intrinsics(nest) + std::string(vectors_of(nest)) + c_function(nest, "nest");
  });
}

}  // namespace fovea
