// SPDX-License-Identifier: Apache-2.0
/// \file
/// Machine files: the two that ship are read, and each kind of bad file gets its one line.
#include "machine_json.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <regex>

namespace {

using fovea::MachineError;
using fovea::read_machine;
using nlohmann::json;

std::filesystem::path scratch_file() {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  const std::string name = std::regex_replace(std::string(test->name()), std::regex("/"), "_");
  return std::filesystem::path(testing::TempDir()) / ("machine_" + name + ".json");
}

std::string message_of(const std::string& text) {
  const std::filesystem::path path = scratch_file();
  std::ofstream(path) << text;
  try {
    read_machine(path);
  } catch (const MachineError& error) {
    const std::string what = error.what();
    EXPECT_EQ(what.rfind(path.string() + ": ", 0), 0u) << what;
    return what.substr(path.string().size() + 2);
  }
  return "read without complaint";
}

json shipped(const std::string& name) {
  std::ifstream file("sim/spec/machines/" + name + ".json");
  return json::parse(file);
}

TEST(MachineJson, ReadsTheShippedMachines) {
  const fovea::MachineFile small = read_machine("sim/spec/machines/eyeriss_6x8.json");
  EXPECT_EQ(small.name, "eyeriss_6x8");
  EXPECT_EQ(small.geometry.rows, 6u);
  EXPECT_EQ(small.geometry.cols, 8u);
  EXPECT_EQ(small.geometry.filter_spad_bytes, 48u);
  EXPECT_EQ(small.geometry.glb_bytes, 65536u);
  EXPECT_EQ(small.clock_mhz, 200);
  EXPECT_EQ(small.energy.dram, 200);
  const fovea::MachineFile large = read_machine("sim/spec/machines/eyeriss_12x14.json");
  EXPECT_EQ(large.geometry.max_pe_filters, 24u);
  EXPECT_EQ(large.geometry.bus_bytes, 8u);
  EXPECT_EQ(large.geometry.glb_bytes, 110592u);
}

TEST(MachineJson, MakesOneSizeLarger) {
  const fovea::MachineFile machine = read_machine("sim/spec/machines/eyeriss_6x8.json");
  std::map<std::string, std::uint32_t> sizes;
  for (const fovea::LargerMachine& larger : fovea::larger_machines(machine)) {
    sizes[larger.field] = larger.to;
  }
  EXPECT_EQ(sizes.at("rows"), 7u);
  EXPECT_EQ(sizes.at("psum_lanes"), 2u);
  EXPECT_EQ(sizes.at("bus_bytes"), 8u);
  EXPECT_EQ(sizes.at("ifmap_spad_bytes"), 24u);
  EXPECT_EQ(sizes.count("glb_bank_bytes"), 0u);
  fovea::MachineFile widest = machine;
  widest.geometry.cols = 64;
  widest.geometry.ifmap_spad_bytes = 20;
  sizes.clear();
  for (const fovea::LargerMachine& larger : fovea::larger_machines(widest)) {
    sizes[larger.field] = larger.to;
  }
  EXPECT_EQ(sizes.count("cols"), 0u) << "64 are the most";
  EXPECT_EQ(sizes.at("ifmap_spad_bytes"), 28u) << "the most there may be";
}

struct BadField {
  const char* field;
  json value;
  const char* message;
};
void PrintTo(const BadField& c, std::ostream* out) { *out << c.field << " = " << c.value; }

class MachineJsonBadField : public testing::TestWithParam<BadField> {};

TEST_P(MachineJsonBadField, IsNamedWithItsRange) {
  json file = shipped("eyeriss_6x8");
  file[GetParam().field] = GetParam().value;
  EXPECT_EQ(message_of(file.dump()), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    All, MachineJsonBadField,
    testing::Values(
        BadField{"rows", 0, "field \"rows\" is 0; it must be an integer from 2 to 64"},
        BadField{"rows", 65, "field \"rows\" is 65; it must be an integer from 2 to 64"},
        BadField{"cols", -8, "field \"cols\" is -8; it must be an integer from 2 to 64"},
        BadField{"cols", 8.5, "field \"cols\" is 8.5; it must be an integer from 2 to 64"},
        BadField{"cols", "8", "field \"cols\" is \"8\"; it must be an integer from 2 to 64"},
        BadField{"ifmap_spad_bytes", 29, "field \"ifmap_spad_bytes\" is 29; it must be an integer from 1 to 28"},
        BadField{"filter_spad_bytes", 1025,
                 "field \"filter_spad_bytes\" is 1025; it must be an integer from 1 to 1024"},
        BadField{"max_pe_filters", 64, "field \"max_pe_filters\" is 64; it must be an integer from 1 to 63"},
        BadField{"max_pass_filters", 257, "field \"max_pass_filters\" is 257; it must be an integer from 1 to 256"},
        BadField{"bus_bytes", 6, "field \"bus_bytes\" is 6; it must be a power of two"},
        BadField{"bus_bytes", 64, "field \"bus_bytes\" is 64; it must be an integer from 4 to 32"},
        BadField{"psum_lanes", 3, "field \"psum_lanes\" is 3; it must be a power of two"},
        BadField{"psum_lanes", 64, "field \"psum_lanes\" is 64; it must be an integer from 1 to 32"},
        BadField{"ifmap_bytes_per_cycle", 5, "field \"ifmap_bytes_per_cycle\" is 5; it must be a power of two"},
        BadField{"filter_bytes_per_cycle", 12, "field \"filter_bytes_per_cycle\" is 12; it must be a power of two"},
        BadField{"glb_bytes", 12288,
                 "field \"glb_bytes\" is 12288; the networks take 7 banks side by side, of glb_bank_bytes (2048) each"},
        BadField{"glb_bank_bytes", 3000, "field \"glb_bank_bytes\" is 3000; it must be a power of two"},
        BadField{"glb_bank_bytes", 2, "field \"glb_bank_bytes\" is 2; it must be an integer from 64 to 1048576"},
        BadField{"glb_bytes", 65000, "field \"glb_bytes\" is 65000; it must be a multiple of glb_bank_bytes (2048)"},
        BadField{"glb_bytes", 4194304, "field \"glb_bytes\" is 4194304; it must be an integer from 1 to 2097152"},
        BadField{"glb_bytes", 524288,
                 "field \"glb_bytes\" is 524288; with bus_bytes 4 it must be at most 262144, 65536 words"},
        BadField{"clock_mhz", 0, "field \"clock_mhz\" is 0; it must be a number above 0, at most 100000.0"},
        BadField{"name", 7, "field \"name\" is 7; it must be 1 to 64 letters, digits, _ and -"},
        BadField{"name", "", "field \"name\" is \"\"; it must be 1 to 64 letters, digits, _ and -"},
        BadField{"name", "a/b", "field \"name\" is \"a/b\"; it must be 1 to 64 letters, digits, _ and -"},
        BadField{"name", "a\")\nx", "field \"name\" is \"a\\\")\\nx\"; it must be 1 to 64 letters, digits, _ and -"},
        BadField{"name", "\u00e9", "field \"name\" is \"\\u00e9\"; it must be 1 to 64 letters, digits, _ and -"},
        BadField{"name", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                 "field \"name\" is \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"; it must be "
                 "1 to 64 letters, digits, _ and -"},
        BadField{"energy", 7, "energy: expected a JSON object"},
        BadField{
            "row", 6,
            "field \"row\" is not known; known fields: bus_bytes, clock_mhz, cols, cpu, density, dram, energy, "
            "energy_pj, filter_bytes_per_cycle, filter_spad_bytes, glb_bank_bytes, glb_bytes, ifmap_bytes_per_cycle, "
            "ifmap_spad_bytes, max_pass_filters, max_pe_filters, name, note, psum_lanes, rows; did you mean rows?"}));

TEST(MachineJson, EveryGeometryFieldIsRequired) {
  for (const char* field : {"name", "rows", "cols", "ifmap_spad_bytes", "filter_spad_bytes", "max_pe_filters",
                            "glb_bytes", "glb_bank_bytes", "bus_bytes", "psum_lanes", "ifmap_bytes_per_cycle",
                            "filter_bytes_per_cycle", "max_pass_filters", "clock_mhz"}) {
    json file = shipped("eyeriss_12x14");
    file.erase(field);
    EXPECT_EQ(message_of(file.dump()), std::string("field \"") + field + "\" is missing");
  }
}

TEST(MachineJson, EnergyIsOptionalButWhole) {
  json file = shipped("eyeriss_12x14");
  file["energy"].erase("glb");
  EXPECT_EQ(message_of(file.dump()), "energy: field \"glb\" is missing");
  file.erase("energy");
  EXPECT_EQ(message_of(file.dump()), "read without complaint");
}

TEST(MachineJson, NamesBadEnergies) {
  json file = shipped("eyeriss_12x14");
  file["energy"]["glb"] = -6;
  EXPECT_EQ(message_of(file.dump()), "energy: field \"glb\" is -6; it must be a number above 0, at most 1000000.0");
  file["energy"]["glb"] = 6;
  file["energy"]["noc"] = 2;
  EXPECT_EQ(message_of(file.dump()),
            "energy: field \"noc\" is not known; known fields: dram, glb, mac, mac_pj, pe, spad");
  file["energy"].erase("noc");
  file["energy"]["mac_pj"] = 2.5;
  EXPECT_EQ(message_of(file.dump()), "energy: field \"source\" is missing") << "pJ are not believed without one";
}

TEST(MachineJson, ACpuIsOptionalButWhole) {
  json file = shipped("eyeriss_6x8");
  file["clock_mhz"] = 100;
  const fovea::MachineFile small = fovea::parse_machine(file.dump(), "small");
  EXPECT_EQ(small.cpu.name, "in-order core");
  EXPECT_EQ(small.cpu.clock_mhz, 100) << "the accelerator's";
  EXPECT_EQ(small.cpu_cycles(10, 7), 10u * 4 + 7);
  file["cpu"] = {{"name", "big core"}, {"clock_mhz", 400}, {"cycles_per_mac", 0.5}, {"cycles_per_byte", 0.25}};
  const fovea::MachineFile big = fovea::parse_machine(file.dump(), "big");
  EXPECT_EQ(big.cpu.name, "big core");
  EXPECT_EQ(big.cpu_cycles(1000, 80), 130u) << "520 of its cycles, at a clock four times as fast";
  file["cpu"].erase("cycles_per_byte");
  EXPECT_EQ(message_of(file.dump()), "cpu: field \"cycles_per_byte\" is missing");
  file["cpu"]["cycles_per_byte"] = 0;
  EXPECT_EQ(message_of(file.dump()),
            "cpu: field \"cycles_per_byte\" is 0; it must be a number above 0, at most 1000000.0");
  file["cpu"] = 7;
  EXPECT_EQ(message_of(file.dump()), "cpu: expected a JSON object");
}

TEST(MachineJson, NamesAFileThatIsNotOne) {
  EXPECT_EQ(message_of("{\"rows\": 6,"), "not JSON (at byte 12)");
  EXPECT_EQ(message_of("[1, 2]"), "expected a JSON object");
  try {
    read_machine("no/such/machine.json");
    FAIL();
  } catch (const MachineError& error) {
    EXPECT_STREQ(error.what(),
                 "no/such/machine.json: can't be read; expected a machine file, or the name of one that ships (fovea "
                 "machines list)");
  }
}

}  // namespace
