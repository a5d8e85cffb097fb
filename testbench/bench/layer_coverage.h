// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a set of layers has exercised: every value of R, S, the strides and the pads, every kind of fold and remainder,
/// and the options.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spec/dla_layer.h"

namespace fovea {

/// One thing to have seen, and how often.
struct CoverageRow {
  std::string name;
  bool (*is_covered_by)(const dla_layer& layer, const dla_passes& passes, uint32_t value);
  uint32_t value;  ///< For rows of a kind: "R = 5".
  uint32_t seen = 0;
};

class LayerCoverage {
 public:
  /// Each row must be seen this often.
  static constexpr uint32_t kEnough = 3;

  LayerCoverage();

  void add(const dla_layer& layer, const dla_passes& passes);

  /// Times that a shape letter ("R", "V" or "pad_left", say) had `value`.
  uint32_t seen(const std::string& letter, uint32_t value) const;

  /// Rows that were seen less than kEnough times.
  std::vector<std::string> missing() const;

  /// The table, for the log.
  std::string format() const;

 private:
  std::vector<CoverageRow> rows_;
};

}  // namespace fovea
