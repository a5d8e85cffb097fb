// SPDX-License-Identifier: Apache-2.0
/// \file
/// Pairs layers by their names.
#include "comparison.h"

#include <algorithm>
#include <map>

#include "tensor/error.h"

namespace fovea {
namespace {

/// A name that two layers share. The lower the rank, the surer both are of it.
struct Candidate {
  std::size_t rank, a, b;
};

/// A shape without its ones: a batch, or rows and columns that there are not.
Shape essence(Shape shape) {
  std::erase(shape, 1);
  return shape;
}

bool are_of_one_shape(const LayerValue& a, const LayerValue& b) {
  return essence(a.values.type().shape) == essence(b.values.type().shape);
}

/// float32 is beside integers where it is known what they stand for.
bool are_comparable(const LayerValue& a, const LayerValue& b) {
  const bool is_float_a = a.values.type().element == ElementType::kFloat32;
  const bool is_float_b = b.values.type().element == ElementType::kFloat32;
  return is_float_a == is_float_b || (is_float_a ? b : a).notes.quantization.has_value();
}

/// A node or a name of a layer. \param rank  The lower, the surer.
struct Key {
  std::string text;
  std::size_t rank, layer;
  bool is_name;
};

/// That two layers go by a name, not both by a node, is less sure than any node.
constexpr std::size_t kRankOfNames = 1000;

std::vector<Key> keys_of(const Side& side) {
  std::vector<Key> keys;
  for (std::size_t i = 0; i < side.values.size(); ++i) {
    const LayerNotes& notes = side.values[i].notes;
    for (std::size_t rank = 0; rank < notes.nodes.size(); ++rank) {
      keys.push_back({notes.nodes[rank], rank, i, false});
    }
    for (std::size_t rank = 0; rank < notes.names.size(); ++rank) {
      keys.push_back({notes.names[rank], kRankOfNames + rank, i, true});
    }
  }
  return keys;
}

/// Whether a layer is known by its node only.
bool is_sure(const Side& side, const Key& key) { return side.values[key.layer].notes.names.empty(); }

std::vector<Candidate> find_candidates(const Side& a, const Side& b) {
  std::multimap<std::string, Key> keys;
  for (const Key& key : keys_of(b)) {
    keys.emplace(key.text, key);
  }
  std::vector<Candidate> candidates;
  for (const Key& x : keys_of(a)) {
    const auto [begin, end] = keys.equal_range(x.text);
    for (auto found = begin; found != end; ++found) {
      const Key& y = found->second;
      if (!(x.is_name && is_sure(b, y)) && !(y.is_name && is_sure(a, x))) {
        candidates.push_back({x.rank + y.rank, x.layer, y.layer});
      }
    }
  }
  std::ranges::stable_sort(candidates, {}, &Candidate::rank);
  return candidates;
}

std::vector<std::string> names_of_rest(const Side& side, const std::vector<bool>& is_taken) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < side.values.size(); ++i) {
    if (!is_taken[i]) {
      names.push_back(side.values[i].name);
    }
  }
  return names;
}

[[noreturn]] void refuse(const Side& a, const Side& b, const std::vector<Candidate>& candidates) {
  const std::string place = a.label + " and " + b.label + ": ";
  if (candidates.empty()) {
    user_error(place + "no layer has the same name in both (" + a.values.front().name + " ... and " +
               b.values.front().name + " ...)");
  }
  const LayerValue &x = a.values[candidates[0].a], &y = b.values[candidates[0].b];
  if (are_of_one_shape(x, y)) {
    const bool is_x_float = x.values.type().element == ElementType::kFloat32;
    user_error(place + "no layer that both have can be compared (" + x.name + ": " +
               std::string(to_text((is_x_float ? y : x).values.type().element)) + " of no known scale and float32)");
  }
  user_error(place + "no layer has the same shape in both (" + x.name + ": " + shape_text(x.values.type().shape) +
             " and " + shape_text(y.values.type().shape) + ")");
}

}  // namespace

Comparison compare_sides(const Side& a, const Side& b, double tolerance) {
  internal_check(!a.values.empty() && !b.values.empty(), "sides with layers");
  Comparison comparison;
  std::vector<bool> is_taken_a(a.values.size()), is_taken_b(b.values.size());
  const std::vector<Candidate> candidates = find_candidates(a, b);
  for (const auto& [rank, i, j] : candidates) {
    if (!is_taken_a[i] && !is_taken_b[j] && are_of_one_shape(a.values[i], b.values[j]) &&
        are_comparable(a.values[i], b.values[j])) {
      is_taken_a[i] = is_taken_b[j] = true;
      comparison.layers.push_back({i, j, difference_of(a.values[i], b.values[j], tolerance)});
    }
  }
  if (comparison.layers.empty()) {
    refuse(a, b, candidates);
  }
  std::ranges::sort(comparison.layers, {}, a.network || !b.network ? &ComparedLayer::a : &ComparedLayer::b);
  comparison.only_a = names_of_rest(a, is_taken_a);
  comparison.only_b = names_of_rest(b, is_taken_b);
  const auto first =
      std::ranges::find_if(comparison.layers, [](const auto& layer) { return !layer.difference.is_none(); });
  if (first != comparison.layers.end()) {
    comparison.first = static_cast<std::size_t>(first - comparison.layers.begin());
  }
  return comparison;
}

}  // namespace fovea
