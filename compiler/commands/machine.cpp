// SPDX-License-Identifier: Apache-2.0
/// \file
/// machine: four tables, beside the lab's machine and the Eyeriss chip where those have a figure.
#include "machine.h"

#include <cmath>
#include <iostream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "command.h"
#include "number_text.h"
#include "options.h"
#include "spec/dla_area.h"
#include "spec/json_file.h"
#include "spec/machine_json.h"

namespace fovea {
namespace {

using Rows = std::vector<std::vector<std::string>>;

const char* const kChip = "the Eyeriss chip, 12 x 14 of 16 bits";
/// JSSC 2017: two-input NAND gates of logic, bytes of SRAM.
constexpr std::uint32_t kChipGates = 1176000, kChipSramBytes = 185856;

/// Bytes that the PEs of a machine hold.
struct PeStorage {
  std::uint32_t ifmap_spad, filter_spad, psum;
  std::uint32_t pes;

  std::uint32_t of_one() const { return ifmap_spad + filter_spad + psum; }
  std::uint32_t of_all() const { return of_one() * pes; }
};

constexpr PeStorage kLabStorage = {12, 48, 64, 48}, kChipStorage = {24, 448, 48, 168};

/// Its spads are there twice, its psum is an accumulator.
PeStorage storage_of(const dla_machine& machine) {
  return {2 * machine.ifmap_spad_bytes, 2 * machine.filter_spad_bytes, 4, machine.rows * machine.cols};
}

struct NamedEnergy {
  const char* name;
  const char* text;
  double AccessEnergy::*member;
};

constexpr NamedEnergy kEnergies[] = {
    {"mac", "a product of 8 x 8 bits", &AccessEnergy::mac},
    {"ifmap_spad", "a pixel into or out of a PE's ifmap spad", &AccessEnergy::ifmap_spad},
    {"filter_spad_write", "a weight into a PE's filter spad", &AccessEnergy::filter_spad_write},
    {"filter_spad_read", "a word out of it", &AccessEnergy::filter_spad_read},
    {"operand_hop", "a pixel or weight from a network to a PE", &AccessEnergy::operand_hop},
    {"psum_hop", "a psum to the next PE", &AccessEnergy::psum_hop},
    {"glb_word", "a word of a GLB bank", &AccessEnergy::glb_word},
    {"dram_byte", "a byte of DRAM", &AccessEnergy::dram_byte},
};

void print_memories(const dla_area& area, std::ostream& out) {
  Rows rows = {{"memory", "count", "words", "bits", "bytes"}};
  for (std::uint32_t i = 0; i < area.memory_count; ++i) {
    const dla_area_memory& memory = area.memories[i];
    rows.push_back({memory.name, with_commas(memory.count), with_commas(memory.words), with_commas(memory.bits),
                    with_commas(memory.count * memory.words * memory.bits / 8)});
  }
  rows.push_back({"all", "", "", "", with_commas(dla_area_memory_bits(&area) / 8)});
  rows.push_back({kChip, "", "", "", with_commas(kChipSramBytes)});
  out << "\nmemories of one read and one write port:\n";
  print_columns(rows, out, "l");
}

std::vector<std::string> storage_row(const char* name, const PeStorage& storage) {
  std::vector<std::string> row = {name};
  for (const std::uint32_t bytes :
       {storage.ifmap_spad, storage.filter_spad, storage.psum, storage.of_one(), storage.of_all()}) {
    row.push_back(with_commas(bytes));
  }
  return row;
}

void print_storage(const dla_machine& machine, std::ostream& out) {
  out << "\nbytes that a PE holds:\n";
  print_columns({{"", "ifmap spad", "filter spad", "psum", "a PE", "all PEs"},
                 storage_row("this machine", storage_of(machine)),
                 storage_row("the lab's, 6 x 8", kLabStorage),
                 storage_row(kChip, kChipStorage)},
                out, "l");
}

void print_gates(const dla_area& area, std::ostream& out) {
  Rows rows = {{"part", "gates"}};
  for (std::uint32_t i = 0; i < area.group_count; ++i) {
    rows.push_back({area.groups[i].name, with_commas(static_cast<std::uint64_t>(std::llround(area.groups[i].gates)))});
  }
  rows.push_back({"all", with_commas(static_cast<std::uint64_t>(std::llround(dla_area_gates(&area))))});
  rows.push_back({kChip, with_commas(kChipGates)});
  out << "\ngates (two-input NANDs) by the area model, which was fitted to " << dla_area_fitted_to
      << " syntheses and is at most " << with_digits(dla_area_worst_percent, 1) << " % off on " << dla_area_checked_on
      << " other machines:\n";
  print_columns(rows, out, "l");
}

/// With a column in pJ where the machine file says them.
void print_energies(const MachineFile& file, std::ostream& out) {
  const AccessEnergy energy = file.access_energy();
  const double mac_pj = file.mac_pj();
  Rows rows = {{"access", "energy"}};
  for (const NamedEnergy& one : kEnergies) {
    rows.push_back({one.text, with_digits(energy.*one.member, 2)});
  }
  if (mac_pj != 0) {
    rows[0].emplace_back("pJ");
    for (std::size_t i = 0; i < std::size(kEnergies); ++i) {
      rows[i + 1].push_back(with_digits(energy.*kEnergies[i].member * mac_pj, 2));
    }
  }
  out << "\nenergy of an access, where a 16-bit MAC is 1:\n";
  print_columns(rows, out, "l");
  if (mac_pj != 0) {
    out << "pJ by " << file.pj_source() << "\n";
  }
}

void print_text(const MachineFile& file, std::ostream& out) {
  const dla_machine& machine = file.geometry;
  const dla_area area = dla_estimate_area(&machine);
  out << file.name << ": " << machine.rows << " x " << machine.cols << " PEs, a GLB of "
      << with_commas(machine.glb_bytes) << " B, a bus of " << machine.bus_bytes << " B\n";
  print_memories(area, out);
  print_storage(machine, out);
  print_gates(area, out);
  print_energies(file, out);
  if (file.density) {
    out << "\n"
        << with_digits(file.area_mm2(), 2) << " mm2 by " << file.density->technology << ": " << file.density->source
        << "\n";
  }
  out << "\nReports count " << with_digits(file.clock_mhz, 0)
      << " MHz (clock_mhz) for a cycle's time, which is not the clock of a synthesis.\n";
}

nlohmann::ordered_json to_json(const dla_area& area) {
  nlohmann::ordered_json json;
  json["memories"] = nlohmann::ordered_json::array();
  for (std::uint32_t i = 0; i < area.memory_count; ++i) {
    const dla_area_memory& memory = area.memories[i];
    json["memories"].push_back(
        {{"name", memory.name}, {"count", memory.count}, {"words", memory.words}, {"bits", memory.bits}});
  }
  json["memory_bits"] = dla_area_memory_bits(&area);
  for (std::uint32_t i = 0; i < area.group_count; ++i) {
    json["gates"][area.groups[i].name] = area.groups[i].gates;
  }
  json["all_gates"] = dla_area_gates(&area);
  json["model"] = {{"fitted_to", dla_area_fitted_to},
                   {"checked_on", dla_area_checked_on},
                   {"worst_percent", dla_area_worst_percent}};
  return json;
}

void print_json(const MachineFile& file, std::ostream& out) {
  const dla_area area = dla_estimate_area(&file.geometry);
  const PeStorage storage = storage_of(file.geometry);
  const AccessEnergy energy = file.access_energy();
  nlohmann::ordered_json json = {{"machine", file.name}};
  json.update(to_json(area));
  json["pe_bytes"] = {{"ifmap_spad", storage.ifmap_spad},
                      {"filter_spad", storage.filter_spad},
                      {"psum", storage.psum},
                      {"a_pe", storage.of_one()},
                      {"all_pes", storage.of_all()}};
  for (const NamedEnergy& one : kEnergies) {
    json["access_energy"][one.name] = energy.*one.member;
  }
  if (file.mac_pj() != 0) {
    json["mac_pj"] = file.mac_pj();
    json["pj_source"] = file.pj_source();
  }
  if (file.density) {
    json["area_mm2"] = file.area_mm2();
    json["density_source"] = file.density->technology + ": " + file.density->source;
  }
  json["chip"] = {{"gates", kChipGates}, {"sram_bytes", kChipSramBytes}};
  out << json_text(json);
}

}  // namespace

void report_machine(const std::filesystem::path& machine, bool prints_json, std::ostream& out) {
  const MachineFile file = read_machine(machine);
  prints_json ? print_json(file, out) : print_text(file, out);
}

Action describe_machine(CLI::App& app) {
  struct Options {
    std::filesystem::path machine = "eyeriss_6x8";
    bool prints_json = false;
  };
  const auto o = std::make_shared<Options>();
  app.add_option("machine", o->machine, "A machine that ships, or a machine file (default: eyeriss_6x8)")
      ->type_name("NAME|FILE");
  add_json_option(app, o->prints_json);
  return [o] {
    settle_machine(o->machine);
    report_machine(o->machine, o->prints_json, std::cout);
    return kDone;
  };
}

}  // namespace fovea
