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

std::size_t best_of(std::span<const float> logits) {
  return static_cast<std::size_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

void print_percentages(std::ostream& out, const std::vector<std::string>& names, std::span<const float> logits) {
  const std::vector<double> probabilities = softmax(logits);
  for (std::size_t i = 0; i < names.size(); ++i) {
    print_percentage(out, names[i], probabilities[i]);
  }
}

void print_top5(std::ostream& out, const std::vector<std::string>& names, std::span<const float> logits) {
  const std::vector<double> probabilities = softmax(logits);
  std::vector<std::size_t> order(names.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return probabilities[a] > probabilities[b]; });
  for (std::size_t i = 0; i < std::min<std::size_t>(5, order.size()); ++i) {
    print_percentage(out, names[order[i]], probabilities[order[i]]);
  }
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
