// SPDX-License-Identifier: Apache-2.0
/// \file
/// Targets that are written in Python, and layers as they see them.
#include "targets/added_target.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <map>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "bindings.h"
#include "graph_handle.h"
#include "held.h"
#include "layers/accumulation.h"
#include "target_layer.h"
#include "tensors.h"

namespace py = pybind11;

namespace fovea {
namespace {

/// The tensor's own memory, which the array keeps alive and nobody can write; None of no tensor.
py::object view_of(const std::shared_ptr<const Tensor>& tensor) {
  if (tensor == nullptr) {
    return py::none();
  }
  return array_of(tensor);
}

py::tuple type_of(const TensorType& type) {
  return py::make_tuple(py::tuple(py::cast(type.shape)), to_text(type.element));
}

py::list outputs_of(const TargetLayer& self) {
  py::list types;
  if (const auto* several = std::get_if<Several>(&self.layer.body)) {
    for (const ExternOutput& result : several->results) {
      types.append(type_of(*result.type));
    }
  } else {
    types.append(type_of(self.layer.output_type));
  }
  return types;
}

/// A property of layers that multiply 8-bit values; None of others.
template <typename Get>
auto of_sum(Get get) {
  return [get](const TargetLayer& self) -> py::object {
    if (const Accumulation* sum = accumulation_of(self.layer)) {
      if constexpr (std::is_base_of_v<py::handle, decltype(get(self, *sum))>) {
        return get(self, *sum);
      } else {
        return py::cast(get(self, *sum));
      }
    }
    return py::none();
  };
}

/// Of an end of the layer, "input" or "output"; nothing where it isn't quantized.
auto scale_of(const char* end) {
  return [end](const TargetLayer& self) {
    const auto all = quantizations_of(self.layer);
    const auto found = all.find(end);
    return found == all.end() ? std::nullopt : std::optional(found->second.scale());
  };
}

auto zero_point_of(const char* end) {
  return [end](const TargetLayer& self) {
    const auto all = quantizations_of(self.layer);
    const auto found = all.find(end);
    return found == all.end() ? std::nullopt : std::optional(found->second.zero_point());
  };
}

py::object weights_of(const TargetLayer& self) {
  const auto* product = std::get_if<FloatProduct>(&self.layer.body);
  const Accumulation* sum = accumulation_of(self.layer);
  return view_of(sum != nullptr ? sum->weight : product != nullptr ? product->weight : nullptr);
}

py::object bias_of(const TargetLayer& self) {
  const auto* product = std::get_if<FloatProduct>(&self.layer.body);
  const Accumulation* sum = accumulation_of(self.layer);
  return view_of(sum != nullptr ? sum->bias : product != nullptr ? product->bias : nullptr);
}

py::array_t<float> floats_of(const std::vector<float>& values) {
  return py::array_t<float>(static_cast<py::ssize_t>(values.size()), values.data());
}

py::array_t<float> multipliers_of(const TargetLayer& self, const Accumulation& sum) {
  std::vector<float> scales;
  for (const dla_requantization& each : requantizations_of(sum, self.rounding)) {
    scales.push_back(each.scale);
  }
  return floats_of(scales);
}

uint8_t lowest_of(const Accumulation& sum) {
  return std::max(sum.lowest, static_cast<uint8_t>(sum.relu ? sum.y.zero_point() : 0));
}

/// Accumulators as outputs, bit for bit as the runtime has them. \param accumulators  [N, M, ...] int32.
py::array_t<uint8_t> requantize(const TargetLayer& self,
                                const py::array_t<int32_t, py::array::c_style | py::array::forcecast>& accumulators) {
  const Accumulation* sum = accumulation_of(self.layer);
  if (sum == nullptr) {
    throw UsageError(self.layer.name + ": " + self.layer.composite + " requantizes no accumulators");
  }
  if (accumulators.ndim() < 2 || accumulators.shape(1) != sum->weight->type().shape[0]) {
    throw UsageError(self.layer.name + ": accumulators are [N, " + std::to_string(sum->weight->type().shape[0]) +
                     ", ...], a row a picture");
  }
  const std::vector<dla_requantization> all = requantizations_of(*sum, self.rounding);
  const auto shift = shift_of(*sum);
  const dla_rounding rounding = sum->rounding_in(self.rounding);
  const auto zero_point = static_cast<uint8_t>(sum->y.zero_point());
  py::array_t<uint8_t> outputs(
      std::vector<py::ssize_t>(accumulators.shape(), accumulators.shape() + accumulators.ndim()));
  const py::ssize_t filters = accumulators.shape(1), run = accumulators.size() / accumulators.shape(0) / filters;
  for (py::ssize_t i = 0; i < accumulators.size(); ++i) {
    const auto filter = static_cast<std::size_t>(i / run % filters);
    const int32_t acc = accumulators.data()[i];
    const uint8_t y = shift ? dla_requantize(acc, *shift, rounding, false, zero_point)
                            : dla_apply_scale(acc, all[filter % all.size()].scale, rounding, false, zero_point);
    outputs.mutable_data()[i] = dla_bound_u8(y, lowest_of(*sum), static_cast<uint8_t>(255 - sum->highest));
  }
  return outputs;
}

TargetLayer view(const OfferedLayer& offered) { return {offered.layer, offered.rounding}; }

/// What Python's emit() gives: text, constants, file and line.
using Emitted = std::tuple<std::string, std::map<std::string, py::object>, std::string, int>;

AddedTarget target_of(const std::string& name, const std::string& place, const std::string& header,
                      const std::map<std::string, std::string>& files, const py::function& refuse,
                      const py::function& cost, const py::function& cycles, const py::function& emit) {
  AddedTarget target;
  target.name = name;
  target.place = place;
  target.header = header;
  target.files = files;
  target.refuse = [kept = held(refuse)](const OfferedLayer& offered) {
    const py::gil_scoped_acquire lock;
    return (*kept)(view(offered)).template cast<std::optional<std::string>>();
  };
  target.cost = [kept = held(cost)](const OfferedLayer& offered) {
    const py::gil_scoped_acquire lock;
    return (*kept)(view(offered)).template cast<std::optional<std::uint64_t>>();
  };
  target.cycles = [kept = held(cycles)](const OfferedLayer& offered) {
    const py::gil_scoped_acquire lock;
    return (*kept)(view(offered)).template cast<std::optional<std::uint64_t>>().value_or(0);
  };
  target.emit = [kept = held(emit)](const OfferedLayer& offered) {
    const py::gil_scoped_acquire lock;
    auto [text, constants, file, line] = (*kept)(view(offered)).template cast<Emitted>();
    EmittedCall call{text, {}, file, line};
    for (const auto& [key, value] : constants) {
      call.constants[key] = std::make_shared<const Tensor>(tensor_of(value, "constant " + key));
    }
    return call;
  };
  return target;
}

std::vector<std::string> composite_names() {
  std::vector<std::string> names;
  for (const LayerKind& kind : layer_kinds()) {
    for (const Fusion& fusion : kind.fusions) {
      names.push_back(fusion.composite.substr(fusion.composite.find('.') + 1));
    }
  }
  return names;
}

}  // namespace

void bind_targets(py::module_& module) {
  module.attr("composites") = composite_names();
  py::class_<TargetLayer>(module, "TargetLayer",
                          "A layer as a target sees it, for reading. Letters are its sizes: C, M.")
      .def_property_readonly(
          "name", [](const TargetLayer& self) { return self.layer.name; }, "Short and unique: \"fc6\".")
      .def_property_readonly(
          "composite", [](const TargetLayer& self) { return self.layer.composite; },
          "What it computes: \"qlinear_relu\", or the name of a fusion of your own.")
      .def_property_readonly(
          "kind", [](const TargetLayer& self) { return std::string(self.layer.kind->name); },
          "The same without what fusion adds: \"qlinear\".")
      .def_property_readonly(
          "onnx", [](const TargetLayer& self) { return self.layer.onnx_name; }, "The ONNX node.")
      .def_property_readonly(
          "macs", [](const TargetLayer& self) { return count_macs(self.layer); }, "Multiplications that it needs.")
      .def_property_readonly(
          "inputs",
          [](const TargetLayer& self) {
            py::list types;
            for (const TensorType& type : self.layer.input_types) {
              types.append(type_of(type));
            }
            return types;
          },
          "(shape, dtype) of each, with the batch.")
      .def_property_readonly(
          "output", [](const TargetLayer& self) { return py::object(outputs_of(self)[0]); },
          "(shape, dtype), with the batch; of several results the first.")
      .def_property_readonly("outputs", outputs_of, "(shape, dtype) of each result.")
      .def_property_readonly(
          "graph",
          [](const TargetLayer& self) {
            const auto* several = std::get_if<Several>(&self.layer.body);
            return several == nullptr ? std::nullopt : std::optional(GraphHandle(*several->body));
          },
          "Of a fusion with several results its operators, with their constants; None of other layers.")
      .def_property_readonly(
          "_packed",
          [](const TargetLayer& self) {
            std::vector<std::int64_t> offsets;
            if (const auto* several = std::get_if<Several>(&self.layer.body)) {
              for (const ExternOutput& result : several->results) {
                offsets.push_back(result.offset);
              }
            }
            return py::make_tuple(size_bytes(self.layer.output_type), offsets);
          },
          "Bytes of several results, and where each begins.")
      .def_property_readonly("weights", weights_of, "As numpy, not copied; None without.")
      .def_property_readonly("bias", bias_of, "int32, a number a filter; None without.")
      .def_property_readonly("relu", of_sum([](const TargetLayer&, const Accumulation& sum) { return sum.relu; }),
                             "Whether there is one before requantization.")
      .def_property_readonly("input_scale", scale_of("input"), "Of the input's numbers; input1_scale of the second's.")
      .def_property_readonly("input_zero_point", zero_point_of("input"), "The integer that is 0.")
      .def_property_readonly(
          "weights_scales", of_sum([](const TargetLayer&, const Accumulation& sum) { return floats_of(sum.w.scales); }),
          "One, or one a filter.")
      .def_property_readonly("output_scale", scale_of("output"), "Of the output's numbers, behind all.")
      .def_property_readonly("output_zero_point", zero_point_of("output"), "The integer that is 0.")
      .def_property_readonly("multipliers", of_sum(multipliers_of),
                             "What accumulators are multiplied by, as the runtime has it: one, or one a filter.")
      .def_property_readonly("shift", of_sum([](const TargetLayer&, const Accumulation& sum) { return shift_of(sum); }),
                             "The shift to the right that does the same for all filters; None without.")
      .def_property_readonly("lowest",
                             of_sum([](const TargetLayer&, const Accumulation& sum) { return lowest_of(sum); }),
                             "No output is below.")
      .def_property_readonly("highest", of_sum([](const TargetLayer&, const Accumulation& sum) { return sum.highest; }),
                             "No output is above.")
      .def_property_readonly(
          "table",
          [](const TargetLayer& self) {
            const Accumulation* sum = accumulation_of(self.layer);
            return view_of(sum == nullptr ? nullptr : sum->table);
          },
          "What each byte becomes behind the bounds; None without.")
      .def_property_readonly(
          "letters", [](const TargetLayer& self) { return letters_of(self.layer); }, "Its sizes by their letters.")
      .def("requantize", requantize, py::arg("accumulators"),
           "int32 [N, M, ...] as uint8, bit for bit as the runtime does it.")
      .def("__getattr__",
           [](const TargetLayer& self, const std::string& name) -> py::object {
             const auto letters = letters_of(self.layer);
             if (const auto found = letters.find(name); found != letters.end()) {
               return py::cast(found->second);
             }
             for (const auto& [end, quantization] : quantizations_of(self.layer)) {
               if (name == end + "_scale") {
                 return py::cast(quantization.scale());
               }
               if (name == end + "_zero_point") {
                 return py::cast(quantization.zero_point());
               }
             }
             throw py::attribute_error("a layer of a target has no " + name);
           })
      .def("__repr__", [](const TargetLayer& self) {
        return "<TargetLayer " + self.layer.name + ": " + self.layer.composite + ">";
      });
  py::class_<AddedTarget>(module, "AddedTarget")
      .def(py::init(&target_of), py::arg("name"), py::arg("place"), py::arg("header"), py::arg("files"),
           py::arg("refuse"), py::arg("cost"), py::arg("cycles"), py::arg("emit"))
      .def("check", [](const AddedTarget& self) { make_added_targets({self}, kDlaNearestEven); });
}

}  // namespace fovea
