// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads schedules.
#include "schedules.h"

#include <cstdio>

#include "files/read_file.h"
#include "layers/layer_kind.h"
#include "loops/schedule_trace.h"
#include "spec/json_file.h"
#include "tensor/error.h"

namespace fovea {
namespace {

/// The traces of a file; none where its name is "". \throws UserError where it is none.
NestTraces read_schedules(const std::filesystem::path& file) {
  if (file.empty()) {
    return {};
  }
  try {
    return nlohmann::json::parse(read_file(file, "a file of schedules")).get<NestTraces>();
  } catch (const nlohmann::json::exception&) {
    user_error(file.string() + R"(: no file of schedules; {"layer": ["tile i1 8"]} is one)");
  }
}

/// A nest by its record. Rules or steps may have changed since: nothing where it has none that fits still.
std::optional<Nest> recorded(const Nest& nest, const TuningRecords& records, const Host& host) {
  const ScheduleRecord* const record = records.find_schedule(nest_key(nest), host);
  if (record == nullptr || record->nanoseconds >= record->default_nanoseconds) {
    return std::nullopt;
  }
  try {
    return apply_trace(nest, record->trace);
  } catch (const UserError&) {
    return std::nullopt;
  }
}

}  // namespace

KnownSchedules read_known_schedules(const Placement& placement, const Cpu& cpu) {
  KnownSchedules known{read_schedules(placement.schedules), read_intrinsics(placement.intrinsics), {}, {}};
  known.records = std::make_shared<const TuningRecords>(placement.records.empty() ? TuningRecords()
                                                                                  : TuningRecords(placement.records));
  known.host = known.records->schedules().empty() ? Host() : this_host(cpu.compiler);
  return known;
}

NestScheduler make_scheduler(const KnownSchedules& known, const Cpu& cpu) {
  return [known, has_short_stack = cpu.has_short_stack()](Nest nest, const std::string& layer) {
    nest.intrinsics = known.intrinsics;
    const auto by_record = known.traces.count(layer) != 0 ? std::nullopt : recorded(nest, *known.records, known.host);
    return by_record ? *by_record : scheduled_for_cpu(nest, layer, known.traces, has_short_stack);
  };
}

void check_schedules(const KnownSchedules& known, const Placement& placement, const Network& network) {
  std::string names;
  NestTraces unknown = known.traces;
  for (const Layer& layer : network.layers) {
    if (layer.target == "cpu" && layer.kind->host_loops != nullptr) {
      unknown.erase(layer.name);
      names += (names.empty() ? "" : ", ") + layer.name;
    }
  }
  if (!unknown.empty()) {
    user_error(placement.schedules.string() + ": no loops on the CPU are called \"" + unknown.begin()->first + "\"; " +
               (names.empty() ? "this network has none" : "there are " + names));
  }
  const std::size_t all = known.records->schedules().size();
  if (all != 0 && known.records->count_foreign(known.host) == all) {
    std::fprintf(stderr, "foveac: %s: %zu schedules of other processors or compilers are ignored\n",
                 placement.records.filename().c_str(), all);
  }
}

}  // namespace fovea
