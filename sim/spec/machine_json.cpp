// SPDX-License-Identifier: Apache-2.0
/// \file
/// The fields of a machine file, their ranges, and the checks that need two of them.
#include "machine_json.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>

#include "dla_area.h"
#include "dram_json.h"
#include "energy_json.h"
#include "json_file.h"
#include "json_section.h"

namespace fovea {
namespace {

using nlohmann::json;

/// An integer field of the geometry.
struct GeometryField {
  const char* name;
  std::uint32_t dla_machine::*member;
  std::uint32_t low, high;
};

constexpr GeometryField kGeometry[] = {
    {"rows", &dla_machine::rows, 2, 64},
    {"cols", &dla_machine::cols, 2, 64},
    {"ifmap_spad_bytes", &dla_machine::ifmap_spad_bytes, 1, 28},
    {"filter_spad_bytes", &dla_machine::filter_spad_bytes, 1, 1024},
    {"max_pe_filters", &dla_machine::max_pe_filters, 1, 63},
    {"glb_bytes", &dla_machine::glb_bytes, 1, kDlaMaxGlbWords* std::uint32_t{kDlaMaxBusBytes}},
    {"glb_bank_bytes", &dla_machine::glb_bank_bytes, 64, 1u << 20},
    {"bus_bytes", &dla_machine::bus_bytes, 4, kDlaMaxBusBytes},
    {"psum_lanes", &dla_machine::psum_lanes, 1, 32},
    {"ifmap_bytes_per_cycle", &dla_machine::ifmap_bytes_per_cycle, 1, 32},
    {"filter_bytes_per_cycle", &dla_machine::filter_bytes_per_cycle, 1, 32},
    {"max_pass_filters", &dla_machine::max_pass_filters, 1, 256},
};

struct EnergyField {
  const char* name;
  double EnergyCosts::*member;
};

constexpr EnergyField kEnergy[] = {
    {"mac", &EnergyCosts::mac}, {"spad", &EnergyCosts::spad}, {"pe", &EnergyCosts::pe},
    {"glb", &EnergyCosts::glb}, {"dram", &EnergyCosts::dram},
};

json parse(const std::string& text, const std::string& place) {
  try {
    return parse_json(text, place);
  } catch (const JsonError& error) {
    throw MachineError(error.what());
  }
}

const char* name_of(std::uint32_t dla_machine::*member) {
  const auto is_it = [&](const GeometryField& field) { return field.member == member; };
  return std::find_if(std::begin(kGeometry), std::end(kGeometry), is_it)->name;
}

/// What no single field says.
void check_geometry(const Section& section, const dla_machine& machine) {
  for (const auto member : {&dla_machine::glb_bank_bytes, &dla_machine::bus_bytes, &dla_machine::psum_lanes,
                            &dla_machine::ifmap_bytes_per_cycle, &dla_machine::filter_bytes_per_cycle}) {
    const std::uint32_t number = machine.*member;
    if ((number & (number - 1)) != 0) {
      section.fail(name_of(member), "is " + std::to_string(number) + "; it must be a power of two");
    }
  }
  const std::uint32_t bank = machine.glb_bank_bytes;
  if (machine.glb_bytes % bank != 0) {
    section.fail("glb_bytes", "is " + std::to_string(machine.glb_bytes) +
                                  "; it must be a multiple of glb_bank_bytes (" + std::to_string(bank) + ")");
  }
  const std::uint32_t most_bytes = kDlaMaxGlbWords * machine.bus_bytes;
  if (machine.glb_bytes > most_bytes) {
    section.fail("glb_bytes", "is " + std::to_string(machine.glb_bytes) + "; with bus_bytes " +
                                  std::to_string(machine.bus_bytes) + " it must be at most " +
                                  std::to_string(most_bytes) + ", " + std::to_string(kDlaMaxGlbWords) + " words");
  }
  const std::uint32_t columns = dla_ifmap_columns(&machine) + dla_filter_columns(&machine) +
                                dla_psum_columns(&machine) + dla_out_columns(&machine);
  if (machine.glb_bytes / bank < columns) {
    section.fail("glb_bytes", "is " + std::to_string(machine.glb_bytes) + "; the networks take " +
                                  std::to_string(columns) + " banks side by side, of glb_bank_bytes (" +
                                  std::to_string(bank) + ") each");
  }
}

EnergyCosts read_energy(const std::string& place, const json& object) {
  EnergyCosts costs;
  Section section(place + ": energy", object);
  for (const EnergyField& field : kEnergy) {
    costs.*field.member = section.read_positive(field.name, 1e6);
  }
  if (section.find("mac_pj") != nullptr) {
    costs.mac_pj = section.read_positive("mac_pj", 1e6);
    costs.source = section.read_text("source");
  }
  section.refuse_unknown();
  return costs;
}

Density read_density(const std::string& place, const json& object) {
  Density density;
  Section section(place + ": density", object);
  density.gates = section.read_positive("gates_per_mm2", 1e9);
  density.sram_bits = section.read_positive("sram_bits_per_mm2", 1e9);
  density.technology = section.read_text("technology");
  density.source = section.read_text("source");
  section.refuse_unknown();
  return density;
}

DeclaredCpu read_cpu(const std::string& place, const json& object) {
  DeclaredCpu cpu;
  Section section(place + ": cpu", object);
  cpu.name = section.read_text("name");
  cpu.clock_mhz = section.read_positive("clock_mhz", 1e5);
  cpu.cycles_per_mac = section.read_positive("cycles_per_mac", 1e6);
  cpu.cycles_per_byte = section.read_positive("cycles_per_byte", 1e6);
  section.refuse_unknown();
  return cpu;
}

}  // namespace

std::uint64_t MachineFile::cpu_cycles(std::uint64_t macs, std::uint64_t bytes) const {
  const double own = static_cast<double>(macs) * cpu.cycles_per_mac + static_cast<double>(bytes) * cpu.cycles_per_byte;
  return static_cast<std::uint64_t>(std::llround(own * clock_mhz / cpu.clock_mhz));
}

double MachineFile::area_mm2() const {
  if (!density) {
    return 0;
  }
  const dla_area area = dla_estimate_area(&geometry);
  return dla_area_gates(&area) / density->gates + static_cast<double>(dla_area_memory_bits(&area)) / density->sram_bits;
}

MachineFile read_machine(const std::filesystem::path& path) {
  try {
    return parse_machine(read_json_text(path), path.string());
  } catch (const JsonError& error) {
    throw MachineError(std::string(error.what()) +
                       "; expected a machine file, or the name of one that ships (fovea machines list)");
  }
}

MachineFile parse_machine(const std::string& text, const std::string& place) {
  const json object = parse(text, place);
  Section section(place, object);
  MachineFile file;
  file.name = section.read_name("name");
  if (section.find("note") != nullptr) {
    section.read_text("note");
  }
  for (const GeometryField& field : kGeometry) {
    file.geometry.*field.member = section.read_integer(field.name, field.low, field.high);
  }
  check_geometry(section, file.geometry);
  file.clock_mhz = section.read_positive("clock_mhz", 1e5);
  if (const json* energy = section.find("energy")) {
    file.energy = read_energy(place, *energy);
  }
  if (const json* energy_pj = section.find("energy_pj")) {
    file.energy_pj = read_energy_table(place, *energy_pj, file.geometry);
  }
  if (const json* density = section.find("density")) {
    file.density = read_density(place, *density);
  }
  if (const json* dram = section.find("dram")) {
    file.dram = read_dram(place, *dram);
  }
  file.cpu.clock_mhz = file.clock_mhz;
  if (const json* cpu = section.find("cpu")) {
    file.cpu = read_cpu(place, *cpu);
  }
  section.refuse_unknown();
  return file;
}

const DramPreset& memory_of(const MachineFile& machine, const std::string& name) {
  return name.empty() || name == machine.dram.name ? machine.dram : dram_preset(name);
}

std::vector<LargerMachine> larger_machines(const MachineFile& machine) {
  std::vector<LargerMachine> all;
  for (const GeometryField& field : kGeometry) {
    if (field.member == &dla_machine::glb_bank_bytes) {
      continue;  // Larger banks are fewer.
    }
    const bool by_one = field.member == &dla_machine::rows || field.member == &dla_machine::cols;
    LargerMachine larger{field.name, machine.geometry.*field.member, 0, machine};
    larger.to = std::min(by_one ? larger.from + 1 : 2 * larger.from, field.high);
    larger.machine.geometry.*field.member = larger.to;
    try {
      check_geometry({"", json::object()}, larger.machine.geometry);
      if (machine.energy_pj) {
        check_energy_table("", *machine.energy_pj, larger.machine.geometry);
      }
    } catch (const MachineError&) {
      continue;
    }
    if (larger.to != larger.from) {
      all.push_back(std::move(larger));
    }
  }
  return all;
}

std::vector<std::pair<std::string, double>> timing_fields(const MachineFile& machine) {
  std::vector<std::pair<std::string, double>> all;
  for (const GeometryField& field : kGeometry) {
    all.emplace_back(field.name, machine.geometry.*field.member);
  }
  all.emplace_back("clock_mhz", machine.clock_mhz);
  all.emplace_back("cpu.clock_mhz", machine.cpu.clock_mhz);
  all.emplace_back("cpu.cycles_per_mac", machine.cpu.cycles_per_mac);
  all.emplace_back("cpu.cycles_per_byte", machine.cpu.cycles_per_byte);
  return all;
}

}  // namespace fovea
