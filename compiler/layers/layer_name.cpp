// SPDX-License-Identifier: Apache-2.0
/// \file
/// Splits ONNX names into parts and keeps those that tell a layer from another.
#include "layer_name.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace fovea {
namespace {

/// Parts that say nothing: what exporters wrap a network in, and the operators themselves.
constexpr std::array<std::string_view, 14> kEmptyWords{
    "module", "model", "net", "network", "main_graph", "conv",           "gemm",
    "matmul", "relu",  "add", "maxpool", "flatten",    "quantizelinear", "dequantizelinear"};

bool is_number(std::string_view part) {
  return std::all_of(part.begin(), part.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// "Conv_12" -> "conv": what a part says without the number that an exporter hung on it.
std::string_view without_counter(std::string_view part) {
  const auto underscore = part.rfind('_');
  const bool has_counter =
      underscore != std::string_view::npos && underscore > 0 && is_number(part.substr(underscore + 1));
  return has_counter ? part.substr(0, underscore) : part;
}

bool is_empty_word(std::string_view part) {
  const std::string_view word = without_counter(part);
  return std::find(kEmptyWords.begin(), kEmptyWords.end(), word) != kEmptyWords.end();
}

/// Parts of a path that a name is made of; exporters write about ten.
constexpr std::ptrdiff_t kMostParts = 32;

/// Lower-case parts between slashes, dots and colons, made of letters, digits and underscores; the last kMostParts.
std::vector<std::string> split_path(std::string_view name) {
  std::vector<std::string> parts(1);
  for (unsigned char c : name) {
    if (c == '/' || c == '.' || c == ':') {
      parts.emplace_back();
    } else {
      parts.back() += std::isalnum(c) != 0 ? static_cast<char>(std::tolower(c)) : '_';
    }
  }
  std::erase_if(parts, [](const std::string& part) { return part.empty(); });
  parts.erase(parts.begin(), std::ssize(parts) > kMostParts ? parts.end() - kMostParts : parts.begin());
  return parts;
}

/// Names to try, the shortest first: the last part that says something, then with what comes behind and before it.
std::vector<std::string> candidates_of(std::string_view onnx_name) {
  std::vector<std::string> parts = split_path(onnx_name);
  const auto says_something = [](const std::string& part) { return !is_number(part) && !is_empty_word(part); };
  const auto last = std::find_if(parts.rbegin(), parts.rend(), says_something);
  if (last == parts.rend()) {
    return {};
  }
  std::vector<std::string> candidates{*last};
  std::string longer = *last;
  for (auto part = last.base(); part != parts.end(); ++part) {
    candidates.push_back(longer += "_" + *part);
  }
  for (auto part = last + 1; part != parts.rend(); ++part) {
    longer.insert(0, *part + "_");
    candidates.push_back(longer);
  }
  return candidates;
}

/// A user's composites have dots in their names.
std::string as_identifier(std::string name) {
  std::ranges::replace(name, '.', '_');
  return std::isdigit(static_cast<unsigned char>(name[0])) != 0 ? "_" + name : name;
}

}  // namespace

std::string LayerNames::take(std::string_view onnx_name, std::string_view fallback) {
  std::vector<std::string> candidates = candidates_of(onnx_name);
  if (candidates.empty()) {
    candidates.emplace_back(fallback);
  }
  for (const std::string& candidate : candidates) {
    std::string name = as_identifier(candidate);
    if (taken_.insert(name).second) {
      return name;
    }
  }
  for (int& number = numbers_.try_emplace(candidates[0], 2).first->second;; ++number) {
    std::string name = as_identifier(candidates[0]) + "_" + std::to_string(number);
    if (taken_.insert(name).second) {
      return name;
    }
  }
}

}  // namespace fovea
