// SPDX-License-Identifier: Apache-2.0
/// \file
/// Prints answers in the lab's form: ten percentages, or the matrix of a full test.
#pragma once

#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <vector>

namespace fovea {

/// Probabilities of the logits, in double.
std::vector<double> softmax(std::span<const float> logits);

/// Place of the largest; the first of equals.
std::size_t best_of(std::span<const float> logits);

/// `[    airplane]   5.203%`, a line a class, in order.
void print_percentages(std::ostream& out, const std::vector<std::string>& names, std::span<const float> logits);

/// The same for the five largest, largest first.
void print_top5(std::ostream& out, const std::vector<std::string>& names, std::span<const float> logits);

/// A row of the matrix: `.` for each picture recognized, the number of the wrong class for the others.
void print_matrix_row(std::ostream& out, uint32_t label, const std::string& name, std::span<const uint32_t> answers);

/// The line of 45 '=' between parts.
void print_rule(std::ostream& out);

}  // namespace fovea
