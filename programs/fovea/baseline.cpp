// SPDX-License-Identifier: Apache-2.0
/// \file
/// Whether a network got slower.
#include "baseline.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "commands/number_text.h"
#include "spec/json_file.h"
#include "spec/shown_text.h"
#include "tensor/error.h"

namespace fovea {
namespace {

/// Cycles and bytes of a layer: sums of many still fit into 64 bits.
constexpr std::uint64_t kMost = UINT64_MAX >> 20;

Taken& row_of(std::vector<Taken>& rows, const std::string& name) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Taken& row) { return row.name == name; });
  return found != rows.end() ? *found : rows.emplace_back(Taken{.name = name});
}

void add(std::vector<Taken>& rows, const Taken& more) {
  Taken& row = row_of(rows, more.name);
  row.cycles += more.cycles;
  row.dram_bytes += more.dram_bytes;
  row.is_on_cpu = more.is_on_cpu;
}

std::string name_of(const nlohmann::json& layer) { return shown_text(layer.at("layer").get<std::string>()); }

Taken sum_of(const std::vector<Taken>& rows) {
  Taken sum{.name = "all"};
  for (const Taken& row : rows) {
    sum.cycles += row.cycles;
    sum.dram_bytes += row.dram_bytes;
  }
  return sum;
}

nlohmann::json read_run(const std::filesystem::path& file) {
  try {
    const nlohmann::json run = read_json(file);
    return run.contains("answer") && run["answer"].is_object() ? run["answer"] : run;
  } catch (const JsonError& error) {
    user_error(error.what());
  }
}

double change_percent(std::uint64_t before, std::uint64_t now) {
  const double old = static_cast<double>(before), change = static_cast<double>(now) - old;
  return before == 0 ? (now == 0 ? 0 : 100) : 100 * change / old;
}

std::string percent_text(double percent) {
  char text[32];
  std::snprintf(text, sizeof text, "%+.2f %%", percent);
  return text;
}

std::string change_text(std::uint64_t before, std::uint64_t now) {
  return before == now ? "" : percent_text(change_percent(before, now));
}

std::vector<std::string> row(const Taken& before, const Taken& now) {
  return {now.name,
          with_commas(before.cycles),
          with_commas(now.cycles),
          change_text(before.cycles, now.cycles),
          with_commas(before.dram_bytes),
          with_commas(now.dram_bytes),
          change_text(before.dram_bytes, now.dram_bytes)};
}

}  // namespace

double parse_percent(const std::string& option, const std::string& text) {
  char* end = nullptr;
  const double percent = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || (*end != '\0' && std::string(end) != "%") || !(percent >= -100 && percent <= 1e6)) {
    throw UsageError(option + " " + text + ": no change in percent; +0.5% works");
  }
  return percent;
}

Baseline read_baseline(const std::filesystem::path& path) {
  const std::filesystem::path file = std::filesystem::is_directory(path) ? path / "run.json" : path;
  if (!std::filesystem::exists(file)) {
    user_error(file.string() + ": no such file; fovea run --json > " + file.filename().string() + " makes one");
  }
  try {
    const nlohmann::json run = read_run(file);
    const nlohmann::json& device = run.at("device");
    if (!device.contains("conditions")) {
      user_error(
          file.string() +
          ": does not say of which network and machine it is; make it again with this version's fovea run --json");
    }
    Baseline baseline{.path = path, .conditions = {}, .runs = read_count(device, "runs"), .layers = {}};
    for (const auto& [name, value] : device["conditions"].items()) {
      baseline.conditions.emplace_back(name, value);
    }
    for (const nlohmann::json& layer : device.at("layers")) {
      add(baseline.layers, {name_of(layer), read_count(layer, "Cycles", kMost),
                            read_count(layer, "Memory read", kMost) + read_count(layer, "Memory write", kMost)});
    }
    for (const nlohmann::json& layer : run.at("cpu").at("layers")) {
      add(baseline.layers, {name_of(layer), read_count(layer, "cycles", kMost), 0, true});
    }
    return baseline;
  } catch (const JsonError& error) {
    user_error(file.string() + ": " + error.what());
  } catch (const nlohmann::json::exception&) {
    user_error(file.string() +
               ": not a run on the accelerator; give what fovea run --json printed, or a report's folder");
  }
}

