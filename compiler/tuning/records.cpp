// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads all or nothing, writes all or nothing.
#include "records.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "command/command_json.h"
#include "command/command_text.h"
#include "files/folder_lock.h"
#include "files/output_folder.h"
#include "spec/dram_preset.h"
#include "spec/json_file.h"
#include "spec/number_digest.h"
#include "tensor/error.h"

namespace fovea {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kAdvice[] = "; repair it, or remove it and tune again";

Objective objective_from_text(const std::string& text) {
  for (const Objective objective : kObjectives) {
    if (to_text(objective) == text) {
      return objective;
    }
  }
  throw Json::other_error::create(501, "objective '" + text + "' is not known", nullptr);
}

TuningRecord record_from_json(const Json& json) {
  return {json.at("machine").get<std::string>(),
          json.at("machine_version").get<std::string>(),
          objective_from_text(json.at("objective").get<std::string>()),
          json.value("dram", dram_preset_names().front()),
          shape_from_json(json.at("shape")),
          mapping_from_json(json.at("mapping")),
          read_count(json, json.contains("measured_cycles") ? "measured_cycles" : "cycles")};  // As they once were.
}

/// Records have a layer's numbers before its flags.
Json flags_last(const Json& object) {
  Json ordered;
  for (const bool is_flag : {false, true}) {
    for (const auto& [name, value] : object.items()) {
      if (value.is_boolean() == is_flag) {
        ordered[name] = value;
      }
    }
  }
  return ordered;
}

Json record_to_json(const TuningRecord& record) {
  return {{"machine", record.machine},
          {"machine_version", record.machine_version},
          {"objective", to_text(record.objective)},
          {"dram", record.dram},
          {"shape", flags_last(to_json(record.shape))},
          {"mapping", flags_last(to_json(record.mapping))},
          {"cycles", record.cycles}};
}

ScheduleRecord schedule_from_json(const Json& json) {
  return {json.at("nest").get<std::string>(),
          {json.at("cpu").get<std::string>(), json.at("compiler").get<std::string>()},
          json.at("trace").get<std::vector<std::string>>(),
          json.at("nanoseconds").get<double>(),
          json.at("default_nanoseconds").get<double>()};
}

Json schedule_to_json(const ScheduleRecord& record) {
  return {{"nest", record.nest},
          {"cpu", record.host.cpu},
          {"compiler", record.host.compiler},
          {"trace", record.trace},
          {"nanoseconds", record.nanoseconds},
          {"default_nanoseconds", record.default_nanoseconds}};
}

/// What the library says of a fault, without its own prefix.
std::string fault(const Json::exception& error) {
  const std::string text = error.what();
  const std::size_t prefix = text.find("] ");
  return prefix == std::string::npos ? text : text.substr(prefix + 2);
}

Json parse(const std::filesystem::path& path) {
  try {
    Json json = read_json<Json>(path);
    if (!json.is_object() || !json.contains("records") || !json["records"].is_array()) {
      user_error(path.string() + ": not a file of tuning records" + kAdvice);
    }
    return json;
  } catch (const JsonError& error) {
    user_error(error.what() + std::string(kAdvice));
  }
}

/// The rows of an array of the file. \param what  What messages call one.
template <typename Record>
std::vector<Record> read_rows(const Json& array, const std::string& what, Record (*read)(const Json& json)) {
  std::vector<Record> rows;
  for (const Json& row : array) {
    const std::string place = what + " " + std::to_string(rows.size()) + ": ";
    try {
      rows.push_back(read(row));
    } catch (const JsonError& error) {
      user_error(place + error.what() + kAdvice);
    } catch (const Json::exception& error) {
      user_error(place + fault(error) + kAdvice);
    }
  }
  return rows;
}

bool is_same_place(const TuningRecord& a, const TuningRecord& b) {
  return a.machine == b.machine && a.machine_version == b.machine_version && a.objective == b.objective &&
         a.dram == b.dram && to_text(a.shape) == to_text(b.shape);
}

}  // namespace

