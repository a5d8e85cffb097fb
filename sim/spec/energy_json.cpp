// SPDX-License-Identifier: Apache-2.0
/// \file
/// The fields of a table of energies, and whether all that a machine accesses is in it.
#include "energy_json.h"

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "join_names.h"
#include "json_file.h"
#include "json_section.h"
#include "near_name.h"

namespace fovea {
namespace {

constexpr double kMostPj = 1e6, kMostWordBits = 1e5, kMostMemoryBytes = 1e9;

std::string bytes_text(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f B", bytes);
  return text;
}

WordEnergy read_word(Section& section) {
  const double bits = section.read_positive("bits", kMostWordBits);
  return {bits, section.read_positive("pj", kMostPj)};
}

WordEnergy read_word(const std::string& place, const nlohmann::json& object) {
  Section section(place, object);
  const WordEnergy word = read_word(section);
  section.refuse_unknown();
  return word;
}

/// Of two tables: what is said again replaces what was said of the same size.
void add_memories(const std::string& place, const Section& section, const nlohmann::json& list, EnergyTable& table) {
  if (!list.is_array() || list.empty()) {
    section.fail("memories", "is no list; give {\"bytes\": 8192, \"bits\": 64, \"pj\": 10} for each size");
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    Section one(place + ": memories: " + std::to_string(i + 1), list[i]);
    const double bytes = one.read_positive("bytes", kMostMemoryBytes);
    const MemoryEnergy memory{bytes, read_word(one)};
    one.refuse_unknown();
    const auto same = [&](const MemoryEnergy& other) { return other.bytes == bytes; };
    table.memories.erase(std::remove_if(table.memories.begin(), table.memories.end(), same), table.memories.end());
    table.memories.push_back(memory);
  }
  std::sort(table.memories.begin(), table.memories.end(),
            [](const MemoryEnergy& a, const MemoryEnergy& b) { return a.bytes < b.bytes; });
}

void add(const std::string& place, Section& section, EnergyTable& table) {
  bool has_figures = false;
  const std::pair<const char*, WordEnergy EnergyTable::*> words[] = {
      {"mac", &EnergyTable::mac}, {"hop", &EnergyTable::hop}, {"dram", &EnergyTable::dram}};
  for (const auto& [field, member] : words) {
    if (const nlohmann::json* word = section.find(field)) {
      table.*member = read_word(place + ": " + field, *word);
      has_figures = true;
    }
  }
  if (const nlohmann::json* memories = section.find("memories")) {
    add_memories(place, section, *memories, table);
    has_figures = true;
  }
  const std::pair<const char*, std::string EnergyTable::*> texts[] = {{"technology", &EnergyTable::technology},
                                                                      {"source", &EnergyTable::source}};
  for (const auto& [field, member] : texts) {
    if (has_figures || section.find(field) != nullptr) {
      std::string& text = table.*member;
      text += (text.empty() ? "" : "; ") + section.read_text(field);
    }
  }
  section.refuse_unknown();
}

}  // namespace

void check_energy_table(const std::string& place, const EnergyTable& table, const dla_machine& machine) {
  const nlohmann::json nothing = nlohmann::json::object();
  const Section section(place, nothing);
  const std::pair<const char*, const WordEnergy*> words[] = {
      {"mac", &table.mac}, {"hop", &table.hop}, {"dram", &table.dram}};
  for (const auto& [field, word] : words) {
    if (word->bits == 0) {
      section.fail(field, "is missing, in the table too; give {\"bits\": 16, \"pj\": ...} with its source");
    }
  }
  const std::pair<const char*, double> memories[] = {{"the ring of an ifmap spad", ifmap_ring_bytes(machine)},
                                                     {"a filter spad", filter_spad_bytes(machine)},
                                                     {"a bank of the GLB", machine.glb_bank_bytes}};
  for (const auto& [name, bytes] : memories) {
    const bool is_between =
        !table.memories.empty() && table.memories.front().bytes <= bytes && bytes <= table.memories.back().bytes;
    if (!is_between) {
      const bool is_small = table.memories.empty() || bytes < table.memories.front().bytes;
      section.fail("memories", std::string("says nothing of ") + bytes_text(bytes) + ", " + name + "; add one of at " +
                                   (is_small ? "most" : "least") + " that size, with its source");
    }
  }
}

EnergyTable read_energy_table(const std::string& place, const nlohmann::json& given, const dla_machine& machine) {
  const std::string name = place + ": energy_pj";
  EnergyTable table;
  Section section(name, given);
  if (section.find("table") != nullptr) {
    const nlohmann::json tables = parse_json(energy_tables_text(), "energy_tables.json");
    const std::string wanted = section.read_text("table");
    const auto found = tables.find(wanted);
    if (found == tables.end()) {
      std::vector<std::string> known;
      for (const auto& [one, figures] : tables.items()) {
        known.push_back(one);
      }
      section.fail("table", "is \"" + wanted + "\"; known: " + join_names(known, ", ") + did_you_mean(wanted, known));
    }
    Section shipped(wanted, *found);
    add(wanted, shipped, table);
  }
  add(name, section, table);
  check_energy_table(name, table, machine);
  return table;
}

}  // namespace fovea
