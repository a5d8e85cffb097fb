// SPDX-License-Identifier: Apache-2.0
/// \file
/// Is the timeline what the trace event format says, the same from every backend, and as long as the counters count?
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "bench/device_bench.h"
#include "bench/random_layer.h"
#include "bench/small_layer.h"

namespace fovea {
namespace {

using Json = nlohmann::json;

constexpr size_t kLayers = 6;

/// A span, as [from, to).
struct Span {
  std::string name;
  uint64_t from, to;
  Json args;
};

/// Layers that have run on one backend, and the timeline that came of them.
struct FinishedRun {
  std::vector<LayerOutcome> outcomes;
  std::string text;
};

class TimelineFile : public testing::TestWithParam<const char*> {
 protected:
  /// Runs random layers, the third with a bus error, and a layer on the host.
  FinishedRun run(const std::string& backend) {
    BackendOptions options;
    options.machine = shipped_machine(GetParam());
    options.memory_bytes = DeviceBench::kMemoryBytes;
    options.checked = true;
    options.timeline = path;
    DeviceBench bench(options.machine, open_backend(backend, options));
    RandomLayers random(bench.machine(), 11);
    FinishedRun run;
    for (size_t i = 0; i < kLayers; ++i) {
      LayerCase layer = random.draw(LayerCoverage());
      bench.place(layer);
      layer.layer.ifmap_addr = i == 2 ? 0x10000000 : layer.layer.ifmap_addr;
      bench.hal().note_layer(bench.hal().ctx, ("conv\"" + std::to_string(i)).c_str());
      run.outcomes.push_back(bench.start(layer.layer));
      EXPECT_EQ(dla_clear_error(&bench.hal()), kDlaOk);
    }
    bench.backend().note_cpu_layer("softmax");
    bench.backend().finish();
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    run.text = text.str();
    return run;
  }

  ~TimelineFile() override { std::filesystem::remove(path); }

  /// Spans by track, in the order in which they begin or stand alone; every begin has its end.
  static std::map<int, std::vector<Span>> spans_of(const Json& trace) {
    std::map<int, std::vector<Span>> tracks;
    std::map<int, std::vector<size_t>> begun;
    for (const Json& event : trace["traceEvents"]) {
      std::vector<Span>& spans = tracks[event["tid"]];
      std::vector<size_t>& open = begun[event["tid"]];
      if (event["ph"] == "X") {
        spans.push_back({event["name"], event["ts"], event["ts"].get<uint64_t>() + event["dur"].get<uint64_t>(), {}});
      } else if (event["ph"] == "B") {
        open.push_back(spans.size());
        spans.push_back({event["name"], event["ts"], 0, {}});
      } else if (event["ph"] == "E") {
        EXPECT_FALSE(open.empty()) << event;
        spans[open.back()].to = event["ts"];
        spans[open.back()].args = event.value("args", Json());
        open.pop_back();
      }
    }
    for (const auto& [track, open] : begun) {
      EXPECT_TRUE(open.empty()) << "a span of track " << track << " has no end";
    }
    return tracks;
  }

  static bool is_pass(const Span& span) { return span.name.rfind("pass ", 0) == 0; }

  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / (std::string("timeline_test_") + GetParam() + ".json");
};

/// The members that the format asks of each kind of event.
void expect_event(const Json& event) {
  const std::map<std::string, std::set<std::string>> needed = {
      {"X", {"ts", "dur"}}, {"B", {"ts"}}, {"E", {"ts"}}, {"i", {"ts", "s"}}, {"C", {"ts", "args"}}, {"M", {"args"}}};
  const std::string kind = event.at("ph");
  ASSERT_EQ(needed.count(kind), 1u) << event;
  for (const std::string& member : needed.at(kind)) {
    EXPECT_TRUE(event.contains(member)) << event;
  }
  EXPECT_TRUE(event.at("pid").is_number_unsigned() && event.at("tid").is_number_unsigned()) << event;
  EXPECT_TRUE(kind == "E" || event.at("name").is_string()) << event;
  for (const char* number : {"ts", "dur"}) {
    EXPECT_TRUE(!event.contains(number) || event[number].is_number_unsigned()) << event;
  }
  if (kind == "C") {
    for (const Json& value : event["args"]) {
      EXPECT_TRUE(value.is_number()) << event;
    }
  }
}

TEST_P(TimelineFile, KeepsTheFormat) {
  const Json trace = Json::parse(run("systemc").text);
  std::set<std::string> counters;
  for (const Json& event : trace.at("traceEvents")) {
    expect_event(event);
    if (event["ph"] == "C") {
      counters.insert(event["name"]);
    }
  }
  EXPECT_EQ(counters, (std::set<std::string>{"GLB bytes", "array in a pass, %", "bursts in flight"}));
  auto tracks = spans_of(trace);
  for (auto& [track, spans] : tracks) {
    // Readers keep the order of the file where two begin at once.
    std::stable_sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.from < b.from; });
    std::vector<uint64_t> open;  // Ends of the spans around.
    for (const Span& span : spans) {
      while (!open.empty() && open.back() <= span.from) {
        open.pop_back();
      }
      EXPECT_TRUE(open.empty() || span.to <= open.back())
          << "track " << track << ": " << span.name << " at " << span.from << " leaves the span around it";
      EXPECT_LT(span.from, span.to);
      open.push_back(span.to);
    }
  }
}