std::string machine_version(const dla_machine& g) {
  NumberDigest digest;
  for (const std::uint32_t number :
       {g.rows, g.cols, g.ifmap_spad_bytes, g.filter_spad_bytes, g.max_pe_filters, g.glb_bytes, g.glb_bank_bytes,
        g.bus_bytes, g.psum_lanes, g.ifmap_bytes_per_cycle, g.filter_bytes_per_cycle, g.max_pass_filters}) {
    digest.add(number);
  }
  std::ostringstream text;
  text << std::hex << digest.value();
  return text.str();
}

TuningRecords::TuningRecords(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) {
    return;
  }
  const Json json = parse(path);
  records_ = read_rows(json["records"], path.string() + ": record", record_from_json);
  if (json.contains("schedules")) {
    schedules_ = read_rows(json["schedules"], path.string() + ": schedule", schedule_from_json);
  }
}

std::optional<dla_mapping> TuningRecords::find(const MachineFile& machine, Objective objective, const std::string& dram,
                                               const dla_shape& shape) const {
  TuningRecord wanted;
  wanted.machine = machine.name;
  wanted.machine_version = machine_version(machine.geometry);
  wanted.objective = objective;
  wanted.dram = dram;
  wanted.shape = shape;
  const auto found = std::find_if(records_.begin(), records_.end(),
                                  [&](const TuningRecord& record) { return is_same_place(record, wanted); });
  return found == records_.end() ? std::nullopt : std::optional(found->mapping);
}

std::size_t TuningRecords::count_outdated(const MachineFile& machine) const {
  return static_cast<std::size_t>(std::count_if(records_.begin(), records_.end(), [&](const TuningRecord& record) {
    return record.machine == machine.name && record.machine_version != machine_version(machine.geometry);
  }));
}

void TuningRecords::add(const TuningRecord& record) {
  const auto found = std::find_if(records_.begin(), records_.end(),
                                  [&](const TuningRecord& other) { return is_same_place(record, other); });
  if (found == records_.end()) {
    records_.push_back(record);
  } else {
    *found = record;
  }
}

const ScheduleRecord* TuningRecords::find_schedule(const std::string& nest, const Host& host) const {
  const auto found = std::find_if(schedules_.begin(), schedules_.end(), [&](const ScheduleRecord& record) {
    return record.nest == nest && record.host == host;
  });
  return found == schedules_.end() ? nullptr : &*found;
}

std::size_t TuningRecords::count_foreign(const Host& host) const {
  return static_cast<std::size_t>(std::count_if(schedules_.begin(), schedules_.end(),
                                                [&](const ScheduleRecord& each) { return each.host != host; }));
}

void TuningRecords::add(const ScheduleRecord& record) {
  const auto found = std::find_if(schedules_.begin(), schedules_.end(), [&](const ScheduleRecord& other) {
    return record.nest == other.nest && record.host == other.host;
  });
  if (found == schedules_.end()) {
    schedules_.push_back(record);
  } else if (record.nanoseconds < found->nanoseconds) {
    *found = record;
  } else {
    found->default_nanoseconds = record.default_nanoseconds;
  }
}

void TuningRecords::save(const std::filesystem::path& path) const {
  Json json = {{"records", Json::array()}};
  for (const TuningRecord& record : records_) {
    json["records"].push_back(record_to_json(record));
  }
  for (const ScheduleRecord& record : schedules_) {
    json["schedules"].push_back(schedule_to_json(record));
  }
  write_file(path, json_text(json));
}

void update_records(const std::filesystem::path& path, const std::function<void(TuningRecords& records)>& change) {
  make_folder(path.parent_path());
  const FolderLock lock(path.parent_path());
  TuningRecords records(path);
  change(records);
  records.save(path);
}

}  // namespace fovea
