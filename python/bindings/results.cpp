// SPDX-License-Identifier: Apache-2.0
/// \file
/// Databases of results, and their tables.
#include <pybind11/stl.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bindings.h"
#include "requests/priced_command.h"
#include "results/result_store.h"

namespace py = pybind11;

namespace fovea {
namespace {

using Names = std::vector<std::string>;

Names names_of(const std::vector<ResultColumn>& columns) {
  Names names;
  for (const ResultColumn& column : columns) {
    names.push_back(column.name);
  }
  return names;
}

/// Columns of the key, and others, by table.
std::map<std::string, std::pair<Names, Names>> tables() {
  std::map<std::string, std::pair<Names, Names>> all;
  for (const ResultTable& table : result_tables()) {
    all.emplace(table.name, std::pair(names_of(table.key), names_of(table.rest)));
  }
  return all;
}

void add_rows(const ResultStore& store, const std::vector<std::pair<std::string, std::vector<SqlRow>>>& parts) {
  const py::gil_scoped_release unlocked;
  std::vector<ResultRows> all;
  for (const auto& [table, rows] : parts) {
    all.push_back({table, rows});
  }
  store.add(all);
}

}  // namespace

void bind_results(py::module_& module) {
  const py::call_guard<py::gil_scoped_release> unlocked;
  py::class_<ResultStore>(module, "ResultStore")
      .def(py::init<const std::string&>(), py::arg("path"), unlocked)
      .def("add", add_rows, py::arg("parts"))
      .def("find", &ResultStore::find, py::arg("table"), py::arg("first"), unlocked);
  module.def(
      "result_machine",
      [](const MachineFile& machine) {
        const ResultMachine of = result_machine(machine);
        return std::pair(of.digest, of.text);
      },
      py::arg("machine"), "A digest of the numbers that results follow from, and these.");
  module.attr("result_tables") = tables();
  module.attr("model_version") = kModelVersion;
}

}  // namespace fovea
