// SPDX-License-Identifier: Apache-2.0
/// \file
/// The fields of a memory, their ranges, and the checks that need two of them.
#include "dram_json.h"

#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <iterator>

#include "json_section.h"
#include "number_digest.h"

namespace fovea {
namespace {

using nlohmann::json;

/// Of the longest wait that a memory may have, in cycles: 50 us at 200 MHz.
constexpr std::uint32_t kMostCycles = 10000;

/// An integer of a preset.
struct DramField {
  const char* name;
  std::uint32_t* (*of)(DramPreset& preset);
  std::uint32_t low, high;
};

constexpr DramField kNumbers[] = {
    {"read_latency_cycles", [](DramPreset& p) { return &p.read_latency; }, 1, kMostCycles},
    {"write_latency_cycles", [](DramPreset& p) { return &p.write_latency; }, 1, kMostCycles},
    {"burst_cycles", [](DramPreset& p) { return &p.burst_cycles; }, 0, kMostCycles},
    {"pace_beats", [](DramPreset& p) { return &p.pace.beats; }, 1, kMostCycles},
    {"pace_cycles", [](DramPreset& p) { return &p.pace.cycles; }, 1, kMostCycles},
    {"response_cycles", [](DramPreset& p) { return &p.response_cycles; }, 1, kMostCycles},
    {"requests", [](DramPreset& p) { return &p.requests; }, 1, DramPreset::kMostRequests},
    {"turn_to_write_cycles", [](DramPreset& p) { return &p.turn.to_write; }, 0, kMostCycles},
    {"turn_to_read_cycles", [](DramPreset& p) { return &p.turn.to_read; }, 0, kMostCycles},
    {"gap_seed", [](DramPreset& p) { return &p.gap_seed; }, 0, UINT32_MAX},
    {"banks", [](DramPreset& p) { return &p.rows.banks; }, 0, DramPreset::kMostBanks},
};

/// Of a memory with banks only.
constexpr DramField kRowNumbers[] = {
    {"row_beats", [](DramPreset& p) { return &p.rows.row_beats; }, 1024, 1u << 16},
    {"activate_cycles", [](DramPreset& p) { return &p.rows.activate; }, 0, kMostCycles},
    {"precharge_cycles", [](DramPreset& p) { return &p.rows.precharge; }, 0, kMostCycles},
    {"row_open_cycles", [](DramPreset& p) { return &p.rows.open; }, 0, kMostCycles},
    {"activations_cycles", [](DramPreset& p) { return &p.rows.activations; }, 0, kMostCycles},
    {"read_command_cycles", [](DramPreset& p) { return &p.rows.read_command; }, 0, kMostCycles},
    {"write_command_cycles", [](DramPreset& p) { return &p.rows.write_command; }, 0, kMostCycles},
    {"recovery_cycles", [](DramPreset& p) { return &p.rows.recovery; }, 0, kMostCycles},
    {"refresh_interval_cycles", [](DramPreset& p) { return &p.rows.refreshes; }, 1, 10 * kMostCycles},
    {"refresh_cycles", [](DramPreset& p) { return &p.rows.refresh; }, 0, kMostCycles},
};

constexpr std::pair<const char*, DramChannel> kChannels[] = {{"duplex", DramChannel::kDuplex},
                                                             {"writes_first", DramChannel::kWritesFirst},
                                                             {"first_due", DramChannel::kFirstDue}};

/// Of all numbers.
std::uint64_t digest_of(DramPreset preset) {
  NumberDigest digest;
  digest.add(static_cast<std::uint32_t>(preset.channel));
  for (const DramField& field : kNumbers) {
    digest.add(*field.of(preset));
  }
  for (const DramField& field : kRowNumbers) {
    digest.add(*field.of(preset));
  }
  return digest.value();
}

DramPreset read_base(Section& section, const json& base) {
  try {
    return dram_preset(base.is_string() ? base.get<std::string>() : base.dump());
  } catch (const std::invalid_argument& error) {
    section.fail("base", std::string("has ") + error.what());
  }
}

DramChannel read_channel(Section& section, const json& value) {
  for (const auto& [name, channel] : kChannels) {
    if (value == name) {
      return channel;
    }
  }
  section.fail("channel", "is " + value.dump() + "; it must be \"duplex\", \"writes_first\" or \"first_due\"");
}

/// What no single field says.
void check(const Section& section, const DramPreset& preset) {
  const DramRows& rows = preset.rows;
  if (preset.pace.cycles < preset.pace.beats) {
    section.fail("pace_cycles", "is " + std::to_string(preset.pace.cycles) +
                                    "; at most a beat a cycle moves, so that pace_beats (" +
                                    std::to_string(preset.pace.beats) + ") take as many at least");
  }
  if (rows.banks != 0 && rows.refreshes <= rows.precharge + rows.refresh) {
    section.fail("refresh_interval_cycles", "is " + std::to_string(rows.refreshes) +
                                                "; it must be above precharge_cycles and refresh_cycles together (" +
                                                std::to_string(rows.precharge + rows.refresh) + ")");
  }
}

DramPreset read_numbers(Section& section) {
  const json* base = section.find("base");
  DramPreset preset = base == nullptr ? DramPreset() : read_base(section, *base);
  const auto read = [&](const DramField& field, bool is_needed) {
    if (section.find(field.name) != nullptr || is_needed) {
      *field.of(preset) = section.read_integer(field.name, field.low, field.high);
    }
  };
  const bool is_whole = base == nullptr;
  for (const DramField& field : kNumbers) {
    // Without them: no gaps, no rows.
    const bool has_none = field.name == std::string("gap_seed") || field.name == std::string("banks");
    read(field, is_whole && !has_none);
  }
  if (section.find("channel") != nullptr || is_whole) {
    preset.channel = read_channel(section, section.require("channel"));
  }
  const bool had_rows = preset.rows.row_beats != 0;
  for (const DramField& field : kRowNumbers) {
    if (preset.rows.banks == 0 && section.find(field.name) != nullptr) {
      section.fail(field.name, "is of a memory with banks; give \"banks\", 1 to " +
                                   std::to_string(DramPreset::kMostBanks) + ", too");
    }
    read(field, preset.rows.banks != 0 && !had_rows);
  }
  if (preset.rows.banks == 0) {
    preset.rows = {};
  }
  return preset;
}

}  // namespace

DramPreset read_dram(const std::string& place, const json& dram) {
  if (dram.is_string()) {
    try {
      return dram_preset(dram.get<std::string>());
    } catch (const std::invalid_argument& error) {
      throw MachineError(place + ": dram: " + error.what());
    }
  }
  if (!dram.is_object()) {
    throw MachineError(place + ": field \"dram\" is " + dram.dump() +
                       "; it must be the name of a preset, or an object of a memory's numbers");
  }
  Section section(place + ": dram", dram);
  DramPreset preset = read_numbers(section);
  section.refuse_unknown();
  check(section, preset);
  const std::uint64_t digest = digest_of(preset);
  for (const std::string& name : dram_preset_names()) {
    if (digest_of(dram_preset(name)) == digest) {
      return dram_preset(name);
    }
  }
  std::snprintf(preset.name, sizeof preset.name, "own-%016" PRIx64, digest);
  return preset;
}

}  // namespace fovea
