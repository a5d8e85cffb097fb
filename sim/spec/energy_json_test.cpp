// SPDX-License-Identifier: Apache-2.0
/// \file
/// Energies in pJ: what accesses take by a table is computed by hand; each kind of bad table gets its one line.
#include "energy_json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "dla_area.h"
#include "machine_json.h"

namespace {

using fovea::MachineFile;
using nlohmann::json;

/// Of the 6 x 8 machine: rings of 24 B, filter spads of 96 B, banks of 2,048 B, words of 4 B.
json whole() {
  return {{"technology", "65 nm"},
          {"source", "this test"},
          {"mac", {{"bits", 16}, {"pj", 1.2}}},
          {"hop", {{"bits", 16}, {"pj", 0.8}}},
          {"dram", {{"bits", 64}, {"pj", 1300}}},
          {"memories",
           {{{"bytes", 8192}, {"bits", 64}, {"pj", 10}},
            {{"bytes", 24}, {"bits", 8}, {"pj", 0.1}},
            {{"bytes", 96}, {"bits", 32}, {"pj", 0.8}},
            {{"bytes", 512}, {"bits", 64}, {"pj", 2.5}}}}};
}

json machine_with(const std::string& field, const json& value) {
  std::ifstream file("sim/spec/machines/eyeriss_6x8.json");
  json machine = json::parse(file);
  machine[field] = value;
  return machine;
}

MachineFile with_energy(const json& energy) {
  return fovea::parse_machine(machine_with("energy_pj", energy).dump(), "m");
}

std::string message_of(const std::string& field, const json& value) {
  try {
    fovea::parse_machine(machine_with(field, value).dump(), "m");
  } catch (const fovea::MachineError& error) {
    return error.what();
  }
  return "read without complaint";
}

TEST(EnergyJson, PricesAccessesAsByHand) {
  const MachineFile machine = with_energy(whole());
  const fovea::AccessEnergy pj = price_accesses(machine.energy_pj.value(), machine.geometry);
  EXPECT_DOUBLE_EQ(pj.mac, 0.3) << "half as wide both ways";
  EXPECT_DOUBLE_EQ(pj.ifmap_spad, 0.1);
  EXPECT_DOUBLE_EQ(pj.filter_spad_write, 0.2) << "8 of 32 bits";
  EXPECT_DOUBLE_EQ(pj.filter_spad_read, 0.8);
  EXPECT_DOUBLE_EQ(pj.operand_hop, 0.4);
  EXPECT_DOUBLE_EQ(pj.psum_hop, 1.6);
  EXPECT_NEAR(pj.glb_word, 2.5, 1e-12) << "2 KB is the geometric mean of 512 B and 8 KB: 5 pJ for 64 bits";
  EXPECT_DOUBLE_EQ(pj.dram_byte, 162.5);
  EXPECT_DOUBLE_EQ(machine.mac_pj(), 1.2);
  EXPECT_EQ(machine.pj_source(), "65 nm: this test");
  EXPECT_DOUBLE_EQ(machine.access_energy().mac, 0.25) << "in 16-bit MACs, whatever \"energy\" says";
  EXPECT_DOUBLE_EQ(machine.access_energy().dram_byte * machine.mac_pj(), 162.5);
}

TEST(EnergyJson, AddsToATable) {
  json given = whole();
  given["table"] = "horowitz_45nm";
  given.erase("mac");
  given.erase("dram");
  given["memories"].erase(0);
  const MachineFile machine = with_energy(given);
  const fovea::AccessEnergy pj = price_accesses(machine.energy_pj.value(), machine.geometry);
  EXPECT_DOUBLE_EQ(pj.mac, 0.3);
  EXPECT_NEAR(pj.glb_word, 2.5, 1e-12) << "8 KB at 10 pJ is the table's";
  EXPECT_DOUBLE_EQ(pj.dram_byte, 162.5);
  EXPECT_EQ(machine.energy_pj->technology, "45 nm, 0.9 V; 65 nm") << "both are said";
}

TEST(EnergyJson, NamesWhatLacks) {
  json given = whole();
  given.erase("hop");
  EXPECT_EQ(
      message_of("energy_pj", given),
      "m: energy_pj: field \"hop\" is missing, in the table too; give {\"bits\": 16, \"pj\": ...} with its source");
  given = whole();
  given["memories"].erase(1);
  EXPECT_EQ(message_of("energy_pj", given),
            "m: energy_pj: field \"memories\" says nothing of 24 B, the ring of an ifmap spad; add one of at most that "
            "size, with its source");
  given = whole();
  given["memories"].erase(0);
  EXPECT_EQ(
      message_of("energy_pj", given),
      "m: energy_pj: field \"memories\" says nothing of 2048 B, a bank of the GLB; add one of at least that size, "
      "with its source");
  given = whole();
  given.erase("source");
  EXPECT_EQ(message_of("energy_pj", given), "m: energy_pj: field \"source\" is missing");
}

TEST(EnergyJson, NamesWhatIsBad) {
  EXPECT_EQ(message_of("energy_pj", {{"table", "horowitz_45"}}),
            "m: energy_pj: field \"table\" is \"horowitz_45\"; known: horowitz_45nm; did you mean horowitz_45nm?");
  json given = whole();
  given["memories"][2]["pj"] = -1;
  EXPECT_EQ(message_of("energy_pj", given),
            "m: energy_pj: memories: 3: field \"pj\" is -1; it must be a number above 0, at most 1000000.0");
  given = whole();
  given["memories"] = 7;
  EXPECT_EQ(message_of("energy_pj", given).substr(0, 48), "m: energy_pj: field \"memories\" is no list; give ");
  EXPECT_EQ(message_of("energy_pj", 7), "m: energy_pj: expected a JSON object");
}

TEST(EnergyJson, LeavesOutLargerMachinesThatItSaysNothingOf) {
  json given = whole();
  given["memories"].erase(0);
  json machine = machine_with("energy_pj", given);
  machine["filter_spad_bytes"] = 256;
  machine["glb_bank_bytes"] = 512;
  const auto has_larger_spad = [&] {
    const auto all = larger_machines(fovea::parse_machine(machine.dump(), "m"));
    return std::any_of(all.begin(), all.end(), [](const auto& one) { return one.field == "filter_spad_bytes"; });
  };
  EXPECT_FALSE(has_larger_spad()) << "the table ends at 512 B";
  machine.erase("energy_pj");
  EXPECT_TRUE(has_larger_spad());
}

TEST(Density, MakesGatesAndMemoriesAnArea) {
  const json density = {
      {"gates_per_mm2", 500000}, {"sram_bits_per_mm2", 2e6}, {"technology", "65 nm"}, {"source", "this test"}};
  const MachineFile machine = fovea::parse_machine(machine_with("density", density).dump(), "m");
  const dla_area area = dla_estimate_area(&machine.geometry);
  EXPECT_DOUBLE_EQ(machine.area_mm2(),
                   dla_area_gates(&area) / 5e5 + static_cast<double>(dla_area_memory_bits(&area)) / 2e6);
  EXPECT_EQ(fovea::read_machine("sim/spec/machines/eyeriss_6x8.json").area_mm2(), 0) << "it says no density";
  json bad = density;
  bad.erase("source");
  EXPECT_EQ(message_of("density", bad), "m: density: field \"source\" is missing");
}

}  // namespace