void check_conditions(const Baseline& baseline, const RunConditions& now) {
  for (const auto& [name, value] : now) {
    const auto found = std::find_if(baseline.conditions.begin(), baseline.conditions.end(),
                                    [&, &wanted = name](const auto& condition) { return condition.first == wanted; });
    const std::string before = found == baseline.conditions.end() ? "unknown" : found->second;
    if (before != value) {
      // Status 2: what can't be compared says nothing of this run, as 1 would.
      throw UsageError("--baseline " + baseline.path.string() + ": its " + name + " is " + before +
                       ", and this run's is " + value +
                       "; give a run of the same network on the same machine and DRAM preset");
    }
  }
}

void check_runs(const Baseline& baseline, std::size_t runs) {
  if (baseline.runs != runs) {
    throw UsageError("--baseline " + baseline.path.string() + ": a run of " + with_commas(baseline.runs) +
                     " pictures, and this is one of " + with_commas(runs) + "; give one of as many");
  }
}

std::vector<Taken> layers_taken(const DeviceRun& run) {
  std::vector<Taken> rows;
  for (const LayerInfo& layer : run.layers) {
    const dla_counters& c = layer.counters;
    add(rows,
        {layer.name, cycles_of(layer, run.info.machine), dram_read_bytes(c) + c.write_bytes, layer.on_cpu.has_value()});
  }
  return rows;
}

BaselineComparison compare_with_baseline(const std::vector<Taken>& before, const std::vector<Taken>& now,
                                         const Allowed& allowed) {
  BaselineComparison found;
  std::vector<Taken> old = before, names = now;
  for (const Taken& layer : before) {
    row_of(names, layer.name);  // also those that are gone
  }
  for (const Taken& layer : names) {
    const Taken& was = row_of(old, layer.name);
    if (was.cycles != layer.cycles || was.dram_bytes != layer.dram_bytes) {
      found.changed.emplace_back(was, layer);
    }
  }
  const Taken was = sum_of(before), is = sum_of(now);
  found.changed.emplace_back(was, is);
  const auto judge = [&](const std::string& what, double percent, double most) {
    if (percent > most) {
      found.complaints.push_back("more " + what + " than allowed: " + percent_text(percent) + ", and " +
                                 percent_text(most) + " would be");
    }
  };
  judge("cycles", change_percent(was.cycles, is.cycles), allowed.cycles_percent);
  judge("DRAM bytes", change_percent(was.dram_bytes, is.dram_bytes), allowed.dram_percent);
  std::string gone;
  for (const Taken& layer : before) {
    const auto is_there = [&](const Taken& row) { return row.name == layer.name && !row.is_on_cpu; };
    if (!layer.is_on_cpu && std::none_of(now.begin(), now.end(), is_there)) {
      gone += (gone.empty() ? "" : ", ") + layer.name;
    }
  }
  if (!gone.empty()) {
    found.complaints.push_back("no longer on the accelerator: " + gone);
  }
  return found;
}

void print_comparison(const BaselineComparison& comparison, const Allowed& allowed, std::ostream& out) {
  std::vector<std::vector<std::string>> rows = {
      {"layer", "cycles before", "now", "change", "DRAM bytes before", "now", "change"}};
  for (const auto& [was, is] : comparison.changed) {
    rows.push_back(row(was, is));
  }
  print_columns(rows, out, "lrrrrrr");
  for (const std::string& complaint : comparison.complaints) {
    out << complaint << "\n";
  }
  if (comparison.complaints.empty()) {
    out << "within what is allowed: cycles " << percent_text(allowed.cycles_percent) << ", DRAM bytes "
        << percent_text(allowed.dram_percent) << "\n";
  }
}

std::string add_comparison(const std::string& answer, const BaselineComparison& comparison, const Allowed& allowed) {
  using Json = nlohmann::ordered_json;
  const auto taken = [](const Taken& t) { return Json{{"cycles", t.cycles}, {"dram_bytes", t.dram_bytes}}; };
  Json layers = Json::array();
  for (const auto& [was, is] : comparison.changed) {
    layers.push_back({{"layer", is.name}, {"before", taken(was)}, {"now", taken(is)}});
  }
  Json whole = Json::parse(answer);
  whole["baseline"] = {{"within", comparison.complaints.empty()},
                       {"complaints", comparison.complaints},
                       {"max_cycles_percent", allowed.cycles_percent},
                       {"max_dram_percent", allowed.dram_percent},
                       {"layers", std::move(layers)}};
  return json_text(whole);
}

}  // namespace fovea
