// SPDX-License-Identifier: Apache-2.0
/// \file
/// Tuning records, kept in a JSON file: which mapping of a layer is the best on a machine with a memory, and which
/// schedule of a nest of loops on a processor.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mapping/mapper.h"
#include "schedule_record.h"
#include "spec/dla_layer.h"
#include "spec/machine_json.h"

namespace fovea {

/// One layer.
struct TuningRecord {
  std::string machine;                       ///< Name of the machine file.
  std::string machine_version;               ///< machine_version() of its geometry.
  Objective objective = Objective::kCycles;  ///< What the mapping is the best by.
  std::string dram;                          ///< The memory.
  dla_shape shape{};
  dla_mapping mapping{};
  std::uint64_t cycles = 0;
};

/// A digest of the geometry: another one after any change to it.
std::string machine_version(const dla_machine& geometry);

/// The records of a file.
class TuningRecords {
 public:
  TuningRecords() = default;

  /// Reads a file; none where there is none. \throws UserError naming the file and the place of the first fault.
  explicit TuningRecords(const std::filesystem::path& path);

  /// The mapping of this shape by this objective on this very machine with this memory.
  std::optional<dla_mapping> find(const MachineFile& machine, Objective objective, const std::string& dram,
                                  const dla_shape& shape) const;

  /// Records of a machine of this name whose geometry was another one.
  std::size_t count_outdated(const MachineFile& machine) const;

  /// The schedule of this nest on this very host; nothing where there is none.
  const ScheduleRecord* find_schedule(const std::string& nest, const Host& host) const;

  /// Schedules of other hosts.
  std::size_t count_foreign(const Host& host) const;

  /// Adds a record, or replaces the one of the same machine, version, objective, memory and shape.
  void add(const TuningRecord& record);

  /// Adds a schedule. Of two of the same nest and host the faster stays, with what the default takes now.
  void add(const ScheduleRecord& record);

  /// Replaces the file as a whole; it is unchanged where that fails. \throws UserError.
  void save(const std::filesystem::path& path) const;

  const std::vector<TuningRecord>& all() const { return records_; }
  const std::vector<ScheduleRecord>& schedules() const { return schedules_; }

 private:
  std::vector<TuningRecord> records_;
  std::vector<ScheduleRecord> schedules_;
};

/// Reads a file, changes its records and saves them, while no other program does so. \throws UserError as these do.
void update_records(const std::filesystem::path& path, const std::function<void(TuningRecords& records)>& change);

}  // namespace fovea
