// SPDX-License-Identifier: Apache-2.0
/// \file
/// The RTL and the SystemC model of one machine, side by side, and what may not differ between them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/device_bench.h"

namespace fovea {

/// A machine and its memory.
struct LockstepScenario {
  std::string machine, dram;
};

/// The machines that ship, each with every preset of the memory.
std::vector<LockstepScenario> lockstep_scenarios();

/// The same of the small machines that only tests run, and of those that only make check_full runs.
std::vector<LockstepScenario> test_machine_scenarios();
std::vector<LockstepScenario> full_test_machine_scenarios();

/// For GoogleTest.
std::string name_of(const LockstepScenario& scenario);
inline void PrintTo(const LockstepScenario& scenario, std::ostream* out) { *out << name_of(scenario); }

/// Both devices, open. The SystemC kernel has one device a process, so there is one LockstepBench at a time.
class LockstepBench {
 public:
  /// The RTL's library is the one of this build, or the one in the folder that RTL_LIBRARIES names.
  /// It is the checked one, unless it is RTL_LIBRARIES' or `checked` is false.
  /// \param traces  A folder for `rtl.txt` and `systemc.txt` (transaction_text.h); empty: none.
  /// \param fault  What goes wrong on the bus of either.
  LockstepBench(const std::string& machine, const std::string& dram, const std::filesystem::path& traces = {},
                const DramFault& fault = {}, bool checked = true);

  DeviceBench rtl, systemc;
};

/// Every counter of both, in columns, the ones that differ marked.
std::string format_counters(const dla_counters& rtl, const dla_counters& systemc);

/// Expects equal status, error, ofmap and counters; on a difference prints all counters.
void expect_equal(const LayerOutcome& rtl, const LayerOutcome& systemc);

/// Runs a layer on both and expects equal outcomes. \return the RTL's.
LayerOutcome run_on_both(LockstepBench& bench, LayerCase& test);

}  // namespace fovea
