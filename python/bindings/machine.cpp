// SPDX-License-Identifier: Apache-2.0
/// \file
/// Machine files, read and checked.
#include <cstdint>
#include <string>

#include "bindings.h"
#include "files/file_tree.h"
#include "mapping/access_counts.h"
#include "pybind11/stl.h"
#include "spec/machine_json.h"

namespace py = pybind11;

namespace fovea {
namespace {

/// Of a layer, in 16-bit MACs. The compiler counts accesses inside the array, the device words of the GLB and bytes of
/// DRAM.
double energy_of(const AccessEnergy& energy, std::uint64_t macs, std::uint64_t ifmap_spad, std::uint64_t pe_ifmap,
                 std::uint64_t pe_filter, std::uint64_t pe_psum, std::uint64_t glb_words, std::uint64_t dram_bytes) {
  AccessCounts counts;
  counts.macs = macs;
  counts.spad.ifmap = ifmap_spad;
  counts.pe.ifmap = pe_ifmap;
  counts.pe.filter = pe_filter;
  counts.pe.psum = pe_psum;
  counts.glb_reads.ifmap = glb_words;
  counts.dram_bytes.ifmap = dram_bytes;
  return price_energy(energy, counts).total();
}

}  // namespace

void bind_machine(py::module_& module) {
  py::class_<MachineFile>(module, "MachineFile")
      .def(py::init(&parse_machine), py::arg("text"), py::arg("place"))
      .def_readonly("name", &MachineFile::name)
      .def_property_readonly("mac_pj", &MachineFile::mac_pj)
      .def_property_readonly("area_mm2", &MachineFile::area_mm2)
      .def_property_readonly("memory", [](const MachineFile& machine) { return std::string(machine.dram.name); });
  module.def(
      "machine_file", [](const std::string& name) { return machine_file(name).string(); }, py::arg("name"));
  module.def("machine_names", machine_names);
  py::class_<AccessEnergy>(module, "AccessEnergy")
      .def(py::init([](const std::string& file) { return read_machine(file).access_energy(); }), py::arg("file"))
      .def("total", energy_of, py::arg("macs"), py::arg("ifmap_spad"), py::arg("pe_ifmap"), py::arg("pe_filter"),
           py::arg("pe_psum"), py::arg("glb_words"), py::arg("dram_bytes"));
}

}  // namespace fovea
