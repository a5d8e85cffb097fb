// SPDX-License-Identifier: Apache-2.0
/// \file
/// Memories of machine files: presets by name and by number, others, and each kind of bad one.
#include "dram_json.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "machine_json.h"

namespace {

using fovea::MachineFile;
using nlohmann::json;

json machine_with(const json& dram) {
  std::ifstream file("sim/spec/machines/eyeriss_6x8.json");
  json machine = json::parse(file);
  machine["dram"] = dram;
  return machine;
}

MachineFile with_dram(const json& dram) { return fovea::parse_machine(machine_with(dram).dump(), "m"); }

std::string message_of(const json& dram) {
  try {
    with_dram(dram);
  } catch (const fovea::MachineError& error) {
    return error.what();
  }
  return "read without complaint";
}

/// All that a memory without banks has to say.
const json kPlain = {
    {"read_latency_cycles", 30}, {"write_latency_cycles", 2}, {"burst_cycles", 1}, {"pace_beats", 3},
    {"pace_cycles", 10},         {"response_cycles", 5},      {"requests", 2},     {"channel", "first_due"},
    {"turn_to_write_cycles", 4}, {"turn_to_read_cycles", 6}};

TEST(DramJson, IsThePipelinedOneWithoutAField) {
  const MachineFile machine = fovea::read_machine("sim/spec/machines/eyeriss_6x8.json");
  EXPECT_STREQ(machine.dram.name, "pipelined");
  EXPECT_STREQ(memory_of(machine, "").name, "pipelined");
  EXPECT_STREQ(memory_of(machine, "ddr").name, "ddr");
  EXPECT_THROW(memory_of(machine, "ddr5"), std::invalid_argument);
}

TEST(DramJson, TakesTheNameOfAPreset) {
  const MachineFile machine = with_dram("ddr");
  EXPECT_STREQ(machine.dram.name, "ddr");
  EXPECT_EQ(machine.dram.rows.banks, 4u);
  EXPECT_STREQ(memory_of(machine, "").name, "ddr");
  EXPECT_STREQ(memory_of(machine, "lab").name, "lab") << "what is typed wins";
}

TEST(DramJson, TakesAllNumbers) {
  const MachineFile machine = with_dram(kPlain);
  const fovea::DramPreset& dram = machine.dram;
  EXPECT_EQ(dram.read_latency, 30u);
  EXPECT_EQ(dram.write_latency, 2u);
  EXPECT_EQ(dram.burst_cycles, 1u);
  EXPECT_EQ(dram.pace.beats, 3u);
  EXPECT_EQ(dram.pace.cycles, 10u);
  EXPECT_EQ(dram.response_cycles, 5u);
  EXPECT_EQ(dram.requests, 2u);
  EXPECT_EQ(dram.channel, fovea::DramChannel::kFirstDue);
  EXPECT_EQ(dram.turn.to_write, 4u);
  EXPECT_EQ(dram.turn.to_read, 6u);
  EXPECT_EQ(dram.rows.banks, 0u);
  EXPECT_EQ(dram.gap_seed, 0u);
  EXPECT_STREQ(memory_of(machine, dram.name).name, dram.name) << "its own is found by its name too";
}

TEST(DramJson, TakesOtherNumbersOfABase) {
  const MachineFile slow = with_dram({{"base", "ddr"}, {"read_latency_cycles", 9}, {"refresh_cycles", 20}});
  EXPECT_EQ(slow.dram.read_latency, 9u);
  EXPECT_EQ(slow.dram.rows.refresh, 20u);
  EXPECT_EQ(slow.dram.rows.activate, 4u) << "as ddr";
  const MachineFile plain = with_dram({{"base", "ddr"}, {"banks", 0}});
  EXPECT_EQ(plain.dram.rows.row_beats, 0u);
}

TEST(DramJson, IsCalledByItsNumbers) {
  EXPECT_STREQ(with_dram({{"base", "ddr"}}).dram.name, "ddr");
  EXPECT_STREQ(with_dram({{"base", "chip"}, {"pace_cycles", 20}}).dram.name, "chip8") << "that is what chip8 is";
  const std::string name = with_dram(kPlain).dram.name;
  EXPECT_EQ(name.substr(0, 4), "own-");
  EXPECT_EQ(name.size(), 20u);
  for (const auto& [field, value] : kPlain.items()) {
    json changed = kPlain;
    changed[field] = value.is_string() ? json("duplex") : json(value.get<int>() + 1);
    EXPECT_NE(with_dram(changed).dram.name, name) << field;
  }
}

TEST(DramJson, NamesWhatIsNoMemory) {
  EXPECT_EQ(message_of("drr"),
            "m: dram: no DRAM preset 'drr'; known: pipelined, lab, ddr, chip, chip8, random; did you mean ddr?");
  EXPECT_EQ(message_of(7),
            "m: field \"dram\" is 7; it must be the name of a preset, or an object of a memory's numbers");
  EXPECT_EQ(message_of({{"base", "fast"}}).substr(0, 58),
            "m: dram: field \"base\" has no DRAM preset 'fast'; known: pi");
  EXPECT_EQ(message_of(json::object()), "m: dram: field \"read_latency_cycles\" is missing");
  EXPECT_EQ(message_of({{"base", "lab"}, {"read_latency_cycles", 0}}),
            "m: dram: field \"read_latency_cycles\" is 0; it must be an integer from 1 to 10000");
  EXPECT_EQ(message_of({{"base", "lab"}, {"requests", 9}}),
            "m: dram: field \"requests\" is 9; it must be an integer from 1 to 8");
  EXPECT_EQ(message_of({{"base", "lab"}, {"channel", "half"}}),
            "m: dram: field \"channel\" is \"half\"; it must be \"duplex\", \"writes_first\" or \"first_due\"");
  EXPECT_EQ(message_of({{"base", "lab"}, {"latency", 3}}).substr(0, 62),
            "m: dram: field \"latency\" is not known; known fields: activate_");
}

TEST(DramJson, NamesNumbersThatDontFitEachOther) {
  EXPECT_EQ(message_of({{"base", "lab"}, {"pace_beats", 8}}),
            "m: dram: field \"pace_cycles\" is 7; at most a beat a cycle moves, so that pace_beats (8) take as many at "
            "least");
  EXPECT_EQ(message_of({{"base", "lab"}, {"refresh_cycles", 3}}),
            "m: dram: field \"refresh_cycles\" is of a memory with banks; give \"banks\", 1 to 8, too");
  EXPECT_EQ(message_of({{"base", "lab"}, {"banks", 2}}), "m: dram: field \"row_beats\" is missing");
  EXPECT_EQ(message_of({{"base", "ddr"}, {"refresh_interval_cycles", 18}}),
            "m: dram: field \"refresh_interval_cycles\" is 18; it must be above precharge_cycles and refresh_cycles "
            "together (18)");
}

}  // namespace
