// SPDX-License-Identifier: Apache-2.0
/// \file
/// The table of the DRAM's presets.
#include "dram_preset.h"

#include <stdexcept>

#include "near_name.h"

namespace fovea {

namespace {

constexpr auto kDuplex = DramChannel::kDuplex, kWritesFirst = DramChannel::kWritesFirst,
               kFirstDue = DramChannel::kFirstDue;

constexpr DramPreset kPresets[] = {
#define FOVEA_DRAM_PRESET(name, ...) {#name, __VA_ARGS__},
#include "dram_presets.def"
#undef FOVEA_DRAM_PRESET
};

constexpr bool has_good_rows(const DramRows& rows) {
  return rows.banks == 0 || (rows.banks <= DramPreset::kMostBanks && rows.row_beats >= 1024 && rows.refreshes != 0);
}

constexpr bool are_in_range() {
  for (const DramPreset& p : kPresets) {
    if (p.read_latency < 1 || p.write_latency < 1 || p.pace.beats < 1 || p.pace.cycles < p.pace.beats ||
        p.response_cycles < 1 || p.requests < 1 || p.requests > DramPreset::kMostRequests || !has_good_rows(p.rows)) {
      return false;
    }
  }
  return true;
}
static_assert(are_in_range(), "dram_presets.def: a number is outside what struct DramPreset says");

}  // namespace

std::vector<std::string> dram_preset_names() {
  std::vector<std::string> names;
  for (const DramPreset& preset : kPresets) {
    names.push_back(preset.name);
  }
  return names;
}

const DramPreset& dram_preset(const std::string& name) {
  std::string known;
  for (const DramPreset& preset : kPresets) {
    if (name == preset.name) {
      return preset;
    }
    known += std::string(known.empty() ? "" : ", ") + preset.name;
  }
  throw std::invalid_argument("no DRAM preset '" + name + "'; known: " + known +
                              did_you_mean(name, dram_preset_names()));
}

}  // namespace fovea
