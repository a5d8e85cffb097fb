// SPDX-License-Identifier: Apache-2.0
/// \file
/// The database that searches for mappings are kept in: a mapping found once is found by all, `fovea explore` too.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "placement.h"
#include "priced_command.h"

namespace fovea {

class TuningDatabase {
 public:
  /// Opens the placement's database for a mapper of its machine, which from now on takes what that has: then it
  /// chooses as it would by a search. \throws StoreError.
  TuningDatabase(const Placement& placement, Mapper& mapper);

  /// Adds what the mapper has searched for since. What a record chose is none of it. \throws StoreError.
  void keep(const Mapper& mapper) const;

 private:
  struct Known;

  std::shared_ptr<Known> known_;  ///< The mapper has it too.
};

}  // namespace fovea
