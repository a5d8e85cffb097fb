// SPDX-License-Identifier: Apache-2.0
/// \file
/// From a network's file to the folder of a compiled one.
#include <pybind11/stl.h>

#include <map>
#include <string>
#include <vector>

#include "bindings.h"
#include "objective.h"
#include "progress.h"
#include "requests/build_network.h"
#include "requests/progress_line.h"
#include "store/compiled_network.h"

namespace py = pybind11;

namespace fovea {
namespace {

/// Choices are checked in Python, against the names that this module has.
struct CompileOptions {
  std::string machine, target, objective, residency, mapping, rounding, exact_to;
  std::uint32_t slack_percent = 2;
  std::string schedules;                ///< File of them; "" for none.
  std::vector<std::string> intrinsics;  ///< Files of C functions that they name.
  std::string records;                  ///< File of tuning records; "" for none.
  std::string dram;                     ///< The memory that they are for.
  std::string tuning;                   ///< Database of searches; "" for none.
  std::size_t tune = 0;                 ///< Mappings of a layer to rank for it.
  std::map<std::string, Shape> shapes;
  std::int64_t batch = 0;
  PassContext passes;
  std::vector<Extern> externs;
  std::vector<OwnOperator> operators;
  std::vector<AddedTarget> added_targets;
};

NetworkRequest request_of(const std::string& model, const CompileOptions& options) {
  NetworkRequest request;
  request.model = model;
  request.placement = {options.target,
                       options.machine,
                       options.mapping == "lab" ? MappingMode::kLab : MappingMode::kSearch,
                       Goal(objective_of(options.objective), options.slack_percent),
                       options.rounding == "floor" ? kDlaFloor : kDlaNearestEven,
                       options.records,
                       options.schedules,
                       {options.intrinsics.begin(), options.intrinsics.end()},
                       options.dram,
                       options.tuning,
                       options.residency == "chip"};
  request.tune = options.tune;
  request.import.exact_to = options.exact_to == "ort" ? Exactness::kOnnxRuntime : Exactness::kIntegers;
  request.import.shapes = options.shapes;
  request.import.batch = options.batch;
  request.import.externs = options.externs;
  request.import.operators = options.operators;
  request.passes = options.passes;
  request.targets = options.added_targets;
  return request;
}

/// \param folder  "" for the store's. \return where the network is.
std::string compile_network(const std::string& model, const std::string& folder, const CompileOptions& options,
                            const py::object& progress) {
  const py::gil_scoped_release unlocked;
  const auto tell = [&](const std::string& text) { tell_python(progress, text); };
  const ProgressListener listener(tell);
  const NetworkRequest request = request_of(model, options);
  return (folder.empty() ? compiled_network(request, tell) : build_network(request, folder)).string();
}

}  // namespace

void bind_compile(py::module_& module) {
  module.def(
      "compile",
      [](const std::string& model, const std::string& folder, const std::string& machine, const std::string& target,
         const std::string& objective, std::uint32_t slack_percent, const std::string& residency,
         const std::string& mapping, const std::string& rounding, const std::string& exact_to,
         const std::string& schedules, const std::vector<std::string>& intrinsics, const std::string& records,
         const std::string& dram, const std::string& tuning, std::size_t tune,
         const std::map<std::string, Shape>& shapes, std::int64_t batch, const PassContext& passes,
         const std::vector<Extern>& externs, const std::vector<OwnOperator>& operators,
         const std::vector<AddedTarget>& added_targets, const py::object& progress) {
        return compile_network(model, folder,
                               {machine,       target,    objective,  residency, mapping,   rounding,     exact_to,
                                slack_percent, schedules, intrinsics, records,   dram,      tuning,       tune,
                                shapes,        batch,     passes,     externs,   operators, added_targets},
                               progress);
      },
      py::arg("model"), py::arg("folder"), py::kw_only(), py::arg("machine"), py::arg("target"), py::arg("objective"),
      py::arg("slack_percent"), py::arg("residency"), py::arg("mapping"), py::arg("rounding"), py::arg("exact_to"),
      py::arg("schedules"), py::arg("intrinsics"), py::arg("records"), py::arg("dram"), py::arg("tuning"),
      py::arg("tune"), py::arg("shapes"), py::arg("batch"), py::arg("passes"), py::arg("externs"), py::arg("operators"),
      py::arg("added_targets"), py::arg("progress"));
}

}  // namespace fovea
