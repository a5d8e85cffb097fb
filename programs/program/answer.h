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

/// Of a network's outputs: themselves where they are probabilities, none below 0 and 1 in all; else softmax().
std::vector<double> probabilities(std::span<const float> outputs);

/// Place of the largest; the first of equals.
std::size_t best_of(std::span<const float> logits);

/// `[    airplane]   5.203%`, a line a class, in order.
void print_percentages(std::ostream& out, const std::vector<std::string>& names, std::span<const float> logits);

/// The same for the five largest, largest first.
void print_top5(std::ostream& out, const std::vector<std::string>& names, std::span<const float> logits);

/// "scores: 10 numbers, -1.5 to 8.25, the largest is number 3": an output whose numbers would fill the screen.
void print_output_summary(std::ostream& out, const std::string& name, std::span<const float> numbers);

/// A row of the matrix: `.` for each picture recognized, the number of the wrong class for the others.
void print_matrix_row(std::ostream& out, uint32_t label, const std::string& name, std::span<const uint32_t> answers);

/// The line of 45 '=' between parts.
void print_rule(std::ostream& out);

}  // namespace fovea
