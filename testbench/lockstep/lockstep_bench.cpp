// SPDX-License-Identifier: Apache-2.0
/// \file
/// The RTL and the SystemC model of one machine, side by side, and what may not differ between them.
#include "lockstep_bench.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iomanip>
#include <sstream>

#include "common/dram_timing.h"

namespace fovea {

namespace {

DeviceBench open_bench(const std::string& backend, const std::string& machine, const std::string& dram,
                       const std::filesystem::path& traces, const DramFault& fault, bool checked) {
  BackendOptions options = bench_options(machine, dram);
  options.checked = checked;
  if (const char* folder = std::getenv("RTL_LIBRARIES"); folder != nullptr && backend == "rtl") {
    options.library_dir = folder;
    options.checked = false;
  }
  options.dram_fault = fault;
  if (!traces.empty()) {
    options.transactions.path = traces / (backend + ".txt");
  }
  return DeviceBench(options.machine, open_backend(backend, options));
}

/// Each machine with every preset of the memory.
template <size_t count>
std::vector<LockstepScenario> scenarios_of(const char* const (&machines)[count]) {
  std::vector<LockstepScenario> scenarios;
  for (const std::string& dram : dram_preset_names()) {
    for (const char* machine : machines) {
      scenarios.push_back({machine, dram});
    }
  }
  return scenarios;
}

}  // namespace

std::vector<LockstepScenario> lockstep_scenarios() { return scenarios_of(kMachines); }

std::vector<LockstepScenario> test_machine_scenarios() { return scenarios_of(kTestMachines); }

std::vector<LockstepScenario> full_test_machine_scenarios() { return scenarios_of(kFullTestMachines); }

std::string name_of(const LockstepScenario& scenario) { return scenario.machine + "_" + scenario.dram; }

LockstepBench::LockstepBench(const std::string& machine, const std::string& dram, const std::filesystem::path& traces,
                             const DramFault& fault, bool checked)
    : rtl(open_bench("rtl", machine, dram, traces, fault, checked)),
      systemc(open_bench("systemc", machine, dram, traces, fault, checked)) {}

std::string format_counters(const dla_counters& rtl, const dla_counters& systemc) {
  std::ostringstream text;
  text << std::left << std::setw(20) << "" << std::right << std::setw(12) << "rtl" << std::setw(12) << "systemc"
       << "\n";
#define FOVEA_COUNTER(NAME, name, offset)                                                                 \
  text << std::left << std::setw(20) << #name << std::right << std::setw(12) << rtl.name << std::setw(12) \
       << systemc.name << (rtl.name == systemc.name ? "" : "  <- differ") << "\n";
  DLA_FOR_EACH_COUNTER(FOVEA_COUNTER)
#undef FOVEA_COUNTER
  return text.str();
}

void expect_equal(const LayerOutcome& rtl, const LayerOutcome& systemc) {
  EXPECT_EQ(rtl.status, systemc.status);
  EXPECT_EQ(rtl.error, systemc.error) << dla_error_text(rtl.error) << " / " << dla_error_text(systemc.error);
  EXPECT_TRUE(rtl.ofmap == systemc.ofmap) << "the ofmaps differ";
  EXPECT_EQ(rtl.wrote_outside, systemc.wrote_outside);
  EXPECT_EQ(std::memcmp(&rtl.counters, &systemc.counters, sizeof rtl.counters), 0)
      << format_counters(rtl.counters, systemc.counters);
}

LayerOutcome run_on_both(LockstepBench& bench, LayerCase& test) {
  LayerOutcome rtl = bench.rtl.run(test);
  const LayerOutcome systemc = bench.systemc.run(test);
  expect_equal(rtl, systemc);
  EXPECT_EQ(bench.rtl.backend().cycles(), bench.systemc.backend().cycles()) << "since reset";
  return rtl;
}

}  // namespace fovea
