// SPDX-License-Identifier: Apache-2.0
/// \file
/// The best few mappings of those that a search has come across.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "objective.h"
#include "spec/dla_layer.h"

namespace fovea {

/// The best mapping of each of the best kinds. Mappings are of one kind if they fill the array alike, keep the ifmap
/// alike, and cut rows and filters into equally many tiles: they differ only in how even the tiles are.
class BestMappings {
 public:
  struct Ranked {
    Rank rank;
    dla_mapping mapping;
  };

  /// \param count  Kinds to keep, at least 1.
  /// \param below  Ranks that are not smaller do not get in.
  BestMappings(const dla_shape& shape, std::size_t count, const Rank& below = kWorst);

  /// Whether a mapping of this rank may still get in.
  bool takes(const Rank& rank) const { return rank < (best_.size() < count_ ? below_ : best_.back().rank); }

  /// Adds a mapping unless those kept, or the one of its kind, are as good.
  void add(const Rank& rank, const dla_mapping& mapping);

  /// The best first.
  const std::vector<Ranked>& best() const { return best_; }

 private:
  bool is_same_kind(const dla_mapping& a, const dla_mapping& b) const;

  static constexpr double kNever = std::numeric_limits<double>::infinity();
  static constexpr Rank kWorst = {kNever, kNever, kNever, kNever, kNever};

  std::size_t count_;
  Rank below_;
  std::uint32_t rows_, filters_;
  std::vector<Ranked> best_;
};

}  // namespace fovea
