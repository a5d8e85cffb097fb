// SPDX-License-Identifier: Apache-2.0
/// \file
/// Prints answers in the lab's form.
#include "answer.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace fovea {
namespace {

void print_percentage(std::ostream& out, const std::string& name, double probability) {
  char number[32];
  std::snprintf(number, sizeof number, "%8.3f%%", 100 * probability);
  out << '[' << std::string(name.size() < 12 ? 12 - name.size() : 0, ' ') << name << ']' << number << '\n';
}

}  // namespace

std::vector<double> softmax(std::span<const float> logits) {
  const double largest = logits.empty() ? 0 : *std::max_element(logits.begin(), logits.end());
  std::vector<double> out;
  double sum = 0;
  for (const float logit : logits) {
    out.push_back(std::exp(logit - largest));
    sum += out.back();
  }
  for (double& value : out) {
    value /= sum;
  }
  return out;
}

std::vector<double> probabilities(std::span<const float> outputs) {
  constexpr double kSlack = 0.05;  // Ten of 8 bits are off by up to 10 / 512.
  const double sum = std::accumulate(outputs.begin(), outputs.end(), 0.0);
  const bool are_some = std::abs(sum - 1) < kSlack && *std::min_element(outputs.begin(), outputs.end()) >= 0;
  return outputs.size() > 1 && are_some ? std::vector<double>(outputs.begin(), outputs.end()) : softmax(outputs);
}

std::size_t best_of(std::span<const float> logits) {
  return static_cast<std::size_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

void print_percentages(std::ostream& out, const std::vector<std::string>& names, std::span<const float> logits) {
  const std::vector<double> likely = probabilities(logits);
  for (std::size_t i = 0; i < names.size(); ++i) {
    print_percentage(out, names[i], likely[i]);
  }
}

void print_top5(std::ostream& out, const std::vector<std::string>& names, std::span<const float> logits) {
  const std::vector<double> likely = probabilities(logits);
  std::vector<std::size_t> order(names.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return likely[a] > likely[b]; });
  for (std::size_t i = 0; i < std::min<std::size_t>(5, order.size()); ++i) {
    print_percentage(out, names[order[i]], likely[order[i]]);
  }
}

void print_output_summary(std::ostream& out, const std::string& name, std::span<const float> numbers) {
  out << name << ": " << numbers.size() << (numbers.size() == 1 ? " number" : " numbers");
  if (!numbers.empty()) {
    const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
    out << ", " << *least << " to " << *most << ", the largest is number " << best_of(numbers);
  }
  out << "\n";
}

void print_matrix_row(std::ostream& out, uint32_t label, const std::string& name, std::span<const uint32_t> answers) {
  char head[64];
  std::snprintf(head, sizeof head, "[%2u - %15s] ", label, name.c_str());
  out << head;
  for (const uint32_t answer : answers) {
    out << ' ' << (answer == label ? "." : std::to_string(answer));
  }
  out << '\n';
}

void print_rule(std::ostream& out) { out << std::string(45, '=') << '\n'; }

}  // namespace fovea
