// SPDX-License-Identifier: Apache-2.0
/// \file
/// Whether a network got slower: a run beside an earlier one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include "test_dla/device_run.h"

namespace fovea {

/// What a run, or a layer of it, took.
struct Taken {
  std::string name;
  std::uint64_t cycles = 0, dram_bytes = 0;  ///< Bytes that the accelerator read and wrote.
  bool is_on_cpu = false;
};

/// How much more may be taken, in percent; below 0 it has to be less.
struct Allowed {
  double cycles_percent = 0, dram_percent = 0;
};

/// "+0.5%", "0.5%", "-3%". \throws UsageError naming `option` for anything else.
double parse_percent(const std::string& option, const std::string& text);

/// An earlier run.
struct Baseline {
  std::filesystem::path path;
  RunConditions conditions;
  std::size_t runs = 0;
  std::vector<Taken> layers;
};

/// What `fovea run --json` printed, a report's run.json, or a report's folder.
/// \throws UserError where it is none of these, or of a version that did not say under which conditions it ran.
Baseline read_baseline(const std::filesystem::path& path);

/// \throws UserError that names what differs where the baseline is of another network, machine or DRAM preset.
void check_conditions(const Baseline& baseline, const RunConditions& now);

/// \throws UserError where the baseline is of another number of pictures.
void check_runs(const Baseline& baseline, std::size_t runs);

/// The layers of a run; those of several runs are added up.
std::vector<Taken> layers_taken(const DeviceRun& run);

/// A run held against an earlier one.
struct BaselineComparison {
  std::vector<std::pair<Taken, Taken>> changed;  ///< Before and now, a layer that changed each; last all layers.
  std::vector<std::string> complaints;           ///< Nothing where no more was taken than is allowed.
};

/// Complains where the layers together take more than is allowed, and where one of before is no longer there.
BaselineComparison compare_with_baseline(const std::vector<Taken>& before, const std::vector<Taken>& now,
                                         const Allowed& allowed);

/// The layers as a table, and a line a complaint, or one that there is none.
void print_comparison(const BaselineComparison& comparison, const Allowed& allowed, std::ostream& out);

/// The JSON object `answer` with a member "baseline": "within", whether there are no complaints, these, what was
/// allowed, and "layers" as above.
std::string add_comparison(const std::string& answer, const BaselineComparison& comparison, const Allowed& allowed);

}  // namespace fovea
