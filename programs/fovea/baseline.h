// SPDX-License-Identifier: Apache-2.0
/// \file
/// Whether a network got slower: a run beside an earlier one.
#ifndef FOVEA_PROGRAMS_FOVEA_BASELINE_H_
#define FOVEA_PROGRAMS_FOVEA_BASELINE_H_

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "common/dla_info_csv.h"

namespace fovea {

/// What a run, or a layer of it, took.
struct Taken {
  std::string name;
  std::uint64_t cycles = 0, dram_bytes = 0;  ///< Bytes read and written.
};

/// How much more may be taken, in percent; below 0 it has to be less.
struct Allowed {
  double cycles_percent = 0, dram_percent = 0;
};

/// "+0.5%", "0.5%", "-3%". \throws UserError naming `option` for anything else.
double parse_percent(const std::string& option, const std::string& text);

/// The layers of an earlier run: what `fovea run --json` printed, a report's run.json, or a report's folder.
/// \throws UserError where it is none of these.
std::vector<Taken> read_baseline(const std::filesystem::path& path);

/// The layers of a run; those of several runs are added up.
std::vector<Taken> layers_taken(const std::vector<LayerInfo>& layers);

/// Prints the layers that changed and all of them together, and one line that says what that means.
/// \return whether the layers together took no more than is allowed, and all of before are on the accelerator still.
bool compare_with_baseline(const std::vector<Taken>& before, const std::vector<Taken>& now, const Allowed& allowed,
                           std::ostream& out);

}  // namespace fovea

#endif  // FOVEA_PROGRAMS_FOVEA_BASELINE_H_
