// SPDX-License-Identifier: Apache-2.0
/// \file
/// Counts what a network knew, and says how far the count can be trusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fovea {

/// What a network said of one picture.
struct Outcome {
  uint16_t answer = 0;  ///< The class of the largest output, the first of equals.
  uint16_t place = 0;   ///< Of the true class among the outputs, the largest first: 0 where it was right.

  bool operator==(const Outcome&) const = default;
};

/// \pre true_class < outputs.size() <= 65536.
Outcome judge(std::span<const float> outputs, uint32_t true_class);

/// Where a share that was seen in a sample lies in all there is, with 95 % confidence.
struct ShareInterval {
  double low = 0, high = 1;
};

/// Wilson's score interval of `part` of `all`: with z = 1.96 and s = part / all,
/// (s + z^2 / 2n -+ z sqrt(s (1 - s) / n + z^2 / 4n^2)) / (1 + z^2 / n). \pre part <= all. [0, 1] where all is 0.
ShareInterval wilson_interval(std::size_t part, std::size_t all);

/// Of several pictures.
class Score {
 public:
  /// \param classes  Outputs of the network.
  explicit Score(std::size_t classes) : confusion_(classes, std::vector<uint32_t>(classes, 0)) {}

  void add(uint32_t true_class, const Outcome& outcome);

  std::size_t pictures() const { return pictures_; }
  std::size_t right() const { return top1_; }
  std::size_t among_five() const { return top5_; }

  /// Pictures of each true class, by what they were taken for.
  const std::vector<std::vector<uint32_t>>& confusion() const { return confusion_; }

 private:
  std::size_t pictures_ = 0, top1_ = 0, top5_ = 0;
  std::vector<std::vector<uint32_t>> confusion_;
};

}  // namespace fovea
