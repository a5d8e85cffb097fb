// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads both traces side by side.
#include "trace_comparison.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "commands/number_text.h"
#include "spec/json_file.h"
#include "spec/shown_text.h"
#include "tensor/error.h"

namespace fovea {
namespace {

constexpr std::size_t kShown = 5;  ///< Events before and behind the place where they part.

/// Cycles from each layer's start to its end, in sum.
class LayerCycles {
 public:
  void add(const std::string& event) {
    std::istringstream words(event);
    std::uint64_t cycle = 0;
    std::string unit, what;
    words >> cycle >> unit >> what;
    if (unit == "ctrl" && what == "start") {
      start_ = cycle;
    } else if (unit == "ctrl" && what == "end") {
      sum_ += cycle - start_;
    }
  }

  std::uint64_t sum() const { return sum_; }

 private:
  std::uint64_t start_ = 0, sum_ = 0;
};

std::ifstream open(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file || !std::filesystem::is_regular_file(path)) {
    user_error(path.string() + ": cannot be read; give two files of --transactions");
  }
  return file;
}

std::optional<std::string> next(std::istream& trace) {
  std::string event;
  return std::getline(trace, event) ? std::optional(event) : std::nullopt;
}

std::vector<std::string> rest_of(std::optional<std::string> first, std::istream& trace) {
  std::vector<std::string> events;
  for (; first && events.size() < kShown; first = next(trace)) {
    events.push_back(*first);
  }
  return events;
}

void print_events(std::ostream& out, char mark, const std::vector<std::string>& events) {
  for (const std::string& event : events) {
    out << mark << " " << shown_text(event) << "\n";
  }
}

}  // namespace

TraceComparison compare_traces(const Traces& traces) {
  std::ifstream a = open(traces[0]), b = open(traces[1]);
  TraceComparison comparison;
  LayerCycles cycles;
  std::optional<std::string> x = next(a), y = next(b);
  for (; x && x == y; x = next(a), y = next(b)) {
    ++comparison.events;
    cycles.add(*x);
    if (comparison.before.size() == kShown) {
      comparison.before.erase(comparison.before.begin());
    }
    comparison.before.push_back(*x);
  }
  comparison.cycles = cycles.sum();
  comparison.are_equal = !x && !y;
  comparison.rest = {rest_of(x, a), rest_of(y, b)};
  return comparison;
}

void print_traces(std::ostream& out, const Traces& traces, const TraceComparison& comparison) {
  if (comparison.are_equal) {
    out << "equal: " << with_commas(comparison.events) << " events, " << with_commas(comparison.cycles) << " cycles\n";
    return;
  }
  out << "they part after " << with_commas(comparison.events) << " equal events; - is " << traces[0].string()
      << ", + is " << traces[1].string() << "\n";
  print_events(out, ' ', comparison.before);
  for (std::size_t side = 0; side < traces.size(); ++side) {
    const std::vector<std::string>& rest = comparison.rest[side];
    print_events(out, "-+"[side], rest.empty() ? std::vector<std::string>{"(no more events)"} : rest);
  }
}

void print_traces_json(std::ostream& out, const Traces& traces, const TraceComparison& comparison) {
  nlohmann::ordered_json json = {{"are_equal", comparison.are_equal},
                                 {"equal_events", comparison.events},
                                 {"equal_cycles", comparison.cycles},
                                 {"before", comparison.before}};
  for (std::size_t side = 0; side < traces.size(); ++side) {
    json["traces"].push_back({{"file", traces[side].string()}, {"rest", comparison.rest[side]}});
  }
  out << json_text(json);
}

}  // namespace fovea
