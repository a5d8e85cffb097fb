// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does a list run its layers as one START each would, with records that add up, and do model and RTL agree on it; are
/// first filters loaded ahead as docs/timing.md says; and does a list that can't go on stop with its cause and the
/// layer's number? SEED=n repeats, CASES=n enlarges.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "bench/direct_convolution.h"
#include "bench/expected_traffic.h"
#include "bench/number_from_environment.h"
#include "bench/random_layer.h"
#include "bench/small_layer.h"
#include "list_bench.h"
#include "lockstep_bench.h"
#include "spec/dla_planes.h"
#include "spec/dla_timing.h"

namespace fovea {
namespace {

const uint64_t kSeed = number_from_environment("SEED", 2024);
const uint64_t kCases = number_from_environment("CASES", 4);  ///< Lists a scenario.

/// Runs a list that `prepare` has placed on both devices and expects that nothing differs. \return the RTL's outcome.
ListOutcome run_on_both(LockstepBench& bench, List& list, const std::function<void(DeviceBench&, List&)>& prepare) {
  prepare(bench.rtl, list);
  ListOutcome rtl = run(bench.rtl, list);
  prepare(bench.systemc, list);
  expect_equal(rtl, run(bench.systemc, list));
  return rtl;
}

List draw_list(RandomLayers& layers) {
  List list;
  const uint32_t count = layers.between(1, 5);
  const LayerCoverage coverage;
  for (uint32_t i = 0; i < count; ++i) {
    list.layers.push_back(layers.draw(coverage));
  }
  list.limit = count + layers.between(0, 3);
  return list;
}

/// The cycles of a layer add up over its causes.
uint32_t causes(const dla_counters& of) {
  return of.compute_cycles + of.psum_cycles + of.filter_cycles + of.ifmap_cycles + of.dram_cycles + of.output_cycles +
         of.control_cycles;
}

class Lists : public testing::TestWithParam<LockstepScenario> {};

TEST_P(Lists, RunTheirLayersAndRecordThem) {
  LockstepBench bench(GetParam().machine, GetParam().dram);
  RandomLayers layers(bench.rtl.machine(), kSeed, Places::kPlanes);
  uint64_t in_lists = 0, one_by_one = 0, count = 0;
  for (uint64_t index = 0; index < kCases; ++index) {
    SCOPED_TRACE("SEED=" + std::to_string(kSeed) + ", list " + std::to_string(index));
    List list = draw_list(layers);
    const ListOutcome outcome = run_on_both(bench, list, place);
    ASSERT_EQ(outcome.error, kDlaErrorNone) << dla_error_text(outcome.error);
    EXPECT_EQ(outcome.last_layer + 1, list.layers.size());
    uint64_t cycles = 0;
    for (uint32_t i = 0; i < list.layers.size(); ++i) {
      SCOPED_TRACE("layer " + std::to_string(i) + ": " + describe(list.layers[i].layer));
      const dla_counters& record = outcome.records[i];
      EXPECT_EQ(outcome.numbers[i], i);
      EXPECT_EQ(causes(record), record.cycles);
      EXPECT_TRUE(outcome.ofmaps[i] == convolve_directly(list.layers[i])) << "the ofmap is wrong";
      const ExpectedTraffic expected = expect_traffic(bench.rtl.machine(), list.layers[i].layer);
      EXPECT_EQ(record.ifmap_read_bytes, expected.ifmap_read_bytes);
      EXPECT_EQ(record.filter_read_bytes, expected.filter_read_bytes);
      EXPECT_EQ(record.write_bytes, expected.write_bytes);
      cycles += record.cycles;
    }
    // What is left is the last record's own way to memory, and the interrupt's.
    EXPECT_LE(cycles, outcome.cycles + 3);
    EXPECT_LE(outcome.cycles, cycles + 2'000);
    EXPECT_TRUE(are_equal(outcome.counters, outcome.records.back())) << "the last layer's stay in the registers";
    in_lists += cycles;
    count += list.layers.size();
    for (LayerCase& test : list.layers) {
      one_by_one += run_on_both(bench, test).counters.cycles;
    }
    if (HasFailure()) {
      return;
    }
  }
  std::printf("%s, %s DRAM, SEED=%llu: %llu layers in %llu cycles, one by one %llu\n", GetParam().machine.c_str(),
              GetParam().dram.c_str(), static_cast<unsigned long long>(kSeed), static_cast<unsigned long long>(count),
              static_cast<unsigned long long>(in_lists), static_cast<unsigned long long>(one_by_one));
}

/// Small layers in a list, and what their trace says.
class FirstFilters : public testing::TestWithParam<const char*> {
 protected:
  /// A line of a trace: its cycle, and the rest of it, words parted by a space.
  struct Event {
    uint64_t cycle;
    std::string text;
  };

  FirstFilters() { std::filesystem::create_directories(folder); }
  ~FirstFilters() override { std::filesystem::remove_all(folder); }

  /// Two of them, which may be changed, on both devices. Expects equal traces.
  void run(const std::function<void(LayerCase& first, LayerCase& second)>& change) {
    LockstepBench bench(GetParam(), "pipelined", folder);
    list = {{2, small_layer(bench.rtl.machine())}, {}, {}, 2};
    machine = bench.rtl.machine();
    change(list.layers[0], list.layers[1]);
    ASSERT_EQ(dla_check_layer(&machine, &list.layers[0].layer), kDlaErrorNone);
    ASSERT_EQ(dla_check_layer(&machine, &list.layers[1].layer), kDlaErrorNone);
    const ListOutcome outcome = run_on_both(bench, list, place);
    ASSERT_EQ(outcome.error, kDlaErrorNone) << dla_error_text(outcome.error);
    for (size_t i = 0; i < list.layers.size(); ++i) {
      EXPECT_TRUE(list.layers[i].layer.shape.ofmap_on_chip || outcome.ofmaps[i] == convolve_directly(list.layers[i]))
          << "the ofmap of layer " << i << " is wrong";
    }
    const uint32_t filter_bytes = outcome.records[1].filter_read_bytes;
    EXPECT_EQ(filter_bytes, expect_traffic(machine, list.layers[1].layer).filter_read_bytes);
    bench.rtl.backend().finish();
    bench.systemc.backend().finish();
    events = events_of(folder / "rtl.txt");
    const std::vector<Event> others = events_of(folder / "systemc.txt");
    ASSERT_EQ(events.size(), others.size());
    for (size_t i = 0; i < events.size(); ++i) {
      ASSERT_EQ(events[i].cycle, others[i].cycle) << events[i].text << " / " << others[i].text;
      ASSERT_EQ(events[i].text, others[i].text) << "in cycle " << events[i].cycle;
    }
  }

  static std::vector<Event> events_of(const std::filesystem::path& path) {
    std::vector<Event> events;
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) {
      std::istringstream words(line);
      Event event{};
      words >> event.cycle;
      for (std::string word; words >> word;) {
        event.text += (event.text.empty() ? "" : " ") + word;
      }
      events.push_back(event);
    }
    return events;
  }

  /// The cycle of the event after so many that begin alike.
  uint64_t cycle_of(const std::string& begin, size_t before = 0) const {
    for (const Event& event : events) {
      if (event.text.rfind(begin, 0) == 0 && before-- == 0) {
        return event.cycle;
      }
    }
    ADD_FAILURE() << "no such event: " << begin;
    return 0;
  }

  /// The cycle of the request of what begins at an address, of which no other burst begins.
  uint64_t asked(uint32_t addr) const {
    char text[32];
    std::snprintf(text, sizeof text, "load read 0x%08x", addr / machine.bus_bytes * machine.bus_bytes);
    return cycle_of(text);
  }

  /// From docs/timing.md, of the second layer: when its verdict counts, when its first filters may be loaded and when
  /// the array begins to learn its places, its start, and the request of a first filter chunk that may be loaded from
  /// `cycle` on.
  uint64_t checked() const {
    char entry[32];
    std::snprintf(entry, sizeof entry, "load end 0x%08x", list.entries[1]);
    return cycle_of(entry) + 1 + kDlaSetupCycles + 1;
  }
  uint64_t sets_moved() const { return std::max(cycle_of("filter end", kSets - 1) + 1, checked()); }
  uint64_t places_asked() const {
    uint64_t last_tile = 0;
    for (size_t i = 0; i < events.size() && events[i].text != "ctrl end 0"; ++i) {
      last_tile = events[i].text.rfind("post end", 0) == 0 ? events[i].cycle + 1 : last_tile;
    }
    return std::max(last_tile, checked());
  }
  uint64_t started() const {
    return std::max(places_asked() + dla_start_cycles(&machine), cycle_of("ctrl start", 1) + 2);
  }
  uint64_t filters_asked(uint64_t cycle) const {
    const dla_mapping& mapping = list.layers[1].layer.mapping;
    return cycle + 1 + kDlaRowTileSteps + kDlaFilterTileSteps + kDlaChunkSteps + mapping.r + kDlaFoldSteps +
           kDlaGroupSteps + mapping.t + kRequestCycles;
  }

  /// Filter sets of the first layer, of two passes each.
  static constexpr size_t kSets = 4;

  /// From the sequencer's push of a load to its first request.
  static constexpr uint64_t kRequestCycles = 1 + kDlaLoadJobCycles + kDlaLoadRunCycles;

  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / (std::string("first_filters_") + GetParam());
  dla_machine machine{};
  List list;
  std::vector<Event> events;
};

TEST_P(FirstFilters, AreLoadedOnceTheLayerIsChecked) {
  ASSERT_NO_FATAL_FAILURE(run(
      [](LayerCase&, LayerCase& second) { second.layer.glb.filter.base_bytes -= second.layer.glb.filter.size_bytes; }));
  EXPECT_EQ(asked(list.layers[1].layer.filter_addr), filters_asked(checked()));
  EXPECT_LT(checked(), sets_moved());
}

TEST_P(FirstFilters, WaitForSetsThatLieInTheirPlace) {
  ASSERT_NO_FATAL_FAILURE(run([](LayerCase&, LayerCase&) {}));
  const dla_layer& second = list.layers[1].layer;
  EXPECT_EQ(asked(second.filter_addr), filters_asked(sets_moved()));
  EXPECT_LT(asked(second.filter_addr), places_asked());
  EXPECT_EQ(asked(second.ifmap_addr), started() + 1 + kRequestCycles);
}

TEST_P(FirstFilters, FollowTheLastSetToThePes) {
  ASSERT_NO_FATAL_FAILURE(run([](LayerCase&, LayerCase&) {}));
  // The chunk is there, and the set before the last is no longer in use.
  const uint64_t chunk = cycle_of("load filter", kSets) + 1, half = cycle_of("array start", 2 * (kSets - 1)) + 1;
  EXPECT_EQ(cycle_of("filter start", kSets), std::max(chunk, half));
  EXPECT_LT(cycle_of("filter end", kSets), cycle_of("ctrl end"));
}

TEST_P(FirstFilters, WaitForTheArrayWhereItReads) {
  ASSERT_NO_FATAL_FAILURE(run([](LayerCase&, LayerCase& second) {
    dla_glb_plan& glb = second.layer.glb;
    glb.filter.base_bytes = glb.ifmap.base_bytes;
    glb.ifmap.base_bytes += glb.filter.size_bytes;
    glb.psum.base_bytes += glb.filter.size_bytes;
  }));
  EXPECT_EQ(asked(list.layers[1].layer.filter_addr), filters_asked(places_asked()));
}

TEST_P(FirstFilters, WaitForOutputsThatLieInTheirPlace) {
  ASSERT_NO_FATAL_FAILURE(run([](LayerCase&, LayerCase& second) {
    dla_glb_plan& glb = second.layer.glb;
    for (dla_region* region : {&glb.out, &glb.ifmap, &glb.psum}) {
      region->base_bytes += glb.filter.size_bytes;
    }
    glb.filter.base_bytes = 0;
  }));
  EXPECT_GT(asked(list.layers[1].layer.filter_addr), asked(list.layers[1].layer.ifmap_addr));
  EXPECT_GT(asked(list.layers[1].layer.ifmap_addr), started());
}

TEST_P(FirstFilters, WaitForAnOfmapOnChipThatLiesInTheirPlace) {
  ASSERT_NO_FATAL_FAILURE(run([this](LayerCase& first, LayerCase& second) {
    first.layer.shape.ofmap_on_chip = true;
    first.layer.ofmap_addr = last_row_addr(machine);
    leave_last_row(machine, first.layer);
    dla_region& filter = second.layer.glb.filter;
    filter.base_bytes = last_row(machine).base_bytes + last_row(machine).size_bytes - filter.size_bytes;
  }));
  EXPECT_GT(asked(list.layers[1].layer.filter_addr), asked(list.layers[1].layer.ifmap_addr));
  EXPECT_GT(asked(list.layers[1].layer.ifmap_addr), started());
}

TEST_P(FirstFilters, AreLoadedWhileTheIfmapIsWrittenOnChip) {
  ASSERT_NO_FATAL_FAILURE(run([this](LayerCase& first, LayerCase& second) { pass_on_chip(machine, first, second); }));
  EXPECT_LT(asked(list.layers[1].layer.filter_addr), cycle_of("ctrl end"));
  // Passes are queued before; the array sees the first one when the layer has started.
  EXPECT_LT(cycle_of("seq pass", 2 * kSets), cycle_of("ctrl end"));
  EXPECT_EQ(cycle_of("ifmap window", 2 * kSets), started() + 1);
}

TEST_P(FirstFilters, WaitForTheirTable) {
  ASSERT_NO_FATAL_FAILURE(run([](LayerCase&, LayerCase& second) {
    second.layer.shape.lookup = true;
    for (uint32_t i = 0; i < DLA_TABLE_BYTES; ++i) {
      second.table.push_back(static_cast<uint8_t>(i * 91 + 7));
    }
  }));
  EXPECT_GT(asked(list.layers[1].layer.filter_addr), started());
}

INSTANTIATE_TEST_SUITE_P(Machines, FirstFilters,
                         testing::Values("eyeriss_6x8", "eyeriss_12x14", "test_6x8_bus4", "test_6x4_bus16"));

/// What is wrong with a list, of three layers with a limit of 3 before.
struct Mistake {
  const char* name;
  dla_error cause;
  uint32_t layer;  ///< The number it is reported with; those before it ran.
  void (*make)(DeviceBench&, List&);
};

void put_head(DeviceBench& bench, uint32_t entry, uint32_t word, uint32_t value) {
  EXPECT_EQ(bench.hal().mem_write(bench.hal().ctx, entry + 4 * word, &value, 4), kDlaOk);
}

const Mistake kMistakes[] = {
    {"NothingWrong", kDlaErrorNone, 2, [](DeviceBench&, List&) {}},
    {"NoFirstEntry", kDlaErrorBadList, 0, [](DeviceBench&, List& l) { l.entries[0] = 0; }},
    {"FirstEntryOffByFour", kDlaErrorBadList, 0, [](DeviceBench&, List& l) { l.entries[0] += 4; }},
    {"FirstEntryOutsideMemory", kDlaErrorBusRead, 0, [](DeviceBench&, List& l) { l.entries[0] = 0x10000; }},
    {"FirstCommandBad", kDlaErrorBadShape, 0, [](DeviceBench& b, List& l) { put_head(b, l.entries[0], 7, 0); }},
    {"NextOffByOne", kDlaErrorBadList, 1,
     [](DeviceBench& b, List& l) { put_head(b, l.entries[1], 0, l.entries[2] + 1); }},
    {"NextOutsideMemory", kDlaErrorBusRead, 1, [](DeviceBench& b, List& l) { put_head(b, l.entries[0], 0, 0x10000); }},
    {"RecordOffByFour", kDlaErrorBadList, 1,
     [](DeviceBench& b, List& l) { put_head(b, l.entries[1], 1, l.records[1] + 4); }},
    {"RecordOutsideMemory", kDlaErrorBusWrite, 1,
     [](DeviceBench& b, List& l) { put_head(b, l.entries[1], 1, 0x10000); }},
    {"ReservedWord", kDlaErrorBadList, 2, [](DeviceBench& b, List& l) { put_head(b, l.entries[2], 3, 1); }},
    {"BadCommandInTheMiddle", kDlaErrorBadShape, 1, [](DeviceBench& b, List& l) { put_head(b, l.entries[1], 7, 0); }},
    {"Loop", kDlaErrorListTooLong, 3, [](DeviceBench& b, List& l) { put_head(b, l.entries[2], 0, l.entries[0]); }},
    {"LoopToItself", kDlaErrorListTooLong, 3,
     [](DeviceBench& b, List& l) { put_head(b, l.entries[1], 0, l.entries[1]); }},
    {"TooLong", kDlaErrorListTooLong, 2, [](DeviceBench&, List& l) { l.limit = 2; }},
    {"NoRecords", kDlaErrorNone, 2,
     [](DeviceBench& b, List& l) {
       for (uint32_t entry : l.entries) {
         put_head(b, entry, 1, 0);
       }
     }},
};

void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.name; }

class BadLists : public testing::TestWithParam<std::tuple<LockstepScenario, Mistake>> {};

TEST_P(BadLists, StopWithTheCauseAndTheLayer) {
  const auto& [scenario, mistake] = GetParam();
  LockstepBench bench(scenario.machine, scenario.dram);
  RandomLayers layers(bench.rtl.machine(), kSeed);
  const LayerCoverage coverage;
  List list;
  for (int i = 0; i < 3; ++i) {
    list.layers.push_back(layers.draw(coverage));
  }
  const ListOutcome outcome = run_on_both(bench, list, [make = mistake.make](DeviceBench& device, List& placed) {
    placed.limit = 3;
    place(device, placed);
    make(device, placed);
  });
  EXPECT_EQ(outcome.error, mistake.cause) << dla_error_text(outcome.error);
  EXPECT_EQ(outcome.last_layer, mistake.layer);
  for (uint32_t i = 0; i < 3 && i < mistake.layer; ++i) {
    EXPECT_TRUE(outcome.ofmaps[i] == convolve_directly(list.layers[i]) || mistake.layer == 3) << "layer " << i;
  }
  if (mistake.layer < 2) {
    EXPECT_EQ(outcome.numbers[2], kUnwritten);
  }
  // The device works afterwards, with a layer and with a list.
  LayerCase next = layers.draw(coverage);
  const LayerOutcome after = run_on_both(bench, next);
  EXPECT_EQ(after.error, kDlaErrorNone);
  EXPECT_TRUE(after.ofmap == convolve_directly(next));
  list.limit = 3;
  EXPECT_EQ(run_on_both(bench, list, place).error, kDlaErrorNone);
}

INSTANTIATE_TEST_SUITE_P(Scenarios, Lists, testing::ValuesIn(lockstep_scenarios()),
                         [](const auto& scenario) { return name_of(scenario.param); });

// With assertions, and on the widest bus.
INSTANTIATE_TEST_SUITE_P(TestMachines, Lists,
                         testing::Values(LockstepScenario{"test_6x8_bus4", "pipelined"},
                                         LockstepScenario{"test_6x4_bus16", "pipelined"},
                                         LockstepScenario{"test_6x4_bus16", "random"},
                                         LockstepScenario{"test_2x16_bus32", "random"}),
                         [](const auto& scenario) { return name_of(scenario.param); });

INSTANTIATE_TEST_SUITE_P(Mistakes, BadLists,
                         testing::Combine(testing::Values(LockstepScenario{"eyeriss_6x8", "pipelined"},
                                                          LockstepScenario{"eyeriss_12x14", "random"}),
                                          testing::ValuesIn(kMistakes)),
                         [](const auto& row) {
                           return std::get<0>(row.param).machine + "_" + std::get<1>(row.param).name;
                         });

}  // namespace
}  // namespace fovea
