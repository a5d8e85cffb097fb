// SPDX-License-Identifier: Apache-2.0
/// \file
/// Loops of layers as text, their schedules, and the interpreter.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "bindings.h"
#include "files/file_tree.h"
#include "layers/layer_kind.h"
#include "loops/c_nest.h"
#include "loops/interpret.h"
#include "loops/nest_text.h"
#include "loops/schedule_trace.h"
#include "loops/verify_nest.h"
#include "requests/compile.h"
#include "targets/nest_rules.h"
#include "tensor/error.h"

namespace py = pybind11;

namespace fovea {
namespace {

Nest checked_nest(const std::string& text) {
  Nest nest = parse_nest(text, "nest");
  verify_nest(nest);
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

}  // namespace

void bind_loops(py::module_& module) {
  module.def("nests_of", nests_of, py::arg("model"), py::kw_only(), py::arg("rounding"), py::arg("shapes"),
             py::arg("batch"), py::arg("passes"));
  module.def("checked_nest", [](const std::string& text) { return to_text(checked_nest(text)); });
  module.def("apply_step", [](const std::string& text, const std::string& step) {
    return to_text(apply_step(checked_nest(text), step));
  });
  module.def("default_schedule",
             [](const std::string& text) { return to_text(scheduled(checked_nest(text), cpu_nest_rules())); });
  module.def("include_options", include_options);
  module.def("interpret_nest", interpreted);
  module.def("nest_code", [](const std::string& text) {
    const Nest nest = checked_nest(text);
    return std::string(vectors_of(nest)) + c_function(nest, "nest");
  });
}

}  // namespace fovea