TEST_P(TimelineFile, HasLayersOfTheCyclesThatAreCounted) {
  const FinishedRun done = run("systemc");
  const Json trace = Json::parse(done.text);
  size_t layer = 0, passes = 0;
  Span around = {};
  const auto tracks = spans_of(trace);
  for (const Span& span : tracks.at(2)) {
    if (is_pass(span)) {
      ++passes;
      EXPECT_TRUE(span.from >= around.from && span.to <= around.to) << span.name << " of " << around.name;
      continue;
    }
    EXPECT_EQ(span.name, "conv\"" + std::to_string(layer));
    const LayerOutcome& outcome = done.outcomes.at(layer);
    EXPECT_EQ(span.to - span.from, outcome.counters.cycles);
    EXPECT_EQ(span.args["cycles"], outcome.counters.cycles);
    EXPECT_EQ(span.args["error"], outcome.error);
    around = span;
    ++layer;
  }
  size_t counted_passes = 0;
  for (const LayerOutcome& outcome : done.outcomes) {
    counted_passes += outcome.counters.passes;
  }
  EXPECT_EQ(passes, counted_passes);
  EXPECT_EQ(layer, kLayers);
  EXPECT_EQ(done.outcomes[2].error, kDlaErrorBusRead);
  EXPECT_NE(done.text.find("\"name\":\"softmax\""), std::string::npos);
}

TEST_P(TimelineFile, HasTheBytesAndBurstsThatAreCounted) {
  const FinishedRun done = run("systemc");
  uint64_t bursts = 0, beats = 0, counted_bursts = 0, counted_bytes = 0;
  const Json trace = Json::parse(done.text);
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] == "X" && event["tid"] == 3) {
      ++bursts;
      beats += event["args"]["beats"].get<uint64_t>();
    }
  }
  for (const LayerOutcome& outcome : done.outcomes) {
    counted_bursts += outcome.counters.read_bursts;
    counted_bytes +=
        outcome.counters.ifmap_read_bytes + outcome.counters.filter_read_bytes + outcome.counters.residual_read_bytes;
  }
  EXPECT_EQ(bursts, counted_bursts);
  EXPECT_EQ(beats * shipped_machine(GetParam()).geometry.bus_bytes, counted_bytes);
}

TEST_P(TimelineFile, EndsALayerThatIsLeftUnderWay) {
  BackendOptions options;
  options.machine = shipped_machine(GetParam());
  options.memory_bytes = DeviceBench::kMemoryBytes;
  options.timeline = path;
  DeviceBench bench(options.machine, open_backend("systemc", options));
  LayerCase layer = small_layer(bench.machine());
  bench.place(layer);
  ASSERT_EQ(dla_write_layer(&bench.hal(), &bench.machine(), &layer.layer), kDlaOk);
  ASSERT_EQ(dla_start(&bench.hal()), kDlaOk);
  ASSERT_EQ(dla_wait(&bench.hal(), 600), kDlaTimeout);
  bench.backend().finish();
  const auto tracks = spans_of(Json::parse(std::ifstream(path)));
  EXPECT_EQ(tracks.at(2).front().to, bench.backend().cycles());
}

TEST_P(TimelineFile, IsTheSameFromEveryBackend) {
  const std::string expected = run("rtl").text;
  for (const std::string& backend : backend_names()) {
    EXPECT_TRUE(run(backend).text == expected) << backend;
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, TimelineFile, testing::Values("eyeriss_6x8", "eyeriss_12x14"),
                         [](const auto& machine) { return std::string(machine.param); });

}  // namespace
}  // namespace fovea
