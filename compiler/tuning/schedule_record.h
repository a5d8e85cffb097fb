// SPDX-License-Identifier: Apache-2.0
/// \file
/// The fastest schedule of a nest of loops on a processor, as a search timed it.
#pragma once

#include <string>
#include <vector>

#include "loops/nest.h"

namespace fovea {

/// What a time depends on beside the nest.
struct Host {
  std::string cpu;       ///< Model of the processor.
  std::string compiler;  ///< What compiled the C: the first line of its version.

  bool operator==(const Host& other) const = default;
};

/// The processor that this runs on, and a compiler that PATH knows; its version is "" where there is none.
Host this_host(const std::string& compiler);

/// One nest.
struct ScheduleRecord {
  std::string nest;  ///< nest_key().
  Host host;
  std::vector<std::string> trace;  ///< Steps (loops/schedule_trace.h).
  double nanoseconds = 0;          ///< That the nest takes after them, and by the rules of the CPU.
  double default_nanoseconds = 0;
};

/// A digest of a nest before any schedule. The same in all networks: what the nest is called does not count.
std::string nest_key(const Nest& nest);

}  // namespace fovea
