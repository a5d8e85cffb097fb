// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads a machine file: one JSON object with the fields of dla_machine, a name, a clock, energy costs, the memory and
/// the CPU beside it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "access_energy.h"
#include "dram_preset.h"
#include "energy_table.h"
#include "shown_text.h"

namespace fovea {

/// The CPU beside the accelerator, as declared: its cycles for a layer are MACs times cycles_per_mac and bytes moved
/// times cycles_per_byte. Where a machine file has none, it is a small core of one instruction a cycle at the
/// accelerator's clock, without vectors: a MAC is two loads, a multiplication and an addition; a byte moved, a load or
/// a store.
struct DeclaredCpu {
  std::string name = "in-order core";
  double clock_mhz = 200;
  double cycles_per_mac = 4, cycles_per_byte = 1;
};

/// What a square millimetre holds.
struct Density {
  double gates = 0, sram_bits = 0;
  std::string technology, source;
};

/// A machine file, read and checked.
struct MachineFile {
  std::string name;
  dla_machine geometry{};
  double clock_mhz = 200;
  EnergyCosts energy;
  std::optional<EnergyTable> energy_pj;  ///< Where there is one, `energy` does not count.
  std::optional<Density> density;
  DramPreset dram = dram_preset(dram_preset_names().front());
  DeclaredCpu cpu;

  /// What the declared CPU takes for a layer, in cycles of the accelerator's clock, rounded.
  std::uint64_t cpu_cycles(std::uint64_t macs, std::uint64_t bytes) const;

  /// In 16-bit MACs.
  AccessEnergy access_energy() const {
    return energy_pj ? in_macs(price_accesses(*energy_pj, geometry)) : price_accesses(energy, geometry);
  }

  /// What a 16-bit MAC takes, in pJ, and where that is from; 0 and "" where the file does not say it.
  double mac_pj() const { return energy_pj ? mac_16_pj(price_accesses(*energy_pj, geometry)) : energy.mac_pj; }
  std::string pj_source() const { return energy_pj ? energy_pj->technology + ": " + energy_pj->source : energy.source; }

  /// By the area model, its gates and bits of memory at the density; 0 where the file has none.
  double area_mm2() const;
};

/// A machine file that cannot be used; what() names the file, the field and what would work.
class MachineError : public std::runtime_error {
 public:
  explicit MachineError(const std::string& text) : std::runtime_error(shown_text(text)) {}
};

/// Reads `path`. \throws MachineError for a missing, unknown, negative or impossible field.
MachineFile read_machine(const std::filesystem::path& path);

/// The same of a machine file's text. \param place  What errors call it.
MachineFile parse_machine(const std::string& text, const std::string& place);

/// The memory of that name: a preset, or the machine's own, which "" is too.
/// \throws std::invalid_argument that lists the presets.
const DramPreset& memory_of(const MachineFile& machine, const std::string& name);

/// A machine with one size that is larger.
struct LargerMachine {
  std::string field;
  std::uint32_t from, to;
  MachineFile machine;
};

/// Those with a row or a column more, and with twice of each other size or the most there may be. What would be no
/// machine is left out.
std::vector<LargerMachine> larger_machines(const MachineFile& machine);

/// The numbers that a run's cycles follow from, by their fields' names, in the order of a machine file.
std::vector<std::pair<std::string, double>> timing_fields(const MachineFile& machine);

}  // namespace fovea
