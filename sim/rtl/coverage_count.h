// SPDX-License-Identifier: Apache-2.0
/// \file
/// Keeps what verilated modules have counted of their lines and toggles, in builds that count (FOVEA_COVERAGE).
#pragma once

#include "verilated.h"

namespace fovea {

#if defined(FOVEA_COVERAGE)

/// Takes over the counts of a module when it is destroyed: declare it behind the module. The process writes the largest
/// count of each point, of any instance of any module, to a new file in the folder that the environment names in
/// FOVEA_COVERAGE when it ends; without that variable nothing is written.
class CoverageCount {
 public:
  /// \param context  Of this module alone, or of one after another.
  explicit CoverageCount(VerilatedContext& context) : context_(context) {}
  ~CoverageCount();
  CoverageCount(const CoverageCount&) = delete;
  CoverageCount& operator=(const CoverageCount&) = delete;

 private:
  VerilatedContext& context_;
};

#else

class CoverageCount {
 public:
  explicit CoverageCount(VerilatedContext&) {}
};

#endif

}  // namespace fovea
