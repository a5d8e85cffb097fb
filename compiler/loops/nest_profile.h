// SPDX-License-Identifier: Apache-2.0
/// \file
/// A nest in numbers, for those who choose among schedules: its loops, and how often its stores run and what they
/// touch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nest.h"

namespace fovea {

struct LoopProfile {
  std::string name;
  int64_t turns = 0, step = 1;
  LoopKind kind = LoopKind::kSerial;
  int depth = 0;              ///< Loops around it.
  bool is_reduction = false;  ///< A store in it reads what the turn before stored.
};

/// A place that a store reads or writes. Vectors have an entry for each loop around the store, the outermost first.
struct AccessProfile {
  int buffer = 0;
  bool is_store = false;
  std::vector<std::optional<int64_t>> strides;  ///< Elements from turn to turn; nothing where that varies.
  std::vector<int64_t> footprints;              ///< Bytes that the loop and those in it span, at most.
};

struct StoreProfile {
  std::vector<int> loops;  ///< Around it, the outermost first: places in NestProfile::loops.
  int64_t runs = 1;        ///< At most: conditions may leave out some.
  int64_t conditions = 0;  ///< How often those around it are asked, at most.
  int operations = 0;      ///< On values, without conversions and what indices take.
  int functions = 0;       ///< Of these, such as exp.
  std::vector<AccessProfile> accesses;
};

struct NestProfile {
  std::vector<LoopProfile> loops;    ///< As the text has them.
  std::vector<StoreProfile> stores;  ///< Likewise.
};

NestProfile profile_of(const Nest& nest);

}  // namespace fovea
