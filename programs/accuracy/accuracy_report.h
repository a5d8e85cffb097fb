// SPDX-License-Identifier: Apache-2.0
/// \file
/// Says what one network knew, or two beside each other.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "score.h"
#include "test_pictures.h"

namespace fovea {

/// A network and what it said of each picture.
struct Judged {
  std::string name;  ///< Its folder, or what it is to be called.
  std::vector<Outcome> outcomes;
};

/// Largest number of classes whose confusion is printed as a matrix; of more, only as JSON.
inline constexpr std::size_t kMostMatrixClasses = 20;

/// For a person: shares with their intervals, the matrix, up to `misses` of the pictures that the first one missed, and
/// of two networks how often they agree.
void print_accuracy(std::ostream& out, const TestPictures& pictures, const Labels& labels,
                    const std::vector<Judged>& judged, std::size_t misses);

/// All of it as one JSON object.
void print_accuracy_json(std::ostream& out, const TestPictures& pictures, const Labels& labels,
                         const std::vector<Judged>& judged);

}  // namespace fovea
